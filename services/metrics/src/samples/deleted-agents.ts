import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { followStream, watchBucket } from "@sonde/kit/bus/follow";
import type { Service } from "@sonde/kit/service/lifecycle";
import { AgentKeySchema } from "@sonde/proto/gen/agents/v1/agents";
import { EventSchema } from "@sonde/proto/gen/events/v1/events";
import { buckets, streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";

export type DeletedAgents = Service & {
  /** Its samples are no longer to be kept. */
  has(agentId: number): boolean;
};

/**
 * Learns of deleted agents: from EVENTS, as far back as it reaches, also for deletions while this service was stopped;
 * and from the tombstones of their keys, which are published again after the bus lost its data. A revoked key alone is
 * no deletion: an agent that is registered again loses its old one too. Ids are never reused, so a deletion is final,
 * whatever is published after it.
 */
export function watchDeletedAgents(bus: Bus, onDeleted: (agentId: number) => void): DeletedAgents {
  const deleted = new Set<number>();
  const remove = (agentId: number) => {
    if (deleted.has(agentId)) return;
    deleted.add(agentId);
    onDeleted(agentId);
  };
  const read = <S extends DescMessage>(schema: S, bytes: Uint8Array, where: string): MessageShape<S> | null => {
    try {
      return fromBinary(schema, bytes);
    } catch {
      bus.log.error({ where }, "invalid message about an agent");
      return null;
    }
  };
  const events = followStream(bus, {
    stream: streams.events.name,
    subjects: [subjects.event("agent", "*")],
    from: "first",
    onMessage: ({ data, subject }) => {
      const fact = read(EventSchema, data, subject)?.fact;
      if (fact?.case === "agent" && fact.value.change === "deleted") remove(fact.value.agentId);
    },
  });
  const keys = watchBucket(bus, {
    bucket: buckets.agents,
    onEntry: ({ key, value }) => {
      const found = read(AgentKeySchema, value, key);
      if (found?.agentDeleted) remove(found.agentId);
    },
  });
  return {
    has: (agentId) => deleted.has(agentId),
    stop: async () => void (await Promise.all([events.stop(), keys.stop()])),
  };
}
