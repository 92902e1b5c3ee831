import { build } from "esbuild";
import { execFile } from "node:child_process";
import { chmod, copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "postject";

const execute = promisify(execFile);
/** Node's marks, see "Single executable applications" in its documentation. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const execArgv = [
  // Bytecode without a compiler to machine code, and a small heap: a quarter less memory, and pages that are written and
  // executed are never needed, so that the service may forbid them. One thread beside the main one is enough for that heap.
  "--lite-mode",
  "--max-semi-space-size=1",
  "--max-old-space-size=32",
  "--v8-pool-size=1",
  // The snapshot of a started Node holds compiled code of modules that the agent never loads: half a MiB.
  "--no-node-snapshot",
];

/**
 * Puts a bundled script into a Node.
 * @param input.node runs on this machine and has the version of `base`
 */
export async function makeExecutable(input: {
  node: string;
  base: string;
  script: string;
  work: string;
  output: string;
  system: string;
}): Promise<void> {
  const blob = join(input.work, "agent.blob");
  const config = join(input.work, "sea.json");
  const settings = {
    main: input.script,
    output: blob,
    disableExperimentalSEAWarning: true,
    execArgv,
    execArgvExtension: "none",
  };
  await writeFile(config, JSON.stringify(settings));
  await execute(input.node, ["--experimental-sea-config", config]);
  await copyFile(input.base, input.output);
  await chmod(input.output, 0o755);
  // Symbols for debuggers are a seventh of it; a `strip` that does not know the processor leaves it whole.
  if (input.system === "linux") await execute("strip", [input.output]).catch(() => {});
  const macho = input.system === "darwin" ? { machoSegmentName: "NODE_SEA" } : {};
  await inject(input.output, "NODE_SEA_BLOB", await readFile(blob), { sentinelFuse: fuse, ...macho });
}

/**
 * Bundles the agent into one CommonJS file, the only form that a single executable application of Node 24 supports.
 * `systeminformation` is included only where it is used.
 */
export async function bundle(root: string, outfile: string, system: string): Promise<void> {
  await build({
    entryPoints: [join(root, "agent/src/main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node24",
    minify: true,
    legalComments: "eof",
    external: system === "linux" ? ["systeminformation"] : [],
    define: { "process.platform": JSON.stringify(system) },
  });
}
