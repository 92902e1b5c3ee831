import { createHmac, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import type { Context } from "../context.ts";
import { readKeyPair } from "../key-pairs.ts";

/** The installation's Ed25519 key pair (RFC 8032), which signs reports. */
export type ReportKey = {
  /** SubjectPublicKeyInfo in base64. */
  publicKey: string;
  pem: string;
  sign(content: string): Uint8Array;
  /** Returns the secret part of a link, which is derived from the key and never stored. */
  token(purpose: string): string;
};

/**
 * Returns a function that reads the key pair once, and creates it if there is none.
 * @param isAbandoned replaces a pair that no key opens, even if it signed reports
 */
export function reportKeyReader(ctx: Pick<Context, "db" | "secrets">, isAbandoned: boolean): () => Promise<ReportKey> {
  let key: ReportKey | undefined;
  return async () => (key ??= await read(ctx, isAbandoned));
}

async function read(ctx: Pick<Context, "db" | "secrets">, isAbandoned: boolean): Promise<ReportKey> {
  const make = () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    return { publicKey: publicKey.export({ format: "der", type: "spki" }).toString("base64"), privateKey };
  };
  const { publicKey, privateKey } = await readKeyPair(ctx, "report_key", make, async (trx) => {
    return !isAbandoned && (await trx("report_issues").first("period")) !== undefined;
  });
  const secret = privateKey.export({ format: "der", type: "pkcs8" });
  const der = Buffer.from(publicKey, "base64");
  return {
    publicKey,
    pem: String(createPublicKey({ key: der, format: "der", type: "spki" }).export({ format: "pem", type: "spki" })),
    sign: (content) => sign(null, Buffer.from(content), privateKey),
    token: (purpose) => createHmac("sha256", secret).update(purpose).digest("base64url"),
  };
}
