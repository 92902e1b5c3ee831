// `npm test`: installs and builds what is missing, gets what the tests need beyond npm, then runs every project of
// vitest but `nightly` on the pinned Node. Arguments go to vitest: `npm test -- --project unit`. Plain JavaScript; see
// prepare.mjs.
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
  // A browser, and what builds the agent and what its guide downloads it with.
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
