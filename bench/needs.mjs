// What a benchmark needs beyond this repository. Plain JavaScript: start.mjs reads it before anything is installed.
// `node bench/needs.mjs probe FOLDER` builds what that benchmark needs in a checkout.
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const nothing = { folder: "bench", tools: [], builds: [] };
const table = {
  agent: { tools: ["xz-utils"], builds: ["agent"] },
  attacks: { folder: "e2e", tools: [], builds: ["web"] },
  hostile: { folder: "e2e", tools: [], builds: [] },
  kills: { folder: "e2e", tools: [], builds: [] },
  machine: { tools: ["chromium"], builds: ["web"] },
  status: { tools: ["chromium"], builds: ["web"] },
  web: { tools: ["chromium"], builds: ["web"] },
};

/** Where a benchmark lies, and the Debian packages and the builds that it needs. */
export const needs = (name) => ({ ...nothing, ...table[name] });

/** Installs the dependencies of a checkout, this one or another commit's, and makes the builds that a benchmark needs. */
export async function build(name, root) {
  const { install, buildWeb, pinnedNode, step } = await import(
    pathToFileURL(join(root, "deploy/local/prepare.mjs")).href
  );
  await install();
  if (needs(name).builds.includes("web")) await buildWeb();
  if (needs(name).builds.includes("agent"))
    await step("Building the agent", pinnedNode, [join(root, "agent/build/build.ts")]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build(process.argv[2], process.argv[3]);
