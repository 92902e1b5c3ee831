import { setTimeout as sleep } from "node:timers/promises";
import { processesBelow } from "@sonde/testing/processes";
import { usageOf } from "../pipeline/usage.ts";
import type { Arrivals } from "@sonde/testing/recording-target/target";

/** Checks for every system: each monitor requests `/ok/<number>` of the target on loopback. */
export interface Load {
  port: number;
  count: number;
  intervalSeconds: number;
}

/** CPU and memory use of a system, and the requests that reached the target. */
export interface Observation {
  arrivals: Arrivals;
  passedMs: number;
  cpuMs: number;
  writtenBytes: number;
  /** Maximum of the summed proportional set sizes, which count shared pages once. */
  maxPssMib: number;
  /** Maximum of the summed anonymous memory. */
  maxAnonymousMib: number;
}

/** A system under load. `pids` are its top-level processes. */
export interface Running {
  pids: readonly number[];
  stop(): Promise<void>;
}

export interface System {
  name: string;
  /** Description of the processes that count. */
  counts: string;
  start(load: Load): Promise<Running>;
}

const memoryEveryMs = 5000;

/** Observes processes and their descendants. `take` returns and resets the arrivals at the target. */
export async function observe(
  pids: readonly number[],
  seconds: number,
  take: () => Promise<Arrivals>,
): Promise<Observation> {
  const usage = async () => {
    const all = await Promise.all(pids.map(usageOf));
    return { cpuMs: sum(all.map(({ cpuMs }) => cpuMs)), writtenBytes: sum(all.map((each) => each.writtenBytes)) };
  };
  const before = await usage();
  await take();
  const beganMs = performance.now();
  const leftMs = () => beganMs + seconds * 1000 - performance.now();
  let [maxPssMib, maxAnonymousMib] = [0, 0];
  while (leftMs() > 0) {
    const processes = (await Promise.all(pids.map(processesBelow))).flat();
    maxPssMib = Math.max(maxPssMib, sum(processes.map(({ pssMib }) => pssMib)));
    maxAnonymousMib = Math.max(maxAnonymousMib, sum(processes.map(({ anonymousMib }) => anonymousMib)));
    await sleep(Math.max(0, Math.min(memoryEveryMs, leftMs())));
  }
  const after = await usage();
  return {
    arrivals: await take(),
    passedMs: performance.now() - beganMs,
    cpuMs: after.cpuMs - before.cpuMs,
    writtenBytes: after.writtenBytes - before.writtenBytes,
    maxPssMib,
    maxAnonymousMib,
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
