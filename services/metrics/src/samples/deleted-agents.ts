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
  /** Whether the agent was deleted, so that its samples must not be stored. */
  has(agentId: number): boolean;
};

/**
 * Tracks deleted agents: from EVENTS as far back as it reaches, which covers deletions while this service was down, and
 * from tombstones of their keys, which are published again if the bus loses its data. A revoked key is not a deletion,
 * since registering an agent again also revokes its old key. Ids are never reused, so a deletion is final.
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
