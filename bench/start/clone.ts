import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { emptyDataDir, npmStart } from "@sonde/testing/npm-start";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

/** Figures of a clone's first start. */
export type FirstStart = {
  /** Time until it was ready. */
  readyMs: number;
  /** Times at which the build of the web app began, and at which Sonde began to start. */
  installedMs: number;
  builtMs: number;
  /** Size of npm's cache afterwards, and the time that the bare download takes. */
  cachedMib: number;
  downloadMs: number;
};

/** Runs `npm start` in a clean clone of the current commit, with an empty npm cache. */
export async function firstStart(): Promise<FirstStart> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-bench-clone-"));
  const clone = join(folder, "sonde");
  const cache = join(folder, "npm-cache");
  const dataDir = await emptyDataDir();
  try {
    await run("git", ["clone", "--quiet", "--no-hardlinks", root, clone]);
    const sonde = await npmStart(clone, dataDir, { npm_config_cache: cache });
    await sonde.stop();
    const atMs = (start: string) => sonde.lines.find(({ text }) => text.startsWith(start))?.atMs ?? 0;
    return {
      readyMs: sonde.readyMs,
      installedMs: atMs("Building the web app"),
      builtMs: atMs("Starting "),
      cachedMib: await mibOf(cache),
      downloadMs: await downloadOnly(clone, join(folder, "second-cache")),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
    await rm(join(dataDir, ".."), { recursive: true, force: true });
  }
}

/** Downloads all tarballs that the clone installed, and discards them. */
async function downloadOnly(clone: string, cache: string): Promise<number> {
  const lock = JSON.parse(await readFile(join(clone, "node_modules/.package-lock.json"), "utf8")) as {
    packages: Record<
      string,
      { version?: string; integrity?: string; /** Set if installed under another name. */ name?: string }
    >;
  };
  const specs = Object.entries(lock.packages)
    .filter(([, { integrity }]) => integrity !== undefined)
    .map(([path, { version, name }]) => `${name ?? path.split("node_modules/").at(-1)}@${version}`);
  const beganMs = performance.now();
  const env = { ...process.env, npm_config_cache: cache };
  await run("npm", ["cache", "add", ...new Set(specs)], { cwd: clone, env });
  return performance.now() - beganMs;
}

async function mibOf(folder: string): Promise<number> {
  const { stdout } = await run("du", ["-sk", folder]);
  return Number.parseInt(stdout, 10) / 1024;
}
