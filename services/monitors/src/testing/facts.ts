import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { followStream } from "@sonde/kit/bus/follow";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import { streams } from "@sonde/proto/streams";
import type { ResultFields } from "./service.ts";

export function collectEvents(bus: Bus) {
  const events: Event[] = [];
  const following = followStream(bus, {
    stream: streams.events.name,
    from: "first",
    onMessage: ({ data }) => void events.push(fromBinary(EventSchema, data)),
  });
  const monitorOf = ({ fact }: Event) =>
    fact.case === "monitor"
      ? fact.value.monitorId
      : fact.case === "incident"
        ? fact.value.incident?.targetId
        : undefined;
  const of = (id: number) => events.filter((event) => monitorOf(event) === id);
  return {
    of,
    /** The published events of a monitor in order, such as `down` or `opened`; a quiet closing is `closed (quiet)`. */
    words: (id: number) =>
      of(id).map(({ fact }) => {
        if (fact.case === "monitor") return fact.value.change === "state" ? fact.value.status : fact.value.change;
        const incident = fact.case === "incident" ? fact.value : undefined;
        return `${incident?.change}${incident?.quiet ? " (quiet)" : ""}`;
      }),
    stop: following.stop,
  };
}

const stepMs = 5_000;

/** Creates results of successive slots of a monitor, at about the present time. */
export function slotsOf(monitor: { id: number }, { version = 1 } = {}) {
  let slotMs = Date.now() - 60_000;
  return (status: "up" | "down", more: ResultFields = {}): ResultFields => {
    slotMs += stepMs;
    const failed = {
      failures: 2,
      error: { $typeName: "sonde.checks.v1.CheckError", kind: "status", message: "Status 503" },
    } as const;
    const result = { monitorId: monitor.id, version, slotMs, startedAtMs: slotMs + 5, status, responseTimeMs: 42 };
    return { ...result, ...(status === "down" ? failed : {}), ...more };
  };
}
