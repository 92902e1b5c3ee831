import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { followStream } from "@sonde/kit/bus/follow";
import { type AgentSample, SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import { streams } from "@sonde/proto/streams";

/** Every event that reached the bus, in words, by agent. */
export function collectEvents(bus: Bus) {
  const events: Event[] = [];
  const following = followStream(bus, {
    stream: streams.events.name,
    from: "first",
    onMessage: ({ data }) => void events.push(fromBinary(EventSchema, data)),
  });
  const agentOf = ({ fact }: Event) =>
    fact.case === "agent" ? fact.value.agentId : fact.case === "incident" ? fact.value.incident?.targetId : undefined;
  return {
    /** The published events of an agent, in order; a quiet closing as `closed cpu (quiet)`. */
    words: (id: number) =>
      events
        .filter((event) => agentOf(event) === id)
        .map(({ fact }) => {
          if (fact.case === "agent") return fact.value.change === "state" ? fact.value.status : fact.value.change;
          const said = fact.case === "incident" ? fact.value : undefined;
          const what = said?.incident?.metric ?? said?.incident?.kind;
          return `${said?.change} ${what}${said?.quiet ? " (quiet)" : ""}`;
        }),
    /** All published incidents of an agent. */
    incidents: (id: number) =>
      events.flatMap(({ fact }) =>
        fact.case === "incident" && fact.value.incident?.targetId === id ? [fact.value] : [],
      ),
    ids: () => events.map(({ id }) => id),
    stop: following.stop,
  };
}

/** Every sample that SAMPLES holds, as it grows. */
export function collectSamples(bus: Bus) {
  const samples: AgentSample[] = [];
  const following = followStream(bus, {
    stream: streams.samples.name,
    from: "first",
    onMessage: ({ data }) => void samples.push(...fromBinary(SampleBatchSchema, data).samples),
  });
  return { of: (id: number) => samples.filter(({ agentId }) => agentId === id), stop: following.stop };
}
