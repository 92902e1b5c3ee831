import { build, type Plugin } from "esbuild";
import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { rewriteChoices } from "./choices.ts";
import { root } from "./packages.ts";

/** CommonJS packages need `require`. The rest is what Node 20 lacks. */
const banner = `#!/usr/bin/env node
import { createRequire as sondeCreateRequire } from "node:module";
const require = sondeCreateRequire(import.meta.url);
Promise.withResolvers ??= function () {
  const own = {};
  own.promise = new this((resolve, reject) => Object.assign(own, { resolve, reject }));
  return own;
};
RegExp.escape ??= (text) => text.replace(/[\\\\^$.*+?()[\\]{}|\\/-]/g, "\\\\$&").replace(/^[0-9A-Za-z]/, (first) => "\\\\x" + first.charCodeAt(0).toString(16));
URL.parse ??= (text, base) => (URL.canParse(text, base) ? new URL(text, base) : null);`;

const anyModule = /^(?:node:)?[a-z_]/;

const plugin: Plugin = {
  name: "single-file",
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = rewriteChoices(path, await readFile(path, "utf8"));
      // The file is its own worker thread.
      const contents = text.replace(
        /new URL\("\.\/[\w-]+-thread\.ts", import\.meta\.url\)/,
        "new URL(import.meta.url)",
      );
      return { contents, loader: "ts" };
    });
    // Node 20 lacks newer functions: an `import` of a missing name would fail before anything runs.
    onResolve({ filter: anyModule }, ({ path, kind }) =>
      kind === "import-statement" && isBuiltin(path)
        ? { path: path.replace(/^node:/, ""), namespace: "builtin" }
        : undefined,
    );
    onLoad({ filter: anyModule, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule("node:${path}");`,
    }));
  },
};

/** Bundles the probe runner into one file that only needs Node 20. */
export async function bundleRunner(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, "services/probe-runner/src/single-file.ts")],
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
    define: { "import.meta.main": "false" },
    external: ["pg-native"],
    banner: { js: banner },
    plugins: [plugin],
  });
  return outputFiles[0]!.contents;
}
