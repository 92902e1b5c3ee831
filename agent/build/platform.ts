import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { AgentBuild } from "@sonde/proto/http/agents/downloads";
import { type AgentPlatform, agentArchive } from "@sonde/proto/http/agents/install";
import { archive } from "./archive.ts";
import { basePackages, builderPackage, fetchBase } from "./base.ts";
import { bundleAgent, createExecutable } from "./executable.ts";

type Step = Extract<AgentBuild, { status: "building" }>["step"];
type BuildInput = {
  root: string;
  /** Output folder; downloaded Nodes are cached in `.cache` below it. */
  folder: string;
  platform: AgentPlatform;
  /** `executable`: also write the executable, into a folder named after the platform. */
  want: { executable: boolean; archive: boolean };
  quick: boolean;
  /** `percent` of the whole build. */
  onProgress: (step: Step, percent: number) => void;
};

const systems: Record<string, string> = { win: "win32" };
/** Only fetching (network) and compressing (CPU) take long. */
const percents = { fetch: 0, assemble: 40, compress: 55, done: 100 };

/**
 * Returns the paths of new files.
 * @throws BuildError, or the error of a child process
 */
export async function buildPlatform(input: BuildInput): Promise<string[]> {
  const { root, folder, platform, want, onProgress } = input;
  const base = basePackages[platform];
  const system = platform.split("-")[0] ?? "";
  const cache = join(folder, ".cache");
  const work = await mkdtemp(join(folder, ".work-"));
  try {
    onProgress("fetch", percents.fetch);
    const node = await fetchBase(root, cache, builderPackage(process.platform, process.arch, base.version));
    onProgress("fetch", percents.assemble / 2);
    const baseExecutable = await fetchBase(root, cache, base);
    onProgress("assemble", percents.assemble);
    const script = join(work, "agent.cjs");
    await bundleAgent(root, script, systems[system] ?? system);
    const executable = join(work, system === "win" ? "sonde-agent.exe" : "sonde-agent");
    await createExecutable({ node, base: baseExecutable, script, work, output: executable, system });
    return [
      ...(want.archive ? [await pack(input, work, executable)] : []),
      ...(want.executable ? [await moveTo(join(folder, platform), executable)] : []),
    ];
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function pack({ folder, platform, quick, onProgress }: BuildInput, work: string, executable: string) {
  const name = agentArchive(platform);
  const target = join(work, name);
  let reported = -1;
  const report = (fraction: number) => {
    const percent = Math.floor(percents.compress + fraction * (percents.done - 1 - percents.compress));
    if (percent > reported) onProgress("compress", (reported = percent));
  };
  report(0);
  await archive({ executable, target, work, quick, onProgress: report });
  await rename(target, join(folder, name));
  return join(folder, name);
}

async function moveTo(folder: string, executable: string): Promise<string> {
  const path = join(folder, executable.split(/[\\/]/).at(-1) ?? "");
  await mkdir(folder, { recursive: true });
  await rename(executable, path);
  return path;
}
