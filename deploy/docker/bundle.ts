/**
 * Bundles a program for its image: `node deploy/docker/bundle.ts --into FOLDER gateway`. Run `npm run build` first.
 * For another processor, add `--arch arm64 --packages FOLDER`; the folder has the lock file's packages for it.
 */
import { cp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "@sonde/bundle/packages";
import { licenceTexts } from "./src/licences.ts";
import { architectures, isBuiltFor, ownArchitecture, programs, withoutOn } from "./src/programs.ts";
import { writeProgram } from "./src/write-program.ts";

const built = { web: "web/dist", docs: "docs/.vitepress/dist" };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    arch: { type: "string", default: ownArchitecture },
    into: { type: "string" },
    packages: { type: "string", default: root },
  },
});
const architecture = architectures.find((name) => name === values.arch);
if (architecture === undefined) throw new Error(`--arch takes ${architectures.join(" or ")}`);
if (values.into === undefined) throw new Error("--into FOLDER is missing");

const [name = ""] = positionals;
const program = programs.get(name);
if (program === undefined) throw new Error(`Unknown program ${name}; there are ${[...programs.keys()].join(", ")}`);
if (!isBuiltFor(program, architecture))
  throw new Error(`${name} needs ClickHouse's engine, which ${architecture} has not`);

const into = resolve(values.into);
await rm(into, { recursive: true, force: true });
const fitting = { ...program, without: withoutOn(program, architecture) };
const bundled = await writeProgram(name, fitting, into, resolve(values.packages));
for (const [workspace, from] of Object.entries(built))
  if (program.builtFrom?.includes(workspace)) await cp(join(root, from), join(into, workspace), { recursive: true });
await writeFile(join(into, "THIRD-PARTY-LICENSES.txt"), licenceTexts(bundled, program));
