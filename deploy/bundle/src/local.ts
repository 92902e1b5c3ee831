// Bundles what `npm start` runs: `node deploy/bundle/src/local.ts FOLDER`; see deploy/local/prepare.mjs.
import { resolve } from "node:path";
import { bundle } from "./build.ts";

const [, , folder] = process.argv;
if (folder === undefined) throw new Error("FOLDER is missing");
try {
  await bundle({ entry: "deploy/local/src/main.ts", into: resolve(folder), isInClone: true });
} catch (error) {
  console.error((error as Error).message); // Names the file and line.
  process.exit(1);
}
