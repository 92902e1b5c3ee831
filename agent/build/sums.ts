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
 * Writes the sums of every archive in a folder as `sha256sum -c` reads them, their signatures beside them, and the
 * public key that verifies these.
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
  // Together, within an instant: who downloads meanwhile gets sums and a signature that fit.
  for (const name of Object.keys(files)) await rename(join(folder, `.${name}.new`), join(folder, name));
  await writePublicKey(folder, key);
}

/** Puts the public key beside the archives, where the gateway reads it for the guide. */
export async function writePublicKey(folder: string, key: KeyObject): Promise<void> {
  await writeFile(join(folder, "signing-key.pub"), publicPem(key));
}

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
