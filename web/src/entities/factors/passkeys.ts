import type { MadePasskey, PasskeyProof } from "@sonde/proto/http/factors";

type Options = Record<string, unknown>;

/** Whether this page and this browser can have passkeys, and take them as JSON (WebAuthn 3). No IP address can. */
export const hasPasskeys = (): boolean =>
  !/^\[|^[\d.]+$/.test(window.location.hostname) &&
  typeof PublicKeyCredential === "function" &&
  typeof PublicKeyCredential.parseCreationOptionsFromJSON === "function";

/** Asks the browser for a new passkey; null where the person, or the browser, did not make one. */
export async function makePasskey(options: Options): Promise<MadePasskey | null> {
  const publicKey = () => PublicKeyCredential.parseCreationOptionsFromJSON(options as never);
  return toJson<MadePasskey>(() => navigator.credentials.create({ publicKey: publicKey() }));
}

/** Asks the browser to prove one of the passkeys; null where it did not. */
export async function provePasskey(options: Options): Promise<PasskeyProof | null> {
  const publicKey = () => PublicKeyCredential.parseRequestOptionsFromJSON(options as never);
  return toJson<PasskeyProof>(() => navigator.credentials.get({ publicKey: publicKey() }));
}

async function toJson<Json>(ask: () => Promise<Credential | null>): Promise<Json | null> {
  try {
    const credential = await ask();
    return credential === null ? null : ((credential as PublicKeyCredential).toJSON() as unknown as Json);
  } catch (fault) {
    console.error("No passkey", fault);
    return null;
  }
}
