import type { Bucket } from "@sonde/proto/streams";
import { type Bus, publishFact } from "../bus/connect.ts";
import { systemClock, type TimerClock } from "../time/clock.ts";
import type { Log } from "../service/log.ts";
import { type BucketWriter, bucketWriter, type Projection } from "./outbox-buckets.ts";
import type { Database } from "./database.ts";
import { largestMessageBytes } from "../bus/pack.ts";
import { counter, gauge } from "../telemetry/metrics.ts";
import { startLoop } from "../time/loop.ts";

export type RelayOptions = {
  db: Database;
  bus: Bus;
  log: Log;
  projections: Partial<Record<Bucket, Projection>>;
  clock?: TimerClock;
};

type Writers = ReadonlyMap<Bucket, BucketWriter>;
type Row = { id: number; bucket: Bucket | null; key: string; subject: string; eventId: string; bytes: Buffer };

const tooLarge = counter("sonde_outbox_too_large_total", "Rows not sent because they exceed the maximum message size", [
  "subject",
]);
const unsent = gauge("sonde_outbox_unsent", "Unsent outbox rows in the current batch, at most 200", ["schema"]);
const sentTotal = counter("sonde_outbox_sent_total", "Outbox rows that NATS accepted", ["schema"]);
const failing = gauge("sonde_outbox_failing", "1 while outbox rows cannot be sent because NATS or PostgreSQL fails", [
  "schema",
]);
const batchRows = 200;
/** The poll covers rows committed by a process that died before sending them. */
const [retryMs, pollMs] = [1_000, 5_000];
const contendedMs = 20;
const keepEventsMs = 30 * 24 * 3_600_000;
const pruneEveryMs = 3_600_000;
const prunedRows = 1_000;

/**
 * One process at a time sends (an advisory lock). Selects unsent rows, not rows after some id, because a transaction
 * may commit late with a low id. Duplicates are harmless.
 */
export function startRelay({ db, bus, log, projections, clock = systemClock }: RelayOptions) {
  let stopped = false;
  let prunedAtMs = Number.NEGATIVE_INFINITY;
  const schema = String(db.client.config.searchPath ?? "");

  const given = Object.entries(projections) as [Bucket, Projection][];
  const writers: Writers = new Map(
    given.map(([bucket, projection]) => [bucket, bucketWriter(bus, bucket, projection)]),
  );

  const sendBatch = () =>
    db.transaction(async (trx) => {
      const lock = await trx.raw("select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as held", [
        `sonde relay ${schema}`,
      ]);
      if (lock.rows[0].held !== true) return "contended";
      const rows = await trx("outbox")
        .select<Row[]>("id", "bucket", "key", "subject", "event_id as eventId", "bytes")
        .orderBy("id")
        .limit(batchRows);
      unsent.set({ schema }, rows.length);
      if (rows.length === 0) return "empty";
      const errors: unknown[] = [];
      const sent = await Promise.all(
        sendingsOf(bus, rows, writers).map(({ ids, done }) =>
          done.then(
            () => ids,
            (error: unknown) => (errors.push(error), []),
          ),
        ),
      );
      sentTotal.inc({ schema }, await trx("outbox").whereIn("id", sent.flat()).delete());
      return errors.length > 0 ? { error: errors[0] } : "more";
    });

  /** Polling while idle takes no lock and no transaction. */
  const isEmpty = async (): Promise<boolean> => {
    const rows = await db("outbox").select("id").limit(1);
    if (rows.length === 0) unsent.set({ schema }, 0);
    return rows.length === 0;
  };

  const drain = async (): Promise<void> => {
    for (;;) {
      if (await isEmpty()) return;
      const outcome = await sendBatch();
      if (outcome === "empty") return;
      if (outcome === "contended") await sleep(contendedMs);
      if (typeof outcome === "object") throw outcome.error;
    }
  };

  const prune = async () => {
    if (clock.elapsedMs() - prunedAtMs < pruneEveryMs) return;
    for (let deleted = prunedRows; deleted === prunedRows && !stopped;) {
      const past = db("events")
        .where("at_ms", "<", clock.now() - keepEventsMs)
        .orderBy("at_ms")
        .limit(prunedRows)
        .select("id");
      deleted = await db("events").whereIn("id", past).delete();
    }
    prunedAtMs = clock.elapsedMs();
  };

  const run = async () => {
    try {
      await drain();
      await prune();
      failing.set({ schema }, 0);
    } catch (error) {
      failing.set({ schema }, 1);
      // Recreate missing buckets or streams; `reconcile` then fills them.
      if (bus.connected()) await bus.ensure().catch(() => {});
      throw error;
    }
  };
  const loop = startLoop({ work: "outbox relay", log, everyMs: pollMs, retryMs, clock, run });
  loop.nudge();

  const reconcile = async () => {
    for (const [bucket, writer] of writers) {
      const keys = await writer.missing();
      await db.batchInsert(
        "outbox",
        keys.map((key) => ({ bucket, key })),
      );
      if (keys.length > 0) log.info({ bucket, keys: keys.length }, "bucket repaired from PostgreSQL");
    }
  };
  const reconcileInBackground = () => {
    reconcile().then(
      () => loop.nudge(),
      (error: unknown) => log.warn({ err: error }, "comparing buckets with PostgreSQL failed"),
    );
  };
  const offReconnect = bus.onReconnect(reconcileInBackground);

  return {
    nudge: () => loop.nudge(),
    /** Rejects if the bus or the database is unavailable. */
    drained: drain,
    /** Enqueues keys that are missing or outdated in their bucket, after the bus lost data. */
    reconcile: async () => {
      await reconcile();
      loop.nudge();
    },
    stop: () => {
      stopped = true;
      offReconnect();
      return loop.stop();
    },
  };
}

export type Relay = ReturnType<typeof startRelay>;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

type Sending = { ids: number[]; done: Promise<unknown> };

/** One per event, in order, and one per key, however often it changed. */
function sendingsOf(bus: Bus, rows: readonly Row[], writers: Writers): Sending[] {
  const sendings: Sending[] = [];
  const byBucket = new Map<Bucket, Map<string, number[]>>();
  for (const { id, bucket, key, subject, eventId, bytes } of rows) {
    if (bucket === null && bytes.length > largestMessageBytes(bus.nc)) {
      sendings.push({ ids: [id], done: Promise.resolve(refuse(bus, subject, eventId, bytes.length)) });
      continue;
    }
    if (bucket === null) {
      sendings.push({ ids: [id], done: publishFact(bus, subject, bytes, { id: eventId }) });
      continue;
    }
    const keys = byBucket.get(bucket) ?? new Map<string, number[]>();
    byBucket.set(bucket, keys.set(key, [...(keys.get(key) ?? []), id]));
  }
  for (const [bucket, keys] of byBucket) {
    const puts = writers.get(bucket)?.put([...keys.keys()], (key, bytes) => refuse(bus, bucket, key, bytes));
    for (const [key, ids] of keys) {
      const done = puts?.get(key) ?? Promise.reject(new Error(`the bucket ${bucket} has no projection`));
      sendings.push({ ids, done });
    }
  }
  return sendings;
}

/** Retrying a row too large for any message would block all later ones. */
function refuse({ log }: Bus, subject: string, key: string, bytes: number): void {
  const [name = ""] = subject.split(".", 1);
  tooLarge.inc({ subject: name });
  log.error({ subject: name, key, bytes }, "too large for a NATS message; not sent");
}
