import { fromBinary } from "@bufbuild/protobuf";
import type { Client } from "@sonde/kit/bus/rpc";
import type { Service } from "@sonde/kit/service/lifecycle";
import { reportWait } from "@sonde/kit/service/waiting";
import { startLoop } from "@sonde/kit/time/loop";
import { EventSchema } from "@sonde/proto/gen/events/v1/events";
import type { incidentsContract } from "@sonde/proto/rpc/incidents";
import type { IncidentProducer } from "@sonde/proto/http/incidents/incidents";
import { type EventContext, handleEvents } from "./handle.ts";
import type { Database } from "@sonde/kit/postgres/database";

type EventSource = Pick<Client<typeof incidentsContract>, "listEvents">;

const everyMs = 60_000;
const retryMs = 2_000;
const pageEvents = 200;
/** How long services that start together wait for each other without logging. */
const quietMs = 15_000;

type Reconciliation = Service & {
  /** Settles once a whole round was made, or none will be. */
  first: Promise<void>;
  /** Compares now, or once more behind the comparison that is under way. */
  soon(): void;
};

/**
 * Compares the incidents known here with the events of a producer: now, each minute, and on request. A round that fails
 * starts again after two seconds from where the last complete one started, so that nothing between them is lost.
 */
export function startReconciliation(
  deps: EventContext,
  producer: IncidentProducer,
  asked: EventSource,
): Reconciliation {
  const { clock, log } = deps;
  const wait = reportWait(log, `the events of ${producer}`);
  let stopped = false;
  let failsSinceMs: number | null = null;
  const { promise: first, resolve: wasRead } = Promise.withResolvers<void>();

  const run = async () => {
    try {
      const missed = await reconcile(deps, producer, asked, () => stopped);
      wait.over();
      wasRead();
      failsSinceMs = null;
      if (missed > 0) log.info({ producer, events: missed }, "events were taken in that the stream did not bring");
    } catch (error) {
      failsSinceMs ??= clock.elapsedMs();
      if (clock.elapsedMs() - failsSinceMs > quietMs) wait.failed(error);
      throw error;
    }
  };
  const loop = startLoop({ work: `comparing events of ${producer}`, clock, everyMs, retryMs, run });
  loop.nudge();
  return {
    first,
    soon: () => loop.nudge(),
    stop() {
      stopped = true;
      wasRead();
      return loop.stop();
    },
  };
}

/**
 * One round: reads a producer's events since the last complete round, page by page. Returns how many were new.
 * @throws if the producer or the database is unavailable, or the answer is invalid
 */
export async function reconcile(
  deps: EventContext,
  producer: IncidentProducer,
  asked: EventSource,
  isOver: () => boolean = () => false,
): Promise<number> {
  const { db, clock } = deps;
  const beganMs = clock.now();
  let sinceMs = await beginReconciliation(db, producer, beganMs);
  let afterId = "";
  let fresh = 0;
  for (let more = true; more;) {
    const page = await asked.listEvents({ sinceMs, limit: pageEvents, afterId });
    const events = page.events.map((bytes) => fromBinary(EventSchema, Buffer.from(bytes, "base64")));
    fresh += await handleEvents(deps, events);
    if (isOver()) return fresh;
    const last = events.at(-1);
    more = page.more && last !== undefined;
    if (last !== undefined) [sinceMs, afterId] = [Math.round(last.atMs), last.id];
  }
  await endReconciliation(db, producer, beganMs);
  return fresh;
}

/** An event may be committed after one that was decided later, and clocks of processes differ. */
const overlapMs = 5 * 60_000;

/** From when on a producer's events are read, epoch ms: five minutes before the last whole round, or before the first. */
async function beginReconciliation(db: Database, producer: IncidentProducer, nowMs: number): Promise<number> {
  await db("reconciliations")
    .insert({ producer, reconciledAtMs: nowMs, sinceMs: nowMs - overlapMs })
    .onConflict("producer")
    .ignore();
  const row = await db("reconciliations").where({ producer }).first<{ reconciledAtMs: number }>("reconciled_at_ms");
  // After a clock is set back the stored instant is in the future.
  return Math.min(row?.reconciledAtMs ?? nowMs, nowMs) - overlapMs;
}

/** A round that began at an instant was whole. */
async function endReconciliation(db: Database, producer: IncidentProducer, beganMs: number): Promise<void> {
  await db("reconciliations").where({ producer }).update({ reconciledAtMs: beganMs });
}
