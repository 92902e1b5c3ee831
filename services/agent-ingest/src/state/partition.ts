import type { Behaviour, TakeOver, ItemTransition } from "@sonde/kit/partitions/behaviour";
import {
  type KeepChange,
  openPartition as open,
  type Partition as OpenPartition,
  type PartitionContext,
} from "@sonde/kit/partitions/partition";
import { ownPartitions } from "@sonde/kit/partitions/owners";
import type { Service } from "@sonde/kit/service/lifecycle";
import { counter } from "@sonde/kit/telemetry/metrics";
import { streams } from "@sonde/proto/streams";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { type AppliedSample, decide, intervalOf, silenceMs } from "./decide.ts";
import type { KnownThresholds } from "./limits.ts";
import type { LiveAgents } from "./live.ts";
import { faultOf, type ReceivedSample, parseSamples } from "./samples.ts";
import { type ChangedReading, loadTracked, saveReadings } from "./store.ts";
import { capReading, keepNewer, type TrackedAgent } from "./tracked.ts";
import { commitDecisions, commitOffline } from "./transition.ts";
import { createBootDetection, createOpenings, createWarnings } from "./warnings.ts";

export type SamplesOwnerContext = PartitionContext & {
  live: LiveAgents;
  limits: Pick<KnownThresholds, "of">;
  /** Reports are accepted; while they are not, agents cannot be considered silent. */
  takesReports(): boolean;
};

/** One partition of SAMPLES while this process owns it. */
export type SamplesPartition = OpenPartition<TrackedAgent>;

const fewReadings = 20;
const saveMs = 1_000;
const applied = counter("sonde_samples_applied_total", "Samples that changed the present state");
const ignored = counter("sonde_samples_ignored_total", "Samples that changed no present state", ["reason"]);
const transitions = counter("sonde_agent_transitions_total", "Changes of agents' state", ["to"]);

type Owners = Service & {
  /** An agent was added, changed or deleted: its owner in this process checks it at once. */
  reread(agentId: number): void;
};

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

/** Processes a partition of SAMPLES from its last owner's position. Rejects if PostgreSQL is unavailable. */
export async function openPartition(ctx: SamplesOwnerContext, partition: number): Promise<SamplesPartition> {
  const boots = createBootDetection(ctx.clock);
  const openings = createOpenings();
  const opened = await open(ctx, partition, (keep) => behaviourOf(ctx, partition, keep, { boots, openings }));
  return {
    ...opened,
    reread(agentId) {
      boots.forget(agentId);
      openings.forget(agentId);
      opened.reread(agentId);
    },
  };
}

type AgentTransition = ItemTransition<TrackedAgent, ReceivedSample, AppliedSample>;
type Watches = Parameters<typeof createWarnings>[1];

/** What samples do to the agents of a partition. */
function behaviourOf(
  { db, bus, live, limits, clock, takesReports }: SamplesOwnerContext,
  partition: number,
  keep: KeepChange<ChangedReading>,
  { boots, openings }: Watches,
): Behaviour<TrackedAgent, ReceivedSample, AppliedSample, ChangedReading> {
  const keepReading = ({ id: agentId, intervalMs, reading }: TrackedAgent) => {
    if (reading !== null) keep(agentId, { agentId, intervalMs, reading });
  };

  const takeOver = ({ item: agent, decision, arrival }: AgentTransition) => {
    const { comesOnline, opened, closed, reading } = decision;
    agent.stateStream = arrival.stream;
    agent.stateMark = arrival.mark;
    if (comesOnline) {
      agent.status = "online";
      agent.statusSinceMs = reading.lastSeenMs;
      transitions.inc({ to: "online" });
    }
    openings.opened(agent.id, opened.length, reading.lastSeenMs);
    for (const { metric } of opened) agent.open.add(metric);
    for (const { metric } of closed) agent.open.delete(metric);
  };
  const commitAll = async (all: readonly AgentTransition[]): Promise<(TakeOver | null)[]> => {
    // All of one message, and so of one stream.
    const stream = all[0]?.arrival.stream ?? "";
    const decided = all.map(({ item: agent, decision, arrival: { mark } }) => ({ agent, decision, mark }));
    const committed = await commitDecisions(db, stream, decided, clock.now());
    return all.map((transition, index) => (committed[index] === true ? () => takeOver(transition) : null));
  };

  return {
    service: "agent-ingest",
    stream: streams.samples.name,
    subjects: [subjects.samples(partition)],
    factName: "sample",
    parse: parseSamples,
    faultOf: (sample) => faultOf(sample, partition),
    idOf: ({ agentId }) => agentId,

    load: (ids) => loadTracked(db, partition, ids),
    save: (saved) => saveReadings(db, saved),
    // Few are seen a second later; many are written together.
    fewChanges: fewReadings,
    beforeSave: createWarnings({ db, log: bus.log, clock }, { boots, openings }),
    onLoad(loaded, known) {
      if (known !== undefined) keepNewer(known, loaded, clock.now());
    },
    cap(agent) {
      if (capReading(agent, clock.now())) keepReading(agent);
    },

    decide(agent, sample) {
      const decision = decide(agent, sample, limits.of(agent.id));
      if (decision.ignored !== undefined || decision.opened.length === 0) return decision;
      const opened = openings.admit(agent.id, decision.opened, agent.open.size, decision.reading.lastSeenMs);
      return { ...decision, opened };
    },
    isTransition(agent, { comesOnline, opened, closed, flapped, flappingChanges }, { stream, mark }) {
      // What a decision was made on before is only counted again.
      const isPast = agent.stateStream === stream && agent.stateMark >= mark;
      const changed = [opened, closed, flapped, flappingChanges].some((list) => list.length > 0);
      return (comesOnline || changed) && !isPast;
    },
    transition: async (item, fact, decision, arrival) =>
      (await commitAll([{ item, fact, decision, arrival }]))[0] ?? null,
    transitions: commitAll,
    take(agent, sample, { reading }) {
      const { bootId } = agent.reading ?? reading;
      if (bootId !== reading.bootId) boots.changed(agent.id, bootId, reading.bootId);
      agent.reading = reading;
      agent.intervalMs = intervalOf(sample, agent);
      keepReading(agent);
      applied.inc();
      live.tell(agent);
    },
    ignore: (_sample, reason) => ignored.inc({ reason }),

    canHear: takesReports,
    isSilent: ({ status, intervalMs, reading }, sinceMs) =>
      status === "online" && clock.now() - Math.max(reading?.lastSeenMs ?? 0, sinceMs) > silenceMs(intervalMs),
    async tellSilent(agents, read) {
      const nowMs = clock.now();
      const committed = await commitOffline(db, agents, read, nowMs);
      const takeSilent = (agent: TrackedAgent) => {
        agent.status = "offline";
        agent.statusSinceMs = nowMs;
        if (read !== null) Object.assign(agent, { stateStream: read.stream, stateMark: read.mark });
        transitions.inc({ to: "offline" });
        live.tell(agent);
      };
      return agents.map((agent, index) => (committed[index] === true ? () => takeSilent(agent) : null));
    },
  };
}
