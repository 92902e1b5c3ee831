import { sumsFile } from "@sonde/proto/http/agents/install";
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from "node:crypto";
import { createReadStream } from "node:fs";
import { link, mkdir, readdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";

/**
 * Writes the checksums of all archives in a folder in the format of `sha256sum -c`, their signatures, and the public
 * key.
 */
export async function writeSums(folder: string, key: KeyObject): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^sonde-agent-.*\.(?:tar\.xz|zip)$/.test(name)).toSorted();
  const lines: string[] = [];
  for (const name of names) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(join(folder, name)), hash);
    lines.push(`${hash.digest("hex")}  ${name}\n`);
  }
  const sums = Buffer.from(lines.join(""));
  const { der, p1363 } = signatures(sums, key);
  const files = { [`${sumsFile}.sig`]: der, [`${sumsFile}.p1363`]: p1363, [sumsFile]: sums };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, `.${name}.new`), content);
  // Renamed together, so that concurrent downloads get matching checksums and signatures.
  for (const name of Object.keys(files)) await rename(join(folder, `.${name}.new`), join(folder, name));
  await writePublicKey(folder, key);
}

/** The gateway reads the public key for the installation guide. */
export async function writePublicKey(folder: string, key: KeyObject): Promise<void> {
  await writeFile(join(folder, "signing-key.pub"), publicPem(key));
}

/**
 * Returns the key that signs the checksums, creating it if missing. ECDSA over P-256 with SHA-256 can be verified by
 * `dgst` of every OpenSSL and LibreSSL, and by Windows. Only the owner can read the file.
 */
export async function ensureSigningKey(file: string): Promise<KeyObject> {
  const existing = await readKey(file);
  if (existing !== null) return existing;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Written atomically; of two concurrent builds the first wins.
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

export function publicPem(key: KeyObject): string {
  return createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
}

/** `der` is for OpenSSL, `p1363` (two numbers of 32 bytes) for .NET. */
export function signatures(data: Buffer, key: KeyObject): { der: Buffer; p1363: Buffer } {
  return { der: sign("sha256", data, key), p1363: sign("sha256", data, { key, dsaEncoding: "ieee-p1363" }) };
}
