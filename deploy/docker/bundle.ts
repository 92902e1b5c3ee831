/**
 * Bundles programs for their images: `node deploy/docker/bundle.ts --into FOLDER [gateway auth …]`, all of them by
 * default, each into `FOLDER/<name>`.
 */
import { existsSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bundle } from "./src/bundle/build.ts";
import { root } from "./src/root.ts";
import { programs } from "./src/programs.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { into: { type: "string" } } });
if (values.into === undefined) throw new Error("--into FOLDER is missing");
const unknown = positionals.filter((name) => !programs.has(name));
if (unknown.length > 0) throw new Error(`Unknown ${unknown.join(", ")}; there are ${[...programs.keys()].join(", ")}`);

const webApp = join(root, "web/dist");
for (const name of positionals.length > 0 ? positionals : programs.keys()) {
  const program = programs.get(name);
  if (program === undefined) continue;
  if (!existsSync(join(root, program.entry))) {
    console.log(`${name}: ${program.entry} is not there`);
    continue;
  }
  const into = join(resolve(values.into), name);
  await rm(into, { recursive: true, force: true });
  const { inputs, packages } = await bundle({ ...program, into });
  // Without it (`npm run build`) the API alone is served.
  if (program.web && existsSync(webApp)) await cp(webApp, join(into, "web"), { recursive: true });
  console.log(`${name}: ${inputs.length} sources, ${packages.length} packages beside them`);
}
