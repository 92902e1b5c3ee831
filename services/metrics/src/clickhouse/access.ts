import { type ClickHouseClient, ClickHouseError } from "@clickhouse/client";
import { toAppError, unavailable } from "@sonde/kit/errors";
import type { Log } from "@sonde/kit/service/log";
import { gauge } from "@sonde/kit/telemetry/metrics";
import { createLimiter, createQueue } from "@sonde/kit/concurrency/limiter";
import { migrate } from "./migrate.ts";
import type { ClickHouse } from "./open.ts";
import { areTwo, catchUp, lacksReplica } from "./replicas.ts";
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
  /**
   * What is computed from these tables and then counts as computed waits for this: with replicas, until the server that
   * answers has all of their rows. For use within `write`. @throws while it cannot have them
   */
  catchUp(client: ClickHouseClient, ...tables: string[]): Promise<void>;
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
const copies = gauge(
  "sonde_metrics_history_copies",
  "ClickHouse servers that must have a row before it counts as stored",
);
/** After a row that could be stored on one server alone this long passes before two are asked for again: to wait for the second takes seconds each time. */
const aloneMs = 30_000;

/**
 * Half of what callers wait. With more requests than it can serve, a queue that holds them for as long as their callers
 * wait answers each of them too late, and none in time.
 */
const maxWaitMs = 2_500;

/** @param waitMs how long a read may wait for its turn */
export function createAccess(
  { reader, writer, loneWriter, ensureDatabase, readsAtOnce }: ClickHouse,
  retention: Retention,
  log: Log,
  waitMs = maxWaitMs,
): Access {
  const queue = createQueue();
  const reads = createLimiter<null>({ total: readsAtOnce, waiting: Infinity });
  let isPrepared = false;
  const prepare = async (client: ClickHouseClient) => {
    await ensureDatabase();
    await migrate(client, log);
    await applyRetention(client, retention);
    isPrepared = true;
  };
  // Of a cluster. Tasks may be repeated as a whole, since what is written twice counts once.
  let aloneUntil = Number.NEGATIVE_INFINITY;
  copies.set(loneWriter === undefined ? 1 : 2);
  const inTwoPlaces = async <Result>(task: (client: ClickHouseClient) => Promise<Result>): Promise<Result> => {
    if (loneWriter === undefined) return task(writer);
    const wasAlone = aloneUntil > 0;
    const nowMs = performance.now();
    if (wasAlone && (nowMs < aloneUntil || !(await areTwo(loneWriter)))) {
      if (nowMs >= aloneUntil) aloneUntil = nowMs + aloneMs;
      return task(loneWriter);
    }
    try {
      const result = await task(writer);
      aloneUntil = Number.NEGATIVE_INFINITY;
      if (wasAlone) log.info("history is on two servers again");
      copies.set(2);
      return result;
    } catch (error) {
      if (!lacksReplica(error)) throw error;
      if (!wasAlone) log.warn({ err: error }, "history has one copy for now: a ClickHouse server is away or behind");
      copies.set(1);
      aloneUntil = performance.now() + aloneMs;
      return task(loneWriter);
    }
  };
  const ask = async <Result>(query: (client: ClickHouseClient) => Promise<Result>): Promise<Result> => {
    try {
      return await query(reader);
    } catch (error) {
      // The connection's server went away: the next one leads to another.
      if (loneWriter === undefined || error instanceof ClickHouseError) throw error;
      return query(reader);
    }
  };
  return {
    read: (query) =>
      reads
        .run(null, () => ask(query), AbortSignal.timeout(waitMs))
        .catch((error: unknown) => {
          throw isOurs(error) ? toAppError(error) : unavailable("metrics", error);
        }),
    write: (task) =>
      queue(async () => {
        if (!isPrepared) await inTwoPlaces(prepare);
        return inTwoPlaces(task);
      }),
    catchUp: async (client, ...tables) => {
      if (loneWriter !== undefined) for (const table of tables) await catchUp(client, table);
    },
    prepare: () => queue(async () => (isPrepared ? undefined : inTwoPlaces(prepare))),
    prepared: () => isPrepared,
  };
}
