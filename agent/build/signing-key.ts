import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * The key that signs the sums of the archives: ECDSA over P-256 with SHA-256, which every OpenSSL and LibreSSL verifies
 * with `dgst`, and Windows by itself. Made if there is none; its file is its owner's alone.
 */
export async function keepSigningKey(file: string): Promise<KeyObject> {
  const known = await readKey(file);
  if (known !== null) return known;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Written atomically; the first of two wins.
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flush: true });
  await link(draft, file).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== "EEXIST") throw fault;
  });
  await unlink(draft);
  return (await readKey(file)) ?? privateKey;
}

async function readKey(file: string): Promise<KeyObject | null> {
  const pem = await readFile(file, "utf8").catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === "ENOENT") return null;
    throw fault;
  });
  return pem === null ? null : createPrivateKey(pem);
}

/** The public half, as PEM. */
export function publicPem(key: KeyObject): string {
  return createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
}

/** Signatures of `data`: `der` as OpenSSL reads it, `p1363` (two numbers of 32 bytes) as .NET does. */
export function signatures(data: Buffer, key: KeyObject): { der: Buffer; p1363: Buffer } {
  return { der: sign("sha256", data, key), p1363: sign("sha256", data, { key, dsaEncoding: "ieee-p1363" }) };
}
