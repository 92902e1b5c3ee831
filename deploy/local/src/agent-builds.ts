import type { BuildMessage } from "@sonde/agent/build/background";
import { keepSigningKey, writePublicKey } from "@sonde/agent/build/sums";
import { sourcesHash } from "@sonde/agent/build/version";
import type { AgentBuild } from "@sonde/proto/http/agents/downloads";
import { type AgentPlatform, agentPlatforms, isArchiveReady, sumsFile } from "@sonde/proto/http/agents/install";
import { fork } from "node:child_process";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { cloneDir } from "./clone.ts";

export type AgentBuilds = Awaited<ReturnType<typeof openAgentBuilds>>;

const deadlineMs = 20 * 60_000;

/**
 * Opens the folder of agents that one `npm start` builds in the background, one at a time. The first start makes the key
 * that signs their sums.
 * @throws Error of the system if the data directory cannot be written
 */
export async function openAgentBuilds({
  dataDir,
  warn,
  own = `${process.platform}-${process.arch}`,
  build = startAgentBuild,
}: {
  dataDir: string;
  warn: (line: string) => void;
  /** This machine's platform. */
  own?: string;
  build?: AgentBuildStart;
}) {
  const home = join(dataDir, "agents");
  const keyFile = join(home, "signing-key.pem");
  const version = await sourcesHash(cloneDir);
  const folder = join(home, version);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writePublicKey(folder, await keepSigningKey(keyFile));
  await removeWork(folder);

  const states = new Map<AgentPlatform, AgentBuild>();
  let running: AgentBuildProcess | null = null;
  let queue = Promise.resolve();
  let stopped = false;

  const buildOne = async (platform: AgentPlatform) => {
    if (stopped) return;
    states.set(platform, { status: "building", step: "fetch", percent: 0 });
    running = build({ platform, folder, keyFile }, (message: BuildMessage) => states.set(platform, message));
    const deadline = setTimeout(() => running?.kill(), deadlineMs);
    const { code, said } = await running.ended;
    clearTimeout(deadline);
    running = null;
    if (stopped) return;
    if (code === 0) states.delete(platform);
    else {
      if (states.get(platform)?.status !== "failed") states.set(platform, { status: "failed", reason: "fault" });
      warn(`The agent for ${platform} could not be built: ${said || `its build ended with ${code}`}`);
    }
    await removeWork(folder).catch(() => {});
    if (code === 0) await removeOthers(home, version).catch(() => {});
  };
  const start = (platform: AgentPlatform) => {
    const status = states.get(platform)?.status;
    if (stopped || status === "waiting" || status === "building") return;
    states.set(platform, { status: "waiting" });
    queue = queue
      .then(() => buildOne(platform))
      .catch((fault: unknown) => {
        states.set(platform, { status: "failed", reason: "fault" });
        warn(`The agent for ${platform} could not be built: ${String(fault)}`);
      });
  };
  return {
    /** What `/downloads` shows: archives, sums, signatures and the public key. Other sources have another folder. */
    folder,
    /** Null if no build of the platform runs, waits or has failed. */
    state: (platform: AgentPlatform): AgentBuild | null => states.get(platform) ?? null,
    /** Builds a platform, unless its build runs or waits already. */
    start,
    /** Builds the agent for this machine's platform, unless it is built already. */
    async begin(): Promise<void> {
      const platform = agentPlatforms.find((each) => each === own);
      if (platform === undefined) return;
      if (await isBuilt(folder, platform).catch(() => false)) await removeOthers(home, version).catch(() => {});
      else start(platform);
    },
    async stop(): Promise<void> {
      stopped = true;
      running?.kill();
      await queue;
    },
  };
}

async function isBuilt(folder: string, platform: AgentPlatform): Promise<boolean> {
  const sums = await readFile(join(folder, sumsFile), "utf8").catch(() => "");
  return isArchiveReady(platform, sums, await readdir(folder));
}

/** Removes what a build fetched, and what a killed one left. */
async function removeWork(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(".")) await rm(join(folder, name), { recursive: true, force: true });
}

/** Removes agents of other sources. */
async function removeOthers(home: string, version: string): Promise<void> {
  for (const entry of await readdir(home, { withFileTypes: true }))
    if (entry.isDirectory() && entry.name !== version) await rm(join(home, entry.name), { recursive: true });
}

export type AgentBuildProcess = {
  /** Settles when it and its child processes have ended. `said`: its output about a fault. */
  ended: Promise<{ code: number | string; said: string }>;
  /** Ends it at once, with the programs that it started. */
  kill: () => void;
};

export type AgentBuildStart = (
  input: { platform: AgentPlatform; folder: string; keyFile: string },
  onMessage: (message: BuildMessage) => void,
) => AgentBuildProcess;

const keptCharacters = 500;
/** What npm, tar and xz need. They get none of Sonde's secrets. */
const known =
  /^(?:PATH|HOME|USER|TMPDIR|LANG|LC_\w+|NODE_\w+|npm_config_\w+|https?_proxy|no_proxy|all_proxy|XDG_\w+)$/i;

export const buildEnvironment = (from: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(from).filter(([name]) => known.test(name)));

/** Builds one platform's agent in a process of low priority, which ends by itself when this one exits. */
export const startAgentBuild: AgentBuildStart = ({ platform, folder, keyFile }, onMessage) => {
  const child = fork(
    join(cloneDir, "agent/build/build.ts"),
    ["--background", "--into", folder, "--key", keyFile, platform],
    {
      cwd: cloneDir,
      env: buildEnvironment(process.env),
      detached: true,
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    },
  );
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(0, keptCharacters);
  });
  child.on("message", (message: BuildMessage) => onMessage(message));
  const ended = new Promise<{ code: number | string; said: string }>((resolve) => {
    child.once("error", (fault) => resolve({ code: fault.message, said }));
    child.once("close", (code, signal) =>
      resolve({ code: code ?? signal ?? 1, said: said.trim().replaceAll(/\s+/g, " ") }),
    );
  });
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has just ended.
    }
  };
  return { ended, kill };
};
