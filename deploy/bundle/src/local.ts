// Bundles `npm start`: `node deploy/bundle/src/local.ts FOLDER`; see deploy/local/prepare.mjs.
import { resolve } from "node:path";
import { bundle } from "./build.ts";

const [, , folder] = process.argv;
if (folder === undefined) throw new Error("FOLDER is missing");
// npm has chdb's engine for x64 only. Elsewhere chdb is plain JavaScript, which would be bundled.
const without = process.arch === "x64" ? [] : ["chdb"];
try {
  await bundle({ entry: "deploy/local/src/main.ts", into: resolve(folder), without, isInClone: true });
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
