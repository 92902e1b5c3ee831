import type { Bus } from "@sonde/kit/bus/connect";
import { client } from "@sonde/kit/bus/rpc";
import type { Service } from "@sonde/kit/service/lifecycle";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { incidentProducers } from "@sonde/proto/http/incidents/incidents";
import { type EventContext, passOver } from "./handle.ts";
import { openInbox, type Inbox } from "./inbox.ts";
import { startReconciliation } from "./reconcile.ts";
import { fromBinary } from "@bufbuild/protobuf";
import { followStream } from "@sonde/kit/bus/follow";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";

/** A page of events is read from indexes; a busy machine is no fault of the producer. */
const askMs = 10_000;

export type Events = Service & {
  /** Resolves once events from before the start were applied; waits while a producer is unavailable. */
  caughtUp: Promise<unknown>;
};

/**
 * Reads events: quickly from the stream EVENTS, and reliably from their producers, at the start, after each reconnect
 * and each minute. The stream is followed before the producers are read, so that nothing is missed between.
 */
export function startEvents(bus: Bus, deps: EventContext): Events {
  const inbox = openInbox(deps);
  const following = followEvents(bus, inbox);
  const reconciliations = incidentProducers.map((producer) =>
    startReconciliation(deps, producer, client(bus, incidentsContract, { scope: producer, timeoutMs: askMs })),
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

/** Reads events from now on, the quick way. Missed ones are found by the next reconciliation. */
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
        return passOver(bus, subject, error);
      }
      return inbox.push(event);
    },
  });
}
