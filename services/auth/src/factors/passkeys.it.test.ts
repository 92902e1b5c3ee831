import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { PasskeyProof } from "@sonde/proto/http/factors";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshAddress, join, password, startAuth, type TestAuth } from "../testing/service.ts";

const origin = "https://status.example.com";

let service: TestAuth;
/** The administrator who may log in while passwords are disabled. */
let first: Awaited<ReturnType<typeof join>>;
beforeAll(async () => {
  service = await startAuth({ AUTH_PASSWORDS: "off" });
  first = await join(service, "first");
});
afterAll(() => service.stop());

/** An authenticator with one passkey (WebAuthn 3, §6.1 and §7.2; COSE keys: RFC 9053, §7.1.1). */
async function passkeyOf(userId: number) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16).toString("base64url");
  const cose = ["a5010203262001215820", Buffer.from(x, "base64url"), "225820", Buffer.from(y, "base64url")].map(
    (part) => (typeof part === "string" ? Buffer.from(part, "hex") : part),
  );
  await service.db("factors").insert({
    userId,
    type: "passkey",
    name: "key",
    createdAtMs: Date.now(),
    transports: [],
    credentialId: id,
    publicKey: Buffer.concat(cose),
    counter: 0,
  });
  return (challenge: string): PasskeyProof => {
    const client = Buffer.from(JSON.stringify({ type: "webauthn.get", challenge, origin, crossOrigin: false }));
    const digest = (data: string | Buffer) => createHash("sha256").update(data).digest();
    // User present and verified; a counter that stays 0 is ignored.
    const authenticator = Buffer.concat([digest(new URL(origin).hostname), Buffer.from([0b101, 0, 0, 0, 0])]);
    const signature = sign("sha256", Buffer.concat([authenticator, digest(client)]), privateKey);
    const [clientDataJSON, authenticatorData] = [client, authenticator].map((data) => data.toString("base64url"));
    const response = { clientDataJSON, authenticatorData, signature: signature.toString("base64url") };
    return { id, rawId: id, type: "public-key", response } as PasskeyProof;
  };
}

const begin = () => service.factors.beginPasskey({ address: freshAddress(), origin });
const use = (ticket: string, passkey: PasskeyProof) =>
  service.factors.useFactor({ given: { ticket, passkey }, address: freshAddress(), client: "test", origin });

describe("signing in with only a passkey", () => {
  test("opens one session per challenge", async () => {
    const prove = await passkeyOf(first.user.id);
    const [begun, other] = [await begin(), await begin()];
    const proof = prove(String(begun.passkey["challenge"]));
    await expect(use(other.ticket, proof)).rejects.toMatchObject({ code: "unauthenticated" });
    expect(await use(begun.ticket, proof)).toMatchObject({ user: { id: first.user.id } });
    await expect(use(begun.ticket, proof)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("is offered only if the origin supports passkeys", async () => {
    await passkeyOf(first.user.id);
    const offered = async (given: { origin?: string }) => (await service.auth.registrationState(given)).passkeys;
    // Gateways of the previous version send no origin.
    expect(await Promise.all([{ origin }, {}].map(offered))).toEqual([true, true]);
    const none = ["", "https://192.0.2.1", "https://[2001:db8::1]:8443", "http://sonde.example.com"];
    expect(await Promise.all(none.map((given) => offered({ origin: given })))).toEqual(none.map(() => false));
  });

  test("is refused if passwords are disabled for the user", async () => {
    const account = { username: "second", role: "user", password } as const;
    const user = await service.auth.createUser(account, first.actor);
    const [prove, begun] = [await passkeyOf(user.id), await begin()];
    const proof = prove(String(begun.passkey["challenge"]));
    await expect(use(begun.ticket, proof)).rejects.toMatchObject({ code: "forbidden" });
    expect(await service.db("sessions").where({ userId: user.id })).toEqual([]);
  });
});
