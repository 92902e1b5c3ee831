/**
 * Bundles programs for their images: `node deploy/docker/bundle.ts --into FOLDER [gateway auth …]`, all of them by
 * default, each into `FOLDER/<name>`. The web app and the documentation must be built (`npm run build`). `--arch arm64` bundles
 * for that processor; `--packages FOLDER` is where the lock file's packages are installed for it, if that is not this machine's.
 */
import { existsSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "@sonde/bundle/packages";
import { writeContents } from "./src/contents/write.ts";
import { ownArchitecture } from "./src/images/builder.ts";
import { architectures, isBuiltFor, programs, withoutOn } from "./src/programs.ts";
import { writeProgram } from "./src/write-program.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    arch: { type: "string", default: ownArchitecture },
    into: { type: "string" },
    packages: { type: "string" },
  },
});
const architecture = architectures.find((name) => name === values.arch);
if (architecture === undefined) throw new Error(`--arch takes ${architectures.join(" or ")}`);
const packagesIn = values.packages !== undefined && existsSync(values.packages) ? resolve(values.packages) : root;
if (values.into === undefined) throw new Error("--into FOLDER is missing");
const unknown = positionals.filter((name) => !programs.has(name));
if (unknown.length > 0) throw new Error(`Unknown ${unknown.join(", ")}; there are ${[...programs.keys()].join(", ")}`);

for (const [name, program] of programs) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  if (!isBuiltFor(program, architecture)) continue;
  const into = join(resolve(values.into), name);
  await rm(into, { recursive: true, force: true });
  const fitting = { ...program, without: withoutOn(program, architecture) };
  const bundled = await writeProgram(name, fitting, into, packagesIn);
  for (const [workspace, built] of [
    ["web", "web/dist"],
    ["docs", "docs/.vitepress/dist"],
  ] as const)
    if (program.builtFrom?.includes(workspace)) await cp(join(root, built), join(into, workspace), { recursive: true });
  await writeContents(name, program, bundled, into);
  console.log(`${name}: ${bundled.packages.size} packages next to the bundle`);
}
