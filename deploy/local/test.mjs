// `npm test`: installs and builds what is missing, gets what the tests need beyond npm, then runs every project of
// vitest on the pinned Node. Arguments go to vitest: `npm test -- --project unit`. Plain JavaScript; see prepare.mjs.
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { buildDocs, buildWeb, install, pinnedNode, root } from "./prepare.mjs";
import { getTools } from "./tools.mjs";

const args = process.argv.slice(2);

await install();
if (needs("e2e")) {
  // A browser, and what builds the agent and what its guide downloads it with.
  const without = "Without them: npm test -- --project unit --project it --project web";
  await getTools(["chromium", "curl", "xz-utils", "openssl"], "The end-to-end tests cannot run", without);
  await buildWeb();
  await buildDocs();
}

const vitest = spawn(pinnedNode, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...args], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter) },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => vitest.kill(signal));
vitest.once("exit", (code) => process.exit(code ?? 1));

/** Whether a project runs: all do, unless some are named. */
function needs(project) {
  const named = args.flatMap((arg, at) =>
    arg === "--project" ? [args[at + 1]] : (arg.match(/^--project=(.+)/)?.[1] ?? []),
  );
  return named.length === 0 || named.includes(project);
}
