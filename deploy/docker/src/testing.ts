import { type ChildProcess, spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";

export type Running = {
  commandLine(): Promise<string[]>;
  /** Resolves with the name that it reports when ready; rejects with its output if it exits before. */
  ready: Promise<string>;
  stop(): Promise<number | null>;
};

/** Starts a bundle as its image would, with only these variables. */
export function run(folder: string, environment: Record<string, string>): Running {
  const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const child: ChildProcess = spawn(join(folder, "run"), {
    cwd: folder,
    env: { PATH: path, NODE_ENV: "production", LOG_LEVEL: "error", ...environment },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const written = Promise.all([child.stdout, child.stderr].map(async (stream) => (stream ? text(stream) : "")));
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const ready = new Promise<string>((resolve, reject) => {
    child.on("message", (message: { ready?: string }) => message.ready && resolve(message.ready));
    exited.then(async (code) => reject(new Error(`it ended with ${code}: ${(await written).join("")}`))).catch(reject);
  });
  ready.catch(() => {}); // Not every test waits for it.
  return {
    commandLine: async () => (await readFile(`/proc/${child.pid}/cmdline`, "utf8")).split("\0"),
    ready,
    stop() {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

/** Starts each thread of a bundle, waits for its first message, and returns the names. */
export async function startThreads(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith("-thread.js"));
  for (const name of names) {
    const worker = new Worker(join(folder, name));
    await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    await worker.terminate();
  }
  return names;
}
