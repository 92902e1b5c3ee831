import { build } from "esbuild";
import { join } from "node:path";

/** Needed by CommonJS packages. */
const require = 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);';

/** Bundles the command into one file that only needs Node 20. */
export async function bundleCommand(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "src/main.ts")],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    minify: true,
    charset: "utf8",
    mainFields: ["module", "main"],
    legalComments: "none",
    logLevel: "error",
    banner: { js: `#!/usr/bin/env node\n${require}` },
  });
  return outputFiles[0]!.contents;
}
