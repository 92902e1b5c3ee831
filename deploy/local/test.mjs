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
  await getTools();
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

/** A browser, and what builds the agent and what its guide downloads it with. */
async function getTools() {
  const onPath = (name) => (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));
  const found = {
    chromium: existsSync(chromium),
    curl: onPath("curl"),
    "xz-utils": onPath("xz"),
    openssl: onPath("openssl"),
  };
  const missing = Object.keys(found).filter((name) => !found[name]);
  if (missing.length === 0) return;
  const mayInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (!mayInstall || (process.env.CHROMIUM_PATH && missing.includes("chromium"))) {
    const byHand = `Install them (Debian: \`sudo apt-get install ${missing.join(" ")}\`) or set CHROMIUM_PATH.`;
    giveUp(
      `The end-to-end tests miss ${missing.join(", ")}. ${byHand} Without them: npm test -- --project unit --project it --project web`,
    );
  }
  const quietly =
    "export DEBIAN_FRONTEND=noninteractive; apt-get -qq update && apt-get -qq install --no-install-recommends -y";
  await step(`Installing ${missing.join(", ")}`, "sh", ["-c", `${quietly} ${missing.join(" ")}`]);
}
