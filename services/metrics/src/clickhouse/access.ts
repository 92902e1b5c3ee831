import { type ClickHouseClient, ClickHouseError } from "@clickhouse/client";
import { toAppError, unavailable } from "@sonde/kit/errors";
import type { Log } from "@sonde/kit/service/log";
import { createLimiter, createQueue } from "@sonde/kit/concurrency/limiter";
import { migrate } from "./migrate.ts";
import type { ClickHouse } from "./open.ts";
import { applyRetention, type Retention } from "./retention.ts";

export type Access = {
  /**
   * Statements of one answer belong in one call: the embedded engine serves calls in turn, and an answer that waits for
   * several turns is too late where there are many.
   * @throws AppError `unavailable` while ClickHouse is unavailable or overloaded, `internal` for a fault of ours
   */
  read<Result>(query: (client: ClickHouseClient) => Promise<Result>): Promise<Result>;
  /** One writer at a time, in order: no insert is underway while rows are rolled up or deleted. */
  write<Result>(task: (client: ClickHouseClient) => Promise<Result>): Promise<Result>;
  /** Creates schema and retention; rejects while ClickHouse is unavailable. Writes do this first by themselves. */
  prepare(): Promise<void>;
  prepared(): boolean;
};

/** The server answered, but not for want of a sound statement: too much at once, or its tables are not there yet. */
const passing = new Set([
  "TIMEOUT_EXCEEDED",
  "MEMORY_LIMIT_EXCEEDED",
  "TOO_MANY_SIMULTANEOUS_QUERIES",
  "UNKNOWN_TABLE",
]);

/** Whether the statement is at fault, so that a retry is useless. */
const isOurs = (error: unknown) => error instanceof ClickHouseError && !passing.has(error.type ?? "");

/**
 * Half of what callers wait. With more requests than it can serve, a queue that holds them for as long as their callers
 * wait answers each of them too late, and none in time.
 */
const longestWaitMs = 2_500;

/** @param waitMs how long a read may wait for its turn */
export function createAccess(
  { reader, writer, ensureDatabase, readsAtOnce }: ClickHouse,
  retention: Retention,
  log: Log,
  waitMs = longestWaitMs,
): Access {
  const queue = createQueue();
  const reads = createLimiter<null>({ total: readsAtOnce, waiting: Infinity });
  let isPrepared = false;
  const prepare = async () => {
    if (isPrepared) return;
    await ensureDatabase();
    await migrate(writer, log);
    await applyRetention(writer, retention);
    isPrepared = true;
  };
  return {
    read: (query) =>
      reads
        .run(null, () => query(reader), AbortSignal.timeout(waitMs))
        .catch((error: unknown) => {
          throw isOurs(error) ? toAppError(error) : unavailable("metrics", error);
        }),
    write: (task) =>
      queue(async () => {
        await prepare();
        return task(writer);
      }),
    prepare: () => queue(prepare),
    prepared: () => isPrepared,
  };
}
