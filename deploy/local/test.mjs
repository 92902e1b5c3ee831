// `npm test`: installs and builds what is missing, gets what the tests need beyond npm, then runs every project of
// vitest on the pinned Node. Arguments go to vitest: `npm test -- --project unit`. Plain JavaScript; see prepare.mjs.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { buildWeb, giveUp, install, pinnedNode, root, step } from "./prepare.mjs";

const args = process.argv.slice(2);
const chromium = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

await install();
if (needs("e2e")) {
  await getChromium();
  await buildWeb();
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

async function getChromium() {
  if (existsSync(chromium)) return;
  const missing = `Chromium is missing (${chromium}); the end-to-end tests need it.`;
  const byHand = "Install it (Debian: `sudo apt-get install chromium`) or set CHROMIUM_PATH.";
  if (process.env.CHROMIUM_PATH || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    giveUp(`${missing} ${byHand} Without it: npm test -- --project unit --project it --project web`);
  }
  const quietly =
    "export DEBIAN_FRONTEND=noninteractive; apt-get -qq update && apt-get -qq install --no-install-recommends -y";
  await step("Installing Chromium", "sh", ["-c", `${quietly} chromium`]);
}
