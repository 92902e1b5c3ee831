import type { Database } from "@sonde/kit/postgres/database";
import { type SecretBox, type Sealed, secretContexts } from "@sonde/kit/secrets";
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** The installation's key pair, which browsers subscribe with and push services check (RFC 8292). */
export type PushIdentity = {
  /** Base64url of the uncompressed point. */
  publicKey: string;
  privateKey: KeyObject;
  /** Whom a push service may contact. */
  subject: string;
};

type Stored = { publicKey: string; privateKey: Sealed };
type Ctx = { db: Database; secrets: SecretBox; publicUrl: string | null };

/** Push services accept at most a day. */
const validSeconds = 12 * 3600;

/** Returns a function that reads the key pair once, and creates it if there is none. */
export function pushIdentityReader(ctx: Ctx): () => Promise<PushIdentity> {
  let identity: PushIdentity | undefined;
  return async () => (identity ??= await readOrCreate(ctx));
}

/**
 * Replaces a pair that no key opens, unless a device uses it: another replica may have a newer key.
 * @throws Error if no key opens it
 */
async function readOrCreate({ db, secrets, publicUrl }: Ctx): Promise<PushIdentity> {
  const config = await db.transaction(async (trx) => {
    await trx.raw("select pg_advisory_xact_lock(hashtextextended(current_schema() || ' push_key', 0))");
    const stored = await trx("push_key").first<{ config: Stored } | undefined>("config");
    if (stored !== undefined && (opens(secrets, stored.config) || (await hasDevices(trx)))) return stored.config;
    const made = newPair(secrets);
    await trx("push_key").delete();
    await trx("push_key").insert({ id: 1, config: JSON.stringify(made) });
    return made;
  });
  const der = Buffer.from(secrets.open(config.privateKey.sealed, secretContexts.channel), "base64url");
  return {
    publicKey: config.publicKey,
    privateKey: createPrivateKey({ key: der, format: "der", type: "pkcs8" }),
    subject: publicUrl?.startsWith("https:") === true ? publicUrl : "mailto:sonde@localhost",
  };
}

function newPair(secrets: SecretBox): Stored {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const point = [Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];
  const der = privateKey.export({ format: "der", type: "pkcs8" }).toString("base64url");
  return {
    publicKey: Buffer.concat(point).toString("base64url"),
    privateKey: { sealed: secrets.seal(der, secretContexts.channel) },
  };
}

const hasDevices = async (trx: Database): Promise<boolean> =>
  (await trx("channels").where({ type: "web-push" }).first("id")) !== undefined;

function opens(secrets: SecretBox, { privateKey }: Stored): boolean {
  try {
    secrets.open(privateKey.sealed, secretContexts.channel);
    return true;
  } catch {
    return false;
  }
}

/** Returns the `authorization` header for the origin of a push service. */
export function vapidHeader({ publicKey, privateKey, subject }: PushIdentity, origin: string, atMs: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { aud: origin, exp: Math.floor(atMs / 1000) + validSeconds, sub: subject };
  const signed = `${part({ typ: "JWT", alg: "ES256" })}.${part(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `vapid t=${signed}.${signature.toString("base64url")}, k=${publicKey}`;
}
