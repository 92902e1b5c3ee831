import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killTree, treeOf } from "@sonde/testing/process-tree";
import { paste, type Session } from "./shell.ts";

/** A machine on which nothing of Sonde is installed. */
export type Machine = {
  /** `own`: written files exist only in private mounts. `shared`: this machine, with a separate home folder. */
  kind: "own" | "shared";
  start(text: string, path?: string): Session;
  /** Like `start`, but waits for the end. @throws Error with the output if the last command fails */
  run(text: string, path?: string): Promise<string>;
  remove(): Promise<void>;
};

const standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Everything that the commands write is in memory and invisible to other processes. Without /run they cannot reach this
 * machine's service manager. The first process lives while its standard input is open, and the kernel ends the others
 * with it, even after kill -9 of the test.
 */
const isolateScript = `set -e
exec 2>&1
mount -t tmpfs -o size=1g,mode=0755 tmpfs "$1"
for folder in /etc /usr/local; do
  mkdir -p "$1$folder/upper" "$1$folder/work"
  mount -t overlay -o "lowerdir=$folder,upperdir=$1$folder/upper,workdir=$1$folder/work" overlay "$folder"
done
mount -t tmpfs -o mode=0755 tmpfs /var/lib
mount -t tmpfs -o size=1g,mode=0700 tmpfs /root
mount -t tmpfs -o mode=0755 tmpfs /run
mount -t proc proc /proc
echo ready
exec cat`;

/** @throws Error with the reason if the kernel or our privileges do not allow isolation */
async function isolatedMachine(): Promise<Machine> {
  const stage = await mkdtemp(join(tmpdir(), "sonde-machine-"));
  const unshare = ["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"];
  const holder = spawn("unshare", [...unshare, "sh", "-c", isolateScript, "sh", stage], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => holder.once("close", () => resolve()));
  const remove = async () => {
    holder.stdin.end();
    await ended;
    await rm(stage, { recursive: true, force: true });
  };
  try {
    await new Promise<void>((resolve, reject) => {
      let output = "";
      for (const stream of [holder.stdout, holder.stderr]) {
        stream.setEncoding("utf8").on("data", (chunk: string) => {
          output += chunk;
          if (output.split("\n").includes("ready")) resolve();
        });
      }
      holder.once("error", reject);
      holder.once("close", () => reject(new Error(`The machine cannot be isolated: ${output.trim()}`)));
    });
  } catch (error) {
    if (holder.pid !== undefined) await remove();
    else await rm(stage, { recursive: true, force: true });
    throw error;
  }
  const [, first] = await treeOf(holder.pid ?? 0);
  const enter = ["nsenter", `--target=${first}`, "--mount", "--pid", "sh", "-c", "cd && exec sh"] as const;
  const start = (text: string, path = standardPath) => paste(enter, text, { env: { PATH: path, HOME: "/root" } });
  return { kind: "own", start, run: runner(start), remove };
}

/** Runs commands on this machine. The agent's folder is set explicitly, so another agent's is never touched. */
export async function sharedMachine(): Promise<Machine> {
  const home = await mkdtemp(join(tmpdir(), "sonde-home-"));
  const sessions: Session[] = [];
  const start = (text: string, path = standardPath) => {
    const env = { PATH: path, HOME: home, SONDE_AGENT_DIR: join(home, "sonde-agent-data") };
    const session = paste(["sh"], text, { cwd: home, env });
    sessions.push(session);
    return session;
  };
  const remove = async () => {
    for (const { process, ended } of sessions) {
      if (process.pid !== undefined && process.exitCode === null) await killTree(process.pid);
      await ended;
    }
    await rm(home, { recursive: true, force: true });
  };
  return { kind: "shared", start, run: runner(start), remove };
}

/** Returns an isolated machine if possible, otherwise this one, with a warning. */
export async function freshMachine(): Promise<Machine> {
  try {
    return await isolatedMachine();
  } catch (error) {
    console.warn(`${String(error)}\nCommands run on this machine itself, in a separate folder.`);
    return await sharedMachine();
  }
}

function runner(start: Machine["start"]): Machine["run"] {
  return async (text, path) => {
    const session = start(text, path);
    const code = await session.ended;
    if (code !== 0) throw new Error(`The commands exited with ${code}: ${session.output()}`);
    return session.output();
  };
}
