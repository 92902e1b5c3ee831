import { ownPartitions } from "@sonde/kit/partitions/owners";
import type { Service } from "@sonde/kit/service/lifecycle";
import { partitionOf } from "@sonde/proto/subjects";
import { openPartition, type SamplesOwnerContext } from "./state/partition.ts";

const saveMs = 1_000;

type Owners = Service & {
  /** Reloads an agent that changed in this process at once. */
  reread(agentId: number): void;
};

/**
 * Processes this replica's share of the partitions of SAMPLES. Two replicas may process the same one for seconds; the
 * guards in `transition.ts` make that harmless.
 */
export function startOwners(ctx: SamplesOwnerContext): Owners {
  const { bus, clock } = ctx;
  const open = (partition: number) => openPartition(ctx, partition);
  const owners = ownPartitions({ bus, clock, group: "agent-ingest", open, saveMs });
  return {
    reread: (agentId) => owners.get(partitionOf(agentId))?.reread(agentId),
    stop: owners.stop,
  };
}
