import type { Service } from "@sonde/kit/service/lifecycle";
import { ownPartitions } from "@sonde/kit/partitions/owners";
import { partitionOf } from "@sonde/proto/subjects";
import { type SamplesOwnerContext, openPartition } from "./partition.ts";

type Owners = Service & {
  /** An agent was added, changed or deleted: its owner in this process checks it at once. */
  reread(agentId: number): void;
};

const saveMs = 1_000;

/**
 * Works on this process's share of the partitions of SAMPLES. For some seconds two processes may work on one; the
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
