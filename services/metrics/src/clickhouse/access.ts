import { type ClickHouseClient, ClickHouseError } from "@clickhouse/client";
import { toAppError, unavailable } from "@sonde/kit/errors";
import type { Log } from "@sonde/kit/service/log";
import { gauge } from "@sonde/kit/telemetry/metrics";
import { createLimiter, createQueue } from "@sonde/kit/concurrency/limiter";
import { migrate } from "./migrate.ts";
import type { ClickHouse } from "./open.ts";
import { hasTwoReplicas, catchUp, lacksReplica } from "./replicas.ts";
import { applyRetention, type Retention } from "./retention.ts";

export type Access = {
  /**
   * Runs a read. Put all statements of one response into one call: the embedded engine serves calls one by one, and a
   * response that waits for several turns would be too late under load.
   * @throws AppError `unavailable` while ClickHouse is unavailable or overloaded, `internal` for invalid statements
   */
  read<Result>(query: (client: ClickHouseClient) => Promise<Result>): Promise<Result>;
  /** Runs writes one at a time, in order: no insert runs during rollups or deletions. */
  write<Result>(task: (client: ClickHouseClient) => Promise<Result>): Promise<Result>;
  /**
   * With replicas, waits until the connected server has all rows of these tables. Required before computing something
   * from them that is then recorded as done. Call within `write`. @throws if the rows cannot be fetched
   */
  catchUp(client: ClickHouseClient, ...tables: string[]): Promise<void>;
  /** Creates schema and retention; rejects while ClickHouse is unavailable. Writes do this automatically. */
  prepare(): Promise<void>;
  prepared(): boolean;
};

/** Transient server errors: overload, or tables that do not exist yet. */
const transientErrors = new Set([
  "TIMEOUT_EXCEEDED",
  "MEMORY_LIMIT_EXCEEDED",
  "TOO_MANY_SIMULTANEOUS_QUERIES",
  "UNKNOWN_TABLE",
]);

const isInvalidStatement = (error: unknown) =>
  error instanceof ClickHouseError && !transientErrors.has(error.type ?? "");
const copies = gauge(
  "sonde_metrics_history_copies",
  "ClickHouse servers that must have a row before it counts as stored",
);
/** Time between attempts to store on two servers again: each failed attempt takes seconds. */
const retryTwoAfterMs = 30_000;

/** Half of the callers' timeout: under overload, waiting longer would make every response late. */
const maxWaitMs = 2_500;

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
  // Tasks may be retried as a whole, since duplicate rows are merged.
  let aloneUntil = Number.NEGATIVE_INFINITY;
  copies.set(loneWriter === undefined ? 1 : 2);
  const onTwoServers = async <Result>(task: (client: ClickHouseClient) => Promise<Result>): Promise<Result> => {
    if (loneWriter === undefined) return task(writer);
    const wasAlone = aloneUntil > 0;
    const nowMs = performance.now();
    if (wasAlone && (nowMs < aloneUntil || !(await hasTwoReplicas(loneWriter)))) {
      if (nowMs >= aloneUntil) aloneUntil = nowMs + retryTwoAfterMs;
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
      if (!wasAlone) log.warn({ err: error }, "history has only one copy: a ClickHouse server is offline or lagging");
      copies.set(1);
      aloneUntil = performance.now() + retryTwoAfterMs;
      return task(loneWriter);
    }
  };
  const ask = async <Result>(query: (client: ClickHouseClient) => Promise<Result>): Promise<Result> => {
    try {
      return await query(reader);
    } catch (error) {
      // The connection's server went away; a new connection may reach another one.
      if (loneWriter === undefined || error instanceof ClickHouseError) throw error;
      return query(reader);
    }
  };
  return {
    read: (query) =>
      reads
        .run(null, () => ask(query), AbortSignal.timeout(waitMs))
        .catch((error: unknown) => {
          throw isInvalidStatement(error) ? toAppError(error) : unavailable("metrics", error);
        }),
    write: (task) =>
      queue(async () => {
        if (!isPrepared) await onTwoServers(prepare);
        return onTwoServers(task);
      }),
    catchUp: async (client, ...tables) => {
      if (loneWriter !== undefined) for (const table of tables) await catchUp(client, table);
    },
    prepare: () => queue(async () => (isPrepared ? undefined : onTwoServers(prepare))),
    prepared: () => isPrepared,
  };
}
