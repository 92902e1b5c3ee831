import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { followStream } from "@sonde/kit/bus/follow";
import { type AgentSample, SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import { streams } from "@sonde/proto/streams";

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
    /** In order; a quiet closing is `closed cpu (quiet)`. */
    words: (id: number) =>
      events
        .filter((event) => agentOf(event) === id)
        .map(({ fact }) => {
          if (fact.case === "agent") return fact.value.change === "state" ? fact.value.status : fact.value.change;
          const published = fact.case === "incident" ? fact.value : undefined;
          const what = published?.incident?.metric ?? published?.incident?.kind;
          return `${published?.change} ${what}${published?.quiet ? " (quiet)" : ""}`;
        }),
    incidents: (id: number) =>
      events.flatMap(({ fact }) =>
        fact.case === "incident" && fact.value.incident?.targetId === id ? [fact.value] : [],
      ),
    ids: () => events.map(({ id }) => id),
    stop: following.stop,
  };
}

export function collectSamples(bus: Bus) {
  const samples: AgentSample[] = [];
  const following = followStream(bus, {
    stream: streams.samples.name,
    from: "first",
    onMessage: ({ data }) => void samples.push(...fromBinary(SampleBatchSchema, data).samples),
  });
  return { of: (id: number) => samples.filter(({ agentId }) => agentId === id), stop: following.stop };
}
