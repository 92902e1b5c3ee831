import type { MadePasskey, PasskeyProof } from "@sonde/proto/http/factors";

type Options = Record<string, unknown>;

/** True if the browser can parse passkeys' JSON (WebAuthn 3). Passkeys do not work on an IP address. */
export const hasPasskeys = (): boolean =>
  !/^\[|^[\d.]+$/.test(window.location.hostname) &&
  typeof PublicKeyCredential === "function" &&
  typeof PublicKeyCredential.parseCreationOptionsFromJSON === "function";

/** Returns `null` if the user or the browser refused. */
export async function createPasskey(options: Options): Promise<MadePasskey | null> {
  const publicKey = () => PublicKeyCredential.parseCreationOptionsFromJSON(options as never);
  return toJson<MadePasskey>(() => navigator.credentials.create({ publicKey: publicKey() }));
}

/** Returns `null` if the user or the browser refused. */
export async function provePasskey(options: Options): Promise<PasskeyProof | null> {
  const publicKey = () => PublicKeyCredential.parseRequestOptionsFromJSON(options as never);
  return toJson<PasskeyProof>(() => navigator.credentials.get({ publicKey: publicKey() }));
}

async function toJson<Json>(ask: () => Promise<Credential | null>): Promise<Json | null> {
  try {
    const credential = await ask();
    return credential === null ? null : ((credential as PublicKeyCredential).toJSON() as unknown as Json);
  } catch (failure) {
    console.error("Passkey request failed", failure);
    return null;
  }
}
