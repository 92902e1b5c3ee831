import { setTimeout as sleep } from "node:timers/promises";
import { watchWrites } from "./postgres.ts";
import { type Usage, usageOf } from "./usage.ts";
import type { WholeSonde } from "@sonde/testing/whole";

/** Processes that store data on disk. */
export const stores = ["nats", "postgres", "metrics"] as const;

export interface Observed<Count = unknown> {
  /** The caller's count during the window. */
  counted: Count;
  /** Usage by process. */
  spent: Map<string, Usage>;
}

/**
 * Measures the usage of each process during some seconds. PostgreSQL makes a checkpoint at both ends, so that its pages
 * are counted completely, in the log and in the tables. `take` is also called at both ends.
 */
export async function observe<Count>(
  { databaseUrl, pids }: WholeSonde,
  seconds: number,
  take: () => Promise<Count>,
): Promise<Observed<Count>> {
  const usages = async () => {
    const found = await Promise.all([...pids()].map(async ([name, pid]) => [name, await usageOf(pid)] as const));
    return new Map<string, Usage>(found);
  };
  const postgres = await watchWrites(databaseUrl);
  const writtenBefore = await postgres.checkpoint();
  const [before] = await Promise.all([usages(), take()]);
  await sleep(seconds * 1000);
  const writtenAfter = await postgres.checkpoint();
  const [after, counted] = await Promise.all([usages(), take()]);
  await postgres.close();
  const spent = new Map<string, Usage>();
  for (const [name, { cpuMs, writtenBytes }] of after) {
    const then = before.get(name) ?? { cpuMs: 0, writtenBytes: 0 };
    const written = name === "postgres" ? writtenAfter - writtenBefore : writtenBytes - then.writtenBytes;
    spent.set(name, { cpuMs: cpuMs - then.cpuMs, writtenBytes: written });
  }
  return { counted, spent };
}
