import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { followStream } from "@sonde/kit/bus/follow";
import type { Service } from "@sonde/kit/service/lifecycle";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";

const deliveries = subjects.event("delivery", "");

/** Reads events from now on. Missed ones are found at the next full query. */
export function followEvents(bus: Bus, onEvent: (event: Event) => void): Service {
  return followStream(bus, {
    stream: streams.events.name,
    from: "new",
    onMessage: ({ subject, data }) => {
      if (subject.startsWith(deliveries)) return;
      try {
        onEvent(fromBinary(EventSchema, data));
      } catch (error) {
        bus.log.error({ err: error, subject }, "an event could not be understood by the public page");
      }
    },
  });
}
