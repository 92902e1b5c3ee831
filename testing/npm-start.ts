import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "@sonde/embedded/free-port";

/** A running `npm start` that is ready. */
export type Started = {
  pid: number;
  /** No trailing slash. */
  url: string;
  /** Milliseconds from the npm call until it reported that it is ready. */
  readyMs: number;
  /** Output lines, with milliseconds since the npm call. */
  lines: readonly { atMs: number; text: string }[];
  stop: () => Promise<void>;
};

/** Path for a new data directory. If tests run as root, PostgreSQL's user can enter it. */
export async function emptyDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-bench-start-"));
  await chmod(folder, 0o711);
  await mkdir(join(folder, "no-agents"));
  return join(folder, "data");
}

/**
 * Runs `npm start` in a clone and waits until Sonde is ready.
 * @param dataDir from `emptyDataDir`. The second start in it is a warm start.
 * @throws Error with the complete output if it exits before it is ready
 */
export async function npmStart(clone: string, dataDir: string, environment: NodeJS.ProcessEnv = {}): Promise<Started> {
  const port = await freePort();
  const beganMs = performance.now();
  const child: ChildProcess = spawn("npm", ["start"], {
    cwd: clone,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...withoutOurNode(),
      SONDE_DATA_DIR: dataDir,
      PORT: String(port),
      // Builds no agents in the background: that is not part of being idle.
      AGENT_DOWNLOAD_DIR: join(dataDir, "../no-agents"),
      ...environment,
    },
  });
  const lines: { atMs: number; text: string }[] = [];
  const exited = once(child, "exit");
  const ready = Promise.withResolvers<void>();
  createInterface({ input: child.stdout! }).on("line", (text) => {
    lines.push({ atMs: performance.now() - beganMs, text });
    if (text.startsWith("Sonde is ready")) ready.resolve();
  });
  const ended = exited.then(() => {
    throw new Error(`npm start ended before it was ready:\n${lines.map(({ text }) => text).join("\n")}`);
  });
  await Promise.race([ready.promise, ended]);
  ended.catch(() => {});
  return {
    pid: child.pid!,
    url: /http:\/\/\S+/.exec(lines.at(-1)?.text ?? "")?.[0].replace(/\/$/, "") ?? "",
    readyMs: performance.now() - beganMs,
    lines,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** A user's shell has the machine's own Node, without the pinned one and the variables of `npm run`. */
function withoutOurNode(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_COMPILE_CACHE$|^INIT_CWD$/.test(name));
  const folders = (process.env.PATH ?? "").split(":").filter((folder) => !folder.includes("node_modules"));
  return { ...Object.fromEntries(own), PATH: folders.join(":") };
}
