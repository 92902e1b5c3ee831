// Bundles what `npm start` runs: `node deploy/bundle/src/local.ts FOLDER`; see deploy/local/prepare.mjs.
import { resolve } from "node:path";
import { bundle } from "./build.ts";

const [, , folder] = process.argv;
if (folder === undefined) throw new Error("FOLDER is missing");
await bundle({ entry: "deploy/local/src/main.ts", into: resolve(folder), isInClone: true });
