import { agentArchive, agentPlatforms } from "@sonde/proto/http/agent-install";
import { execFile } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const root = resolve(import.meta.dirname, "../..");
/** What a built agent is made of; the Node below it is pinned in agent/build. */
const sources = ["agent/src", "agent/build", "agent/package.json", "proto/http/agent-install.ts"];

const changedMs = async (path: string) => (await stat(path)).mtimeMs;

async function newestSourceMs(): Promise<number> {
  const times = sources.map(async (source) => {
    const path = join(root, source);
    if ((await stat(path)).isFile()) return await changedMs(path);
    const entries = await readdir(path, { recursive: true });
    return Math.max(...(await Promise.all(entries.map((entry) => changedMs(join(path, entry))))));
  });
  return Math.max(...(await Promise.all(times)));
}

/** Builds this machine's agent into the folder that the product hands out, unless what lies there is newer than all sources. */
export async function buildAgent(): Promise<void> {
  const platform = agentPlatforms.find((each) => each === `${process.platform}-${process.arch}`);
  if (platform === undefined) throw new Error(`No agent is built for ${process.platform}-${process.arch}`);
  const built = [agentArchive(platform), "SHA256SUMS"].map((name) => join(root, "agent/dist", name));
  const builtMs = await Promise.all(built.map((path) => changedMs(path).catch(() => 0)));
  if (Math.min(...builtMs) > (await newestSourceMs())) return;
  await promisify(execFile)("node", ["agent/build/build.ts"], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
}
