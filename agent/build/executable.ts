import { build } from "esbuild";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "./inject.ts";

const execute = promisify(execFile);

const execArgv = [
  // No JIT and a small heap: a quarter less memory, and no pages that are both writable and executable, which the
  // service can therefore forbid. One additional thread is enough for that heap.
  "--lite-mode",
  "--max-semi-space-size=1",
  "--max-old-space-size=32",
  "--v8-pool-size=1",
  // The startup snapshot contains compiled modules that the agent never loads: half a MiB.
  "--no-node-snapshot",
];

/**
 * Embeds a bundled script in a Node.
 * @param input.node runs on this machine and has the version of `base`
 */
export async function createExecutable(input: {
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
  await inject({ base: input.base, blob: await readFile(blob), output: input.output, system: input.system });
}

/**
 * Bundles the agent into one CommonJS file, the only format that single executable applications of Node 24 support.
 * `systeminformation` is included only where it is used.
 */
export async function bundleAgent(root: string, outfile: string, system: string): Promise<void> {
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
