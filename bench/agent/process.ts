import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, readdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

export const run = promisify(execFile);

/** What a process used, by the kernel's word. */
export interface Usage {
  cpuMs: number;
  rssBytes: number;
  anonymousBytes: number;
  processes: number;
}

/** CPU time in all its threads (in nanoseconds each, where ticks would be coarser than what is measured). */
async function cpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map(async (thread) =>
      Number((await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8")).split(" ")[0]),
    ),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, "utf8").catch(() => "")),
  );
  return lists.flatMap((list) => list.trim().split(" ").filter(Boolean).map(Number));
}

export async function usageOf(pid: number): Promise<Usage> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]) * 1024;
  const processes = (await childrenOf(pid)).length;
  return { cpuMs: await cpuMs(pid), rssBytes: kib("VmRSS"), anonymousBytes: kib("RssAnon"), processes };
}

/** A process and all below it together; `processes` counts those below. What a process that ended used is left out. */
export async function treeUsageOf(pid: number): Promise<Usage> {
  const own = await usageOf(pid);
  const below = await Promise.all((await childrenOf(pid)).map(treeUsageOf));
  return below.reduce(
    (sum, usage) => ({
      cpuMs: sum.cpuMs + usage.cpuMs,
      rssBytes: sum.rssBytes + usage.rssBytes,
      anonymousBytes: sum.anonymousBytes + usage.anonymousBytes,
      processes: sum.processes + usage.processes,
    }),
    own,
  );
}

/** A TLS server in a process of its own; `counted` asks it what it has seen. */
export async function startServer(keyFile: string, certFile: string) {
  const script = new URL("./server.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [script, keyFile, certFile], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const next = async () => String((await once(lines, "line"))[0]);
  const port = Number(await next());
  return {
    url: `https://127.0.0.1:${port}`,
    async counted() {
      const answer = next();
      child.stdin.write("?\n");
      return JSON.parse(await answer) as { reports: number; bytes: number; connections: number };
    },
    stop: () => child.stdin.end(),
  };
}
