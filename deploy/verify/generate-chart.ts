import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { chartFiles } from "./chart-files.ts";
import { root } from "./steps.ts";

// `npm run generate:chart`: writes what the chart takes from the code.
for (const [path, text] of chartFiles()) {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}
