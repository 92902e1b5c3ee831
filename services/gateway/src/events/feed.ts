import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { followStream } from "@sonde/kit/bus/follow";
import { counter } from "@sonde/kit/telemetry/metrics";
import { AgentFiguresBatchSchema } from "@sonde/proto/gen/agents/v1/agents";
import { EventSchema, MonitorFiguresBatchSchema } from "@sonde/proto/gen/events/v1/events";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import type { Hub } from "./hub.ts";
import { type EventFrame, presentAgentFigures, presentChecking, presentEvent, presentFigures } from "./present.ts";

const unreadable = counter("sonde_events_unreadable_total", "Events that could not be decoded");

/** Starts reading EVENTS `capacity` messages back. */
export async function startFeed(bus: Bus, hub: Hub, capacity = 10_000) {
  const { created, state } = await bus.jsm.streams.info(streams.events.name);
  const from = { created, sequence: Math.max(0, state.first_seq - 1, state.last_seq - capacity) };
  let begun = created;
  hub.begin({ createdMs: Date.parse(created), sequence: from.sequence });

  let settle = () => {};
  const current = new Promise<void>((resolve) => (settle = resolve));
  const following = followStream(bus, {
    stream: streams.events.name,
    from,
    onMessage: (message) => {
      if (message.created !== begun) {
        begun = message.created;
        hub.begin({ createdMs: Date.parse(begun), sequence: message.sequence - 1 });
      }
      hub.fact(
        message.sequence,
        orNone(() => presentEvent(fromBinary(EventSchema, message.data)), null),
      );
    },
    onCurrent: () => settle(),
  });
  const follow = (subject: string, read: (bytes: Uint8Array) => EventFrame[]) =>
    bus.nc.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) for (const frame of orNone(() => read(message.data), [])) hub.live(frame);
      },
    });
  const live = [follow(subjects.liveMonitors, readMonitors), follow(subjects.liveAgents, readAgents)];

  return {
    /** Resolves when the existing messages of EVENTS have been read. */
    current,
    stop: async (): Promise<void> => {
      for (const subscription of live) subscription.unsubscribe();
      await following.stop();
    },
  };
}

function readMonitors(bytes: Uint8Array): EventFrame[] {
  const { figures, checking } = fromBinary(MonitorFiguresBatchSchema, bytes);
  return [...figures.map(presentFigures), ...checking.map(presentChecking)];
}
const readAgents = (bytes: Uint8Array) => fromBinary(AgentFiguresBatchSchema, bytes).figures.map(presentAgentFigures);

function orNone<Frames>(read: () => Frames, none: Frames): Frames {
  try {
    return read();
  } catch {
    unreadable.inc();
    return none;
  }
}
