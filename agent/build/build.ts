/**
 * Builds the agent's executables into agent/dist: `npm run build:agent` for this machine's platform,
 * `npm run build:agent -- linux-arm64 win-x64` for those, `-- all` for each. `--no-archive` leaves the archives out.
 * Needs `xz`, `tar` and npm's registry.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { type AgentPlatform, agentArchive, agentPlatforms } from "@sonde/proto/http/agent-install";
import { fetchBase } from "./base.ts";
import { bundle } from "./bundle.ts";
import { makeExecutable } from "./executable.ts";
import { basePackages, builderPackage } from "./platforms.ts";
import { zipOf } from "./zip.ts";

const execute = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const dist = join(root, "agent/dist");
const systems: Record<string, string> = { win: "win32" };

const options = process.argv.slice(2);
const withArchive = !options.includes("--no-archive");
const named = options.filter((option) => !option.startsWith("--"));
const unknown = named.filter((name) => name !== "all" && !agentPlatforms.some((platform) => platform === name));
if (unknown.length > 0)
  throw new Error(`Unknown platform ${unknown.join(", ")}; there are ${agentPlatforms.join(", ")}`);
const own = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const wanted = agentPlatforms.filter((platform) =>
  (named.length > 0 ? named : [own]).some((name) => name === platform || name === "all"),
);
if (wanted.length === 0) throw new Error(`There is no agent for ${own}; name a platform: ${agentPlatforms.join(", ")}`);

async function archive(platform: AgentPlatform, executable: string, work: string): Promise<string> {
  const path = join(dist, agentArchive(platform));
  if (path.endsWith(".zip")) {
    await writeFile(path, zipOf("sonde-agent.exe", await readFile(executable)));
    return path;
  }
  await copyFile(executable, join(work, "sonde-agent"));
  const owner = ["--owner=0", "--group=0", "--mode=0755", "--mtime=2020-01-01"];
  await execute("tar", ["-cf", join(work, "agent.tar"), ...owner, "-C", work, "sonde-agent"]);
  // Blocks of a fixed size: two cores halve the wait, and the bytes are the same on any machine.
  await execute("xz", ["-7e", "--threads=2", "--block-size=56MiB", join(work, "agent.tar")]);
  await copyFile(join(work, "agent.tar.xz"), path);
  return path;
}

async function buildPlatform(platform: AgentPlatform): Promise<void> {
  const base = basePackages[platform];
  const system = platform.split("-")[0] ?? "";
  const cache = join(dist, ".cache");
  const work = await mkdtemp(join(tmpdir(), "sonde-agent-"));
  try {
    const script = join(work, "agent.cjs");
    await bundle(root, script, systems[system] ?? system);
    await mkdir(join(dist, platform), { recursive: true });
    const output = join(dist, platform, system === "win" ? "sonde-agent.exe" : "sonde-agent");
    const node = await fetchBase(cache, builderPackage(process.platform, process.arch, base.version));
    const baseExecutable = await fetchBase(cache, base);
    await makeExecutable({ node, base: baseExecutable, script, work, output, system });
    const paths = [output, ...(withArchive ? [await archive(platform, output, work)] : [])];
    for (const path of paths) console.log(`${path} ${((await stat(path)).size / 1024 / 1024).toFixed(1)} MiB`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** In the format that `sha256sum -c` reads, of every archive that is there. */
async function writeSums(): Promise<void> {
  const names = (await readdir(dist)).filter((name) => /^sonde-agent-.*\.(?:tar\.xz|zip)$/.test(name)).toSorted();
  const lines: string[] = [];
  for (const name of names) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(join(dist, name)), hash);
    lines.push(`${hash.digest("hex")}  ${name}\n`);
  }
  await writeFile(join(dist, "SHA256SUMS"), lines.join(""));
}

await mkdir(dist, { recursive: true });
for (const platform of wanted) await buildPlatform(platform);
if (withArchive) await writeSums();
