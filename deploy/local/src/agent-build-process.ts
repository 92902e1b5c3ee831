import type { BuildMessage } from "@sonde/agent/build/background";
import type { AgentPlatform } from "@sonde/proto/http/agents/install";
import { fork } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { cloneDir } from "./data-dir.ts";

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
/** What npm, tar and xz may know: where programs, homes, proxies and registries are. No secret of Sonde's is theirs. */
const known =
  /^(?:PATH|HOME|USER|TMPDIR|LANG|LC_\w+|NODE_\w+|npm_config_\w+|https?_proxy|no_proxy|all_proxy|XDG_\w+)$/i;

/** The environment of a build. If the home folder is read-only, npm's cache is beside the build and removed with it. */
export function buildEnvironment(from: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv {
  const environment = Object.fromEntries(Object.entries(from).filter(([name]) => known.test(name)));
  return mayWrite(from.HOME) ? environment : { npm_config_cache: join(folder, ".cache/npm"), ...environment };
}

function mayWrite(home: string | undefined): boolean {
  try {
    accessSync(home ?? "", constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Builds one platform's agent in a process of low priority, which also ends by itself when we exit. */
export const startAgentBuild: AgentBuildStart = ({ platform, folder, keyFile }, onMessage) => {
  const child = fork(
    join(cloneDir, "agent/build/build.ts"),
    ["--background", "--into", folder, "--key", keyFile, platform],
    {
      cwd: cloneDir,
      env: buildEnvironment(process.env, folder),
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
      // It has ended already.
    }
  };
  return { ended, kill };
};
