import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

/** Highest levels, since compression runs only once per build. */
const encoders = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  gz: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};
/** Images and fonts are already compressed. */
const compressible = /\.(?:css|html|m?js|json|svg|txt|webmanifest)$/;
/** Smaller files fit into one packet uncompressed. */
const minBytes = 1024;

/** Writes `.br` and `.gz` next to the files of a build. The gateway serves them to clients that accept them. */
export function compressed(): Plugin {
  return {
    name: "sonde:compressed",
    apply: "build",
    writeBundle: async ({ dir }) => {
      if (dir !== undefined) await compressFolder(dir);
    },
  };
}

export async function compressFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && compressible.test(entry.name));
  await Promise.all(files.map(({ parentPath, name }) => compressFile(join(parentPath, name))));
}

async function compressFile(path: string) {
  const bytes = await readFile(path);
  if (bytes.length < minBytes) return;
  for (const [extension, encode] of Object.entries(encoders)) {
    const smaller = await encode(bytes);
    if (smaller.length < bytes.length) await writeFile(`${path}.${extension}`, smaller);
  }
}
