import type { Database } from "@sonde/kit/postgres/database";
import type { SecretBox } from "@sonde/kit/secrets";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { readKeyPair } from "../../key-pairs.ts";

/** The installation's key pair, which browsers subscribe with and push services check (RFC 8292). */
export type PushIdentity = {
  /** Base64url of the uncompressed point. */
  publicKey: string;
  privateKey: KeyObject;
  /** Whom a push service may contact. */
  subject: string;
};

type Ctx = { db: Database; secrets: SecretBox; publicUrl: string | null };

/** Push services accept at most a day. */
const validSeconds = 12 * 3600;

/** Returns a function that reads the key pair once, and creates it if there is none. */
export function pushIdentityReader(ctx: Ctx): () => Promise<PushIdentity> {
  let identity: PushIdentity | undefined;
  return async () => (identity ??= await readOrCreate(ctx));
}

async function readOrCreate({ db, secrets, publicUrl }: Ctx): Promise<PushIdentity> {
  const pair = await readKeyPair({ db, secrets }, "push_key", newPair, hasDevices);
  return { ...pair, subject: publicUrl?.startsWith("https:") === true ? publicUrl : "mailto:sonde@localhost" };
}

function newPair() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const point = [Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];
  return { publicKey: Buffer.concat(point).toString("base64url"), privateKey };
}

const hasDevices = async (trx: Database): Promise<boolean> =>
  (await trx("channels").where({ type: "web-push" }).first("id")) !== undefined;

/** Returns the `authorization` header for the origin of a push service. */
export function vapidHeader({ publicKey, privateKey, subject }: PushIdentity, origin: string, atMs: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { aud: origin, exp: Math.floor(atMs / 1000) + validSeconds, sub: subject };
  const signed = `${part({ typ: "JWT", alg: "ES256" })}.${part(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `vapid t=${signed}.${signature.toString("base64url")}, k=${publicKey}`;
}
