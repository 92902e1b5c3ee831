import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { makeMemoryGroup } from "@sonde/testing/memory-group";
import { startProduct } from "@sonde/testing/product";
import { startTarget } from "@sonde/testing/target";
import { type Process, processesOf } from "@sonde/testing/processes";

const patienceMs = 300_000;

/** A Sonde whose monitors are all up. */
export type Watching = {
  url: string;
  api: Api;
  token: string;
  /** Requests that reached the target. */
  checks(): number;
  processes(): Promise<Process[]>;
  /** Processes that the kernel killed when out of memory. */
  kills(): Promise<number>;
  output(): string;
  stop(): Promise<void>;
};

/** The second `npm start` of a data directory, in a cgroup of `mib`, with HTTP monitors of one target on loopback. */
export async function watch(mib: number, monitors: number, intervalSeconds: number): Promise<Watching> {
  const group = await makeMemoryGroup(`sonde-bench-${process.pid}-${monitors}`);
  if (group === null) throw new Error("This machine lets us make no cgroup that bounds memory.");
  const target = await startTarget();
  // Library pages that another process has read would be charged to that process, not to the cgroup.
  await writeFile("/proc/sys/vm/drop_caches", "3");
  // The first start needs more memory: it compiles all modules and creates the databases.
  await group.limit(Math.max(768, mib));
  const product = await startProduct({ MONITOR_MIN_INTERVAL_SECONDS: "5" }, group.enter);
  const stop = async () => {
    await product.remove();
    await target.stop();
    await group.remove();
  };
  try {
    const { api, token } = await firstAdmin(product.url);
    await product.stop();
    await group.limit(mib);
    await product.start();
    await addMonitors(api, target.url, monitors, intervalSeconds);
    return {
      url: product.url,
      api,
      token,
      checks: () => target.hits(),
      processes: async () => processesOf((await readFile(group.enter, "utf8")).trim().split("\n").map(Number)),
      kills: () => group.kills(),
      output: () => product.output(),
      stop,
    };
  } catch (error) {
    const kills = await group.kills();
    await stop();
    throw new Error(`${kills} kills for want of memory; npm start printed:\n${product.output()}`, { cause: error });
  }
}

async function addMonitors(api: Api, url: string, count: number, intervalSeconds: number): Promise<void> {
  for (let from = 0; from < count; from += 20) {
    const next = Array.from({ length: Math.min(20, count - from) }, (_, at) => from + at);
    const add = (n: number) =>
      api.send("POST", "/api/monitors", { name: `Monitor ${n}`, url: `${url}?${n}`, interval: intervalSeconds / 60 });
    await Promise.all(next.map(add));
  }
  const up = async () => (await api.get<{ monitors: { up: number } }>("/api/dashboard")).monitors.up;
  const endMs = Date.now() + patienceMs;
  while ((await up()) < count) {
    if (Date.now() > endMs) throw new Error(`${await up()} of ${count} monitors are up after five minutes`);
    await sleep(1000);
  }
}
