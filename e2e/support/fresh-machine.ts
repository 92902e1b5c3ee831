import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killTree, treeOf } from "@sonde/testing/process-tree";
import { paste, type Session } from "./shell.ts";

/** This machine as it is before anybody installed anything of Sonde's. */
export type Machine = {
  /** `own`: files that are written exist in there alone. `shared`: the machine itself, in a home of its own. */
  kind: "own" | "shared";
  /** Pastes commands into a shell in the home folder. */
  start(text: string, path?: string): Session;
  /** The same, to the end. @throws Error with what was said where the last command fails */
  run(text: string, path?: string): Promise<string>;
  /** Ends what still runs in there, and leaves nothing. */
  remove(): Promise<void>;
};

const standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Everything that the guide's commands write lies in memory, visible to no other process, and without /run there is no way to
 * the service manager of this machine. Its first process lives as long as
 * its standard input is open, and the kernel ends the others with it: nothing stays, not even after kill -9 of a test.
 */
const makeOwn = `set -e
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

/**
 * A machine of its own where the kernel and our rights allow one.
 * @throws Error that says what was refused
 */
async function ownMachine(): Promise<Machine> {
  const stage = await mkdtemp(join(tmpdir(), "sonde-machine-"));
  const unshare = ["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"];
  const holder = spawn("unshare", [...unshare, "sh", "-c", makeOwn, "sh", stage], { stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<void>((resolve) => holder.once("close", () => resolve()));
  const remove = async () => {
    holder.stdin.end();
    await ended;
    await rm(stage, { recursive: true, force: true });
  };
  try {
    await new Promise<void>((resolve, reject) => {
      let said = "";
      for (const stream of [holder.stdout, holder.stderr]) {
        stream.setEncoding("utf8").on("data", (words: string) => {
          said += words;
          if (said.split("\n").includes("ready")) resolve();
        });
      }
      holder.once("error", reject);
      holder.once("close", () => reject(new Error(`There is no machine of its own: ${said.trim()}`)));
    });
  } catch (fault) {
    if (holder.pid !== undefined) await remove();
    else await rm(stage, { recursive: true, force: true });
    throw fault;
  }
  const [, first] = await treeOf(holder.pid ?? 0);
  const enter = ["nsenter", `--target=${first}`, "--mount", "--pid", "sh", "-c", "cd && exec sh"] as const;
  const start = (text: string, path = standardPath) => paste(enter, text, { env: { PATH: path, HOME: "/root" } });
  return { kind: "own", start, run: runner(start), remove };
}

/** The same commands on the machine itself: its agent's folder is named, so that another agent's is never touched. */
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

/** The freshest machine that can be had here; what stood in the way of a fresher one is said. */
export async function freshMachine(): Promise<Machine> {
  try {
    return await ownMachine();
  } catch (fault) {
    console.warn(`${String(fault)}\nCommands run on this machine itself, with a folder of their own.`);
    return await sharedMachine();
  }
}

function runner(start: Machine["start"]): Machine["run"] {
  return async (text, path) => {
    const session = start(text, path);
    const code = await session.ended;
    if (code !== 0) throw new Error(`The commands ended with ${code}: ${session.output()}`);
    return session.output();
  };
}
