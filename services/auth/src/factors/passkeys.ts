import type { AuthenticatorTransport } from "@simplewebauthn/server";
import type { MadePasskey, PasskeyProof } from "@sonde/proto/http/factors";
import { isIP } from "node:net";
import type { Account } from "../users/store.ts";
import type { StoredPasskey } from "./store.ts";

/** The relying party (WebAuthn 3, §4: Relying Party Identifier). */
export type RelyingParty = { id: string; origin: string };

/** Returns `null` if browsers do not support passkeys at this origin: without TLS, or at an IP address. */
export function relyingPartyOf(origin: string | undefined): RelyingParty | null {
  if (origin === undefined || !URL.canParse(origin)) return null;
  const url = new URL(origin);
  const isLocal = url.hostname === "localhost" || url.hostname.endsWith(".localhost");
  if (isIP(url.hostname.replace(/^\[|\]$/g, "")) !== 0 || !(isLocal || url.protocol === "https:")) return null;
  return { id: url.hostname, origin: url.origin };
}

/** Several megabytes, so loaded on first use. */
const library = () => import("@simplewebauthn/server");

const verification = "required" as const;
const listed = (passkeys: readonly StoredPasskey[]) =>
  passkeys.map(({ credentialId, transports }) => ({
    id: credentialId,
    transports: transports as AuthenticatorTransport[],
  }));
type Options = { challenge: string; options: Record<string, unknown> };

/** Options for creating a discoverable passkey: it identifies the user without a username. */
export async function creationOptions(
  party: RelyingParty,
  user: Account,
  known: readonly StoredPasskey[],
): Promise<Options> {
  const options = await (
    await library()
  ).generateRegistrationOptions({
    rpName: "Sonde",
    rpID: party.id,
    userID: Buffer.from(`sonde-user-${user.id}`),
    userName: user.username,
    userDisplayName: user.username,
    attestationType: "none",
    excludeCredentials: listed(known),
    authenticatorSelection: { residentKey: "required", userVerification: verification },
  });
  return { challenge: options.challenge, options: { ...options } };
}

/** Options for signing in with one of these passkeys, or with any if the list is empty. */
export async function requestOptions(party: RelyingParty, known: readonly StoredPasskey[] = []): Promise<Options> {
  const options = await (
    await library()
  ).generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: listed(known),
    userVerification: verification,
  });
  return { challenge: options.challenge, options: { ...options } };
}

type Expected = { party: RelyingParty; challenge: string };
const expectedOf = ({ party, challenge }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: party.origin,
  expectedRPID: party.id,
  requireUserVerification: true,
});

/** Returns `null` if the response is invalid. */
export async function verifyNewPasskey(
  made: MadePasskey,
  expected: Expected,
): Promise<Pick<StoredPasskey, "credentialId" | "publicKey" | "counter" | "transports"> | null> {
  const transports = made.response.transports as AuthenticatorTransport[] | undefined;
  const response = { ...made, response: { ...made.response, transports }, clientExtensionResults: {} };
  const { verifyRegistrationResponse } = await library();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: response as never,
    ...expectedOf(expected),
  }).catch(() => ({ verified: false, registrationInfo: undefined }));
  if (!verified || registrationInfo === undefined) return null;
  const { id, publicKey, counter } = registrationInfo.credential;
  return { credentialId: id, publicKey: Buffer.from(publicKey), counter, transports: transports ?? [] };
}

/** Returns the new signature counter, or `null` if the response is invalid. */
export async function verifyProof(
  proof: PasskeyProof,
  { credentialId: id, publicKey, counter }: StoredPasskey,
  expected: Expected,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...proof, clientExtensionResults: {} } as never,
    credential: { id, publicKey: new Uint8Array(publicKey), counter },
    ...expectedOf(expected),
  }).catch(() => ({ verified: false, authenticationInfo: undefined }));
  return verified ? (authenticationInfo?.newCounter ?? null) : null;
}
