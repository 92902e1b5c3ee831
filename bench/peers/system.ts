import { setTimeout as sleep } from "node:timers/promises";
import { observe } from "../pipeline/observe.ts";
import { memoryOf, type Usage, usageOf } from "../pipeline/usage.ts";
import type { WholeSonde } from "@sonde/testing/whole";
import type { Arrivals } from "@sonde/testing/recording-target/target";

/** The checks that every system carries out: each monitor asks `/ok/<number>` of the target on loopback. */
export interface Load {
  port: number;
  count: number;
  intervalSeconds: number;
}

/** What a group of processes used while it was looked at. */
export interface Spent {
  cpuMs: number;
  /** Bytes handed to the disk; undefined where nothing of the group writes there. */
  writtenBytes?: number;
  /** The most memory of all together at one time: proportional set sizes, so that what they share counts once. */
  mostMemoryBytes: number;
}

/** What the target saw within some time, and what each column of a system used in that very time. */
export interface Observation {
  arrivals: Arrivals;
  passedMs: number;
  spent: ReadonlyMap<string, Spent>;
}

/** Returns and forgets what arrived at the target. */
export type Take = () => Promise<Arrivals>;

/** A system under load. */
export interface Running {
  observe(seconds: number, take: Take): Promise<Observation>;
  stop(): Promise<void>;
}

/** A system, and what is counted in each column of the table that it fills. */
export interface System {
  columns: Record<string, string>;
  start(load: Load): Promise<Running>;
}

const memoryEveryMs = 5000;

/** Observes processes by their ids, one column for all of them. */
export async function observeProcesses(
  column: { name: string; pids: readonly number[]; writes: boolean },
  seconds: number,
  take: Take,
): Promise<Observation> {
  const { name, pids, writes } = column;
  const look = async () => ({ usage: sumOf(await Promise.all(pids.map(usageOf))), arrivals: await take() });
  const { usage: before } = await look();
  const beganMs = performance.now();
  const memory = watchMemory(new Map([[name, pids]]));
  await sleep(seconds * 1000);
  const { usage: after, arrivals } = await look();
  const passedMs = performance.now() - beganMs;
  const spent = {
    cpuMs: after.cpuMs - before.cpuMs,
    writtenBytes: writes ? after.writtenBytes - before.writtenBytes : undefined,
    mostMemoryBytes: (await memory.end()).get(name) ?? 0,
  };
  return { arrivals, passedMs, spent: new Map([[name, spent]]) };
}

/** Observes a whole Sonde: a column for each group of its processes, by their names. */
export async function observeWhole(
  sonde: WholeSonde,
  groups: ReadonlyMap<string, readonly string[]>,
  seconds: number,
  take: Take,
): Promise<Observation> {
  const pids = sonde.pids();
  const pidsOf = (names: readonly string[]) => names.flatMap((name) => pids.get(name) ?? []);
  const memory = watchMemory(new Map([...groups].map(([column, names]) => [column, pidsOf(names)])));
  const { spent, counted: arrivals, passedMs } = await observe(sonde, seconds, take);
  const most = await memory.end();
  const spentBy = ([column, names]: readonly [string, readonly string[]]): [string, Spent] => {
    const sum = sumOf(names.flatMap((name) => spent.get(name) ?? []));
    return [column, { ...sum, mostMemoryBytes: most.get(column) ?? 0 }];
  };
  return { arrivals, passedMs, spent: new Map([...groups].map(spentBy)) };
}

function sumOf(usages: readonly Usage[]): Usage {
  return usages.reduce(
    (sum, { cpuMs, writtenBytes }) => ({
      cpuMs: sum.cpuMs + cpuMs,
      writtenBytes: sum.writtenBytes + writtenBytes,
    }),
    { cpuMs: 0, writtenBytes: 0 },
  );
}

/** Looks at the memory of groups of processes again and again until `end`, which returns the most of each. */
function watchMemory(groups: ReadonlyMap<string, readonly number[]>) {
  const most = new Map<string, number>();
  const ended = new AbortController();
  const look = async () => {
    for (const [name, pids] of groups) {
      const sizes = await Promise.all(pids.map(memoryOf));
      const sum = sizes.reduce((total, bytes) => total + bytes, 0);
      most.set(name, Math.max(most.get(name) ?? 0, sum));
    }
  };
  const watching = (async () => {
    while (!ended.signal.aborted) {
      await look();
      await sleep(memoryEveryMs, undefined, { signal: ended.signal }).catch(() => {});
    }
  })();
  return {
    async end(): Promise<ReadonlyMap<string, number>> {
      ended.abort();
      await watching;
      await look();
      return most;
    },
  };
}
