import { createHash, type KeyObject } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { sumsFile } from "@sonde/proto/http/agents/install";
import { publicPem, signatures } from "./signing-key.ts";

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
