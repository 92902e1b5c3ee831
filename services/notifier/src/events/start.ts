import type { Bus } from "@sonde/kit/bus/connect";
import { client, type Client } from "@sonde/kit/bus/rpc";
import type { Service } from "@sonde/kit/service/lifecycle";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { incidentProducers, type IncidentProducer } from "@sonde/proto/http/incidents/incidents";
import { fromBinary } from "@bufbuild/protobuf";
import { followStream } from "@sonde/kit/bus/follow";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { startLoop } from "@sonde/kit/time/loop";
import { reportWait } from "@sonde/kit/service/waiting";
import { type EventContext, skipEvent, handleEvents } from "./handle.ts";

/** Generous, because a page is read from an index and may only be slow on a busy machine. */
const queryTimeoutMs = 10_000;

type Events = Service & {
  /** Resolves after events from before the start were applied. Pending while a producer is unavailable. */
  caughtUp: Promise<unknown>;
};

/**
 * Reads events quickly from the stream EVENTS, and reliably from their producers: at startup, after each reconnect and
 * each minute. The stream is followed before the producers are read, so nothing between them is missed.
 */
export function startEvents(bus: Bus, deps: EventContext): Events {
  const inbox = openInbox(deps);
  const following = followEvents(bus, inbox);
  const reconciliations = incidentProducers.map((producer) =>
    startReconciliation(deps, producer, client(bus, incidentsContract, { scope: producer, timeoutMs: queryTimeoutMs })),
  );
  const offReconnect = bus.onReconnect(() => {
    for (const reconciliation of reconciliations) reconciliation.soon();
  });
  return {
    caughtUp: Promise.all(reconciliations.map(({ first }) => first)),
    async stop() {
      offReconnect();
      await inbox.stop();
      await Promise.all([following.stop(), ...reconciliations.map(({ stop }) => stop())]);
    },
  };
}

const ownSubject = subjects.event("delivery", "");

/** Follows new events on the stream. The next reconciliation finds missed ones. */
function followEvents(bus: Bus, inbox: Inbox): Service {
  return followStream(bus, {
    stream: streams.events.name,
    from: "new",
    onMessage: ({ subject, data }) => {
      if (subject.startsWith(ownSubject)) return;
      let event: Event;
      try {
        event = fromBinary(EventSchema, data);
      } catch (error) {
        return skipEvent(bus, subject, error);
      }
      return inbox.push(event);
    },
  });
}

/** Queue of events to decide, in order. Events that arrive during a decision are decided together. */
type Inbox = {
  /** Resolves at once while there is room. The next reconciliation re-reads events that were lost with the process. */
  push(event: Event): Promise<void> | void;
  stop(): Promise<void>;
};

const atOnce = 100;
const room = 5_000;
const retryDecisionMs = 500;

export function openInbox(deps: EventContext, handle = handleEvents): Inbox {
  let waiting: Event[] = [];
  let stopped = false;
  const whenRoom: (() => void)[] = [];

  const run = async () => {
    while (waiting.length > 0 && !stopped) {
      const batch = waiting.slice(0, atOnce);
      await handle(deps, batch);
      waiting = waiting.slice(batch.length);
      for (const go of whenRoom.splice(0)) go();
    }
  };
  const { clock, log } = deps;
  const everyMs = Number.POSITIVE_INFINITY;
  const loop = startLoop({ work: "deciding events", log, clock, everyMs, retryMs: retryDecisionMs, run });

  return {
    push(event) {
      // No room will be made any more, and the caller must not wait for it.
      if (stopped) return;
      // Events after the first are handled by the same run or its retry.
      if (waiting.push(event) === 1) loop.nudge();
      if (waiting.length >= room) return new Promise((resolve) => whenRoom.push(resolve));
    },
    async stop() {
      stopped = true;
      await loop.stop();
      for (const go of whenRoom.splice(0)) go();
    },
  };
}

type EventSource = Pick<Client<typeof incidentsContract>, "listEvents">;

const everyMs = 60_000;
const retryMs = 2_000;
const pageEvents = 200;
/** Services that start together may wait this long for each other before the wait is logged. */
const quietMs = 15_000;

/**
 * Reconciles incidents with a producer's events: now, each minute, and on request. A failed round is repeated after two
 * seconds from the start of the last complete one, so nothing is lost. `first` resolves after a complete round, or on
 * `stop`.
 */
function startReconciliation(deps: EventContext, producer: IncidentProducer, source: EventSource) {
  const { clock, log } = deps;
  const wait = reportWait(log, `the events of ${producer}`);
  let stopped = false;
  let failsSinceMs: number | null = null;
  const { promise: first, resolve: wasRead } = Promise.withResolvers<void>();

  const run = async () => {
    try {
      const missed = await reconcile(deps, producer, source, () => stopped);
      wait.over();
      wasRead();
      failsSinceMs = null;
      if (missed > 0) log.info({ producer, events: missed }, "reconciliation found events missing from the stream");
    } catch (error) {
      failsSinceMs ??= clock.elapsedMs();
      if (clock.elapsedMs() - failsSinceMs > quietMs) wait.failed(error);
      throw error;
    }
  };
  const loop = startLoop({ work: `reconciling events of ${producer}`, clock, everyMs, retryMs, run });
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

/** An event may be committed after one that was decided later, and clocks of processes differ. */
const overlapMs = 5 * 60_000;

/** Returns how many events since the last complete round were new. @throws if a dependency is unavailable */
async function reconcile(
  deps: EventContext,
  producer: IncidentProducer,
  source: EventSource,
  isOver: () => boolean,
): Promise<number> {
  const { db, clock } = deps;
  const beganMs = clock.now();
  await db("reconciliations")
    .insert({ producer, reconciledAtMs: beganMs, sinceMs: beganMs - overlapMs })
    .onConflict("producer")
    .ignore();
  const known = db("reconciliations").where({ producer });
  const { reconciledAtMs } = await known.clone().first<{ reconciledAtMs: number }>("reconciled_at_ms");
  // After the clock was set back, the stored time is in the future.
  let sinceMs = Math.min(reconciledAtMs, beganMs) - overlapMs;
  let afterId = "";
  let fresh = 0;
  for (let more = true; more;) {
    const page = await source.listEvents({ sinceMs, limit: pageEvents, afterId });
    const events = page.events.map((bytes) => fromBinary(EventSchema, Buffer.from(bytes, "base64")));
    fresh += await handleEvents(deps, events);
    if (isOver()) return fresh;
    const last = events.at(-1);
    more = page.more && last !== undefined;
    if (last !== undefined) [sinceMs, afterId] = [Math.round(last.atMs), last.id];
  }
  await known.update({ reconciledAtMs: beganMs });
  return fresh;
}
