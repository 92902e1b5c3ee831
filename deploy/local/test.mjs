// `npm test`: installs dependencies and tools, builds, then runs all vitest projects except `nightly` on the pinned Node.
// Arguments are passed to vitest: `npm test -- --project unit`. JavaScript for old versions of Node; see prepare.mjs.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { build, install } from "./prepare.mjs";
import { nodeLauncher, root } from "./steps.mjs";
import { getTools } from "./tools.mjs";

const args = process.argv.slice(2);
const named = args.flatMap((arg, at) =>
  arg === "--project" ? [args[at + 1]] : (arg.match(/^--project=(.+)/)?.[1] ?? []),
);
if (named.length === 0) args.push("--project=!nightly");

await install();
if (named.length === 0 || named.includes("e2e") || named.includes("nightly")) {
  // A browser, and programs that build the agent or are used in its install command.
  const without = "Without them: npm test -- --project unit --project web --project 'it*'";
  await getTools(["chromium", "curl", "xz-utils", "openssl"], "The end-to-end tests cannot run", without);
  for (const part of ["services", "web", "docs"]) await build(part);
}

const vitest = spawn(nodeLauncher, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...args], {
  cwd: root,
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => vitest.kill(signal));
vitest.once("exit", (code) => process.exit(code ?? 1));
