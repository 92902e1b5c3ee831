import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { followStream } from "@sonde/kit/bus/follow";
import type { Service } from "@sonde/kit/service/lifecycle";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { passOver } from "./handle.ts";
import type { Inbox } from "./inbox.ts";

const ownSubject = subjects.event("delivery", "");

/** Reads events from now on, the quick way. Missed ones are found by the next reconciliation. */
export function followEvents(bus: Bus, inbox: Inbox): Service {
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
