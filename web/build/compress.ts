import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

/** Compressing takes its time once for a build, so both try as hard as they can. */
const encoders = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  gz: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};
/** Images and fonts are compressed already. */
const compressible = /\.(?:css|html|m?js|json|svg|txt|webmanifest)$/;
/** Smaller files fit into one packet as they are. */
const smallestBytes = 1024;

/** Writes `.br` and `.gz` beside the files of a build. The gateway sends them as they are, to who takes them. */
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
  if (bytes.length < smallestBytes) return;
  for (const [extension, encode] of Object.entries(encoders)) {
    const smaller = await encode(bytes);
    if (smaller.length < bytes.length) await writeFile(`${path}.${extension}`, smaller);
  }
}
