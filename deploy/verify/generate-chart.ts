import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeGoldens } from "./chart/golden.ts";
import { findProgram } from "./chart/tools.ts";
import { chartFiles } from "./chart-files.ts";
import { root } from "./steps.ts";

// `npm run generate:chart`: writes what chart, Compose and Skaffold take from the code, and the renders of the chart's examples.
for (const [path, text] of await chartFiles()) {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}
const helm = await findProgram("helm");
if (helm === null) console.warn("charts/sonde/golden is as it was: helm is not there (npm run verify -- --fetch-helm)");
else await writeGoldens(helm);
