/** Program of the image `agents`: `main.js FOLDER` copies the agent archives, their sums and signatures into a folder. */
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { sumsFile } from "@sonde/proto/http/agents/install";

/** Copies the sums last, because an archive is available once its sum is. @throws Error if there are no sums */
export async function copyArchives(from: string, to: string): Promise<number> {
  const names = await readdir(from);
  if (!names.includes(sumsFile)) throw new Error(`${from} holds no ${sumsFile}`);
  await mkdir(to, { recursive: true });
  const archives = names.filter((name) => name !== sumsFile);
  for (const name of [...archives, sumsFile]) await copyFile(join(from, name), join(to, name));
  return names.length;
}

if (import.meta.main) {
  const [folder = "", from = "/app/archives"] = process.argv.slice(2);
  try {
    if (folder === "") throw new Error("give the folder to copy to: main.js FOLDER");
    process.stdout.write(`${await copyArchives(from, folder)} files copied to ${folder}\n`);
  } catch (fault) {
    process.stderr.write(`The archives could not be copied: ${String(fault)}\n`);
    process.exit(1);
  }
}
