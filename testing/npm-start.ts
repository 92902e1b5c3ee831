import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "@sonde/embedded/free-port";

/** An `npm start` that is ready. */
export type Started = {
  pid: number;
  /** Without a slash at its end. */
  url: string;
  /** From the call of npm until it said that it is ready. */
  readyMs: number;
  /** When it wrote each of its lines, in milliseconds from the call of npm. */
  lines: readonly { atMs: number; text: string }[];
  stop: () => Promise<void>;
};

/** A data directory that is not there yet, where PostgreSQL's user may get in when root runs this. */
export async function emptyDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-bench-start-"));
  await chmod(folder, 0o711);
  await mkdir(join(folder, "no-agents"));
  return join(folder, "data");
}

/**
 * Runs `npm start` in a clone and waits until Sonde is ready.
 * @param dataDir From `emptyDataDir`; the second start there is a warm one.
 * @throws Error with all that it wrote, where it ends before it is ready.
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
      // Its own work in the background, once: it is no part of being idle.
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

/** A person's shell knows the machine's own Node alone, not the pinned one nor the variables that `npm run` sets. */
function withoutOurNode(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_COMPILE_CACHE$|^INIT_CWD$/.test(name));
  const folders = (process.env.PATH ?? "").split(":").filter((folder) => !folder.includes("node_modules"));
  return { ...Object.fromEntries(own), PATH: folders.join(":") };
}
