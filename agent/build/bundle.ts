import { join } from "node:path";
import { build } from "esbuild";

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
