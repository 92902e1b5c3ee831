import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { engineDir } from "@sonde/metrics/clickhouse/embedded";
import { watchWrites } from "./postgres.ts";
import { sizeOf, type Usage, usageOf } from "./usage.ts";
import type { WholeSonde } from "@sonde/testing/whole";

/** Processes that keep something on a disk. */
export const stores = ["nats", "postgres", "metrics"] as const;
export type Store = (typeof stores)[number];

export interface Observed<Count = unknown> {
  /** What was counted meanwhile. */
  counted: Count;
  /** How long it was looked at in fact. */
  passedMs: number;
  /** By process. */
  spent: Map<string, Usage>;
  /** By how much each store's folder grew. */
  grownBytes: Map<Store, number>;
}

/**
 * What each process uses within some seconds. PostgreSQL makes a checkpoint at both ends, so that its pages are
 * counted whole: once in its log, since a checkpoint came before, and once in their tables. `take` is called at both ends too.
 */
export async function observe<Count>(
  { dataDir, databaseUrl, pids }: WholeSonde,
  seconds: number,
  take: () => Promise<Count>,
): Promise<Observed<Count>> {
  const folders = { nats: join(dataDir, "nats"), postgres: join(dataDir, "postgres"), metrics: engineDir(dataDir) };
  const sizes = () => Promise.all(stores.map((store) => sizeOf(folders[store])));
  const usages = async () => {
    const found = await Promise.all([...pids()].map(async ([name, pid]) => [name, await usageOf(pid)] as const));
    return new Map<string, Usage>(found);
  };
  const postgres = await watchWrites(databaseUrl);
  const [sizesBefore, writtenBefore] = [await sizes(), await postgres.checkpoint()];
  const [before] = await Promise.all([usages(), take()]);
  const beganMs = performance.now();
  await sleep(seconds * 1000);
  const writtenAfter = await postgres.checkpoint();
  const [after, counted] = await Promise.all([usages(), take()]);
  const passedMs = performance.now() - beganMs;
  const sizesAfter = await sizes();
  await postgres.close();
  const spent = new Map<string, Usage>();
  for (const [name, { cpuMs, writtenBytes }] of after) {
    const then = before.get(name) ?? { cpuMs: 0, writtenBytes: 0 };
    const written = name === "postgres" ? writtenAfter - writtenBefore : writtenBytes - then.writtenBytes;
    spent.set(name, { cpuMs: cpuMs - then.cpuMs, writtenBytes: written });
  }
  return {
    counted,
    passedMs,
    spent,
    grownBytes: new Map(stores.map((store, index) => [store, sizesAfter[index]! - sizesBefore[index]!])),
  };
}
