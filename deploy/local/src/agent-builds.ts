import type { BuildMessage } from "@sonde/agent/build/background";
import { ensureSigningKey, writePublicKey } from "@sonde/agent/build/sums";
import { sourcesHash } from "@sonde/agent/build/version";
import type { AgentBuild } from "@sonde/proto/http/agents/downloads";
import { type AgentPlatform, agentPlatforms, isArchiveReady, sumsFile } from "@sonde/proto/http/agents/install";
import { fork } from "node:child_process";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { cloneDir } from "./clone.ts";

export type AgentBuilds = Awaited<ReturnType<typeof openAgentBuilds>>;

const deadlineMs = 20 * 60_000;

/** Builds one agent at a time. @throws Error if the data directory cannot be written */
export async function openAgentBuilds({
  dataDir,
  warn,
  own = `${process.platform}-${process.arch}`,
  build = startAgentBuild,
}: {
  dataDir: string;
  warn: (line: string) => void;
  own?: string;
  build?: AgentBuildStart;
}) {
  const home = join(dataDir, "agents");
  const keyFile = join(home, "signing-key.pem");
  const version = await sourcesHash(cloneDir);
  const folder = join(home, version);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writePublicKey(folder, await ensureSigningKey(keyFile));
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
    const { code, output } = await running.ended;
    clearTimeout(deadline);
    running = null;
    if (stopped) return;
    if (code === 0) states.delete(platform);
    else {
      if (states.get(platform)?.status !== "failed") states.set(platform, { status: "failed", reason: "fault" });
      warn(`The agent for ${platform} could not be built: ${output || `its build ended with ${code}`}`);
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
    /** Served at `/downloads`: archives, sums, signatures and the public key. Each version of the sources has a folder. */
    folder,
    /** `null` if no build is running, waiting or failed. */
    state: (platform: AgentPlatform): AgentBuild | null => states.get(platform) ?? null,
    start,
    /** Builds the agent for this machine's platform, unless that is done. */
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

async function removeWork(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(".")) await rm(join(folder, name), { recursive: true, force: true });
}

async function removeOthers(home: string, version: string): Promise<void> {
  for (const entry of await readdir(home, { withFileTypes: true }))
    if (entry.isDirectory() && entry.name !== version) await rm(join(home, entry.name), { recursive: true });
}

export type AgentBuildProcess = {
  /** Resolves when it and its child processes have ended. `output` is the start of stderr. */
  ended: Promise<{ code: number | string; output: string }>;
  kill: () => void;
};

export type AgentBuildStart = (
  input: { platform: AgentPlatform; folder: string; keyFile: string },
  onMessage: (message: BuildMessage) => void,
) => AgentBuildProcess;

const maxOutputCharacters = 500;
/** Variables that npm, tar and xz need. They must not get Sonde's secrets. */
const allowedVariables =
  /^(?:PATH|HOME|USER|TMPDIR|LANG|LC_\w+|NODE_\w+|npm_config_\w+|https?_proxy|no_proxy|all_proxy|XDG_\w+)$/i;

export const buildEnvironment = (from: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(from).filter(([name]) => allowedVariables.test(name)));

/** Builds an agent in a process of low priority, which ends when this process exits. */
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
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(0, maxOutputCharacters);
  });
  child.on("message", (message: BuildMessage) => onMessage(message));
  const ended = new Promise<{ code: number | string; output: string }>((resolve) => {
    child.once("error", (fault) => resolve({ code: fault.message, output }));
    child.once("close", (code, signal) =>
      resolve({ code: code ?? signal ?? 1, output: output.trim().replaceAll(/\s+/g, " ") }),
    );
  });
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // Already ended.
    }
  };
  return { ended, kill };
};
