/** The image `agents`: `main.js FOLDER` copies the archives of agents, their sums and signatures into a folder. */
import { copyArchives } from "./copy.ts";

const [folder, from = "/app/archives"] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("Say where the archives go: main.js FOLDER\n");
  process.exit(1);
}
try {
  process.stdout.write(`${await copyArchives(from, folder)} files copied to ${folder}\n`);
} catch (fault) {
  process.stderr.write(`The archives could not be copied: ${String(fault)}\n`);
  process.exit(1);
}
