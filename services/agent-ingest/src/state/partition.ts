import type { BusMessage } from "@sonde/kit/bus/follow";
import { type Arrival, type Batch, createBatch } from "@sonde/kit/partitions/facts";
import { createItems } from "@sonde/kit/partitions/items";
import { createOwner, type Partition, type PartitionContext } from "@sonde/kit/partitions/partition";
import { createSaving, readPosition } from "@sonde/kit/partitions/saving";
import { counter } from "@sonde/kit/telemetry/metrics";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { type AppliedSample, decide, intervalOf, silenceMs } from "./decide.ts";
import type { EffectiveThresholds } from "./limits.ts";
import type { LiveAgents } from "./live.ts";
import { deadLetterReason, type ReceivedSample, parseSamples } from "./samples.ts";
import { type ChangedReading, loadTracked, saveReadings } from "./store.ts";
import { capReading, mergeNewer, type TrackedAgent } from "./tracked.ts";
import { commitDecisions, commitOffline } from "./transition.ts";
import { createBootDetection, createOpenings, createWarnings } from "./warnings.ts";

export type SamplesOwnerContext = PartitionContext & {
  live: LiveAgents;
  limits: Pick<EffectiveThresholds, "of">;
  /** While reports are not accepted, agents cannot be considered silent. */
  takesReports(): boolean;
};

export type SamplesPartition = Partition<TrackedAgent>;

const applied = counter("sonde_samples_applied_total", "Samples that updated the current state");
const ignored = counter("sonde_samples_ignored_total", "Samples that did not update the current state, by reason", [
  "reason",
]);
const transitions = counter("sonde_agent_transitions_total", "Status changes of agents", ["to"]);

type AgentTransition = { agent: TrackedAgent; sample: ReceivedSample; decision: AppliedSample; at: Arrival };

/**
 * Processes a partition of SAMPLES from its last owner's position. A sample passes through `onMessage`, `onSample`,
 * `commitAndPublish`. Rejects if PostgreSQL is unavailable.
 */
export async function openPartition(ctx: SamplesOwnerContext, partition: number): Promise<SamplesPartition> {
  const { db, bus, live, limits, clock, takesReports } = ctx;
  const owner = createOwner<ReceivedSample>(ctx, {
    partition,
    service: "agent-ingest",
    stream: streams.samples.name,
    subjects: [subjects.samples(partition)],
    factName: "sample",
    parse: parseSamples,
    faultOf: (sample) => deadLetterReason(sample, partition),
    idOf: ({ agentId }) => agentId,
  });
  const boots = createBootDetection(clock);
  const openings = createOpenings();
  const warn = createWarnings({ db, log: bus.log, clock }, { boots, openings });
  const saving = createSaving<ChangedReading>({
    partition,
    clock,
    save: (saved) => saveReadings(db, saved),
    // A few changed readings are saved after a second, many together.
    fewChanges: 20,
  });
  const agents = createItems<TrackedAgent>({
    persist: owner.persist,
    load: (ids) => loadTracked(db, partition, ids),
    onLoad(loaded, known) {
      if (known !== undefined) mergeNewer(known, loaded, clock.now());
    },
    cap(agent) {
      if (capReading(agent, clock.now())) queueReading(agent);
    },
  });

  async function onMessage(message: BusMessage, storedAtMs: number): Promise<void> {
    const samples = owner.read(message, storedAtMs);
    const batch = createBatch<AgentTransition>(commitAndPublish, async (left) => {
      await agents.reload(left.map(({ agent }) => agent.id));
      for (const { sample, at } of left) await samples.retry(sample, () => onSample(sample, at));
    });
    await samples.each((sample, at) =>
      batch.has(sample.agentId) ? batch.finish().then(() => onSample(sample, at, batch)) : onSample(sample, at, batch),
    );
    await batch.finish();
    await samples.deadLetterInvalid();
  }

  /** Most samples only change memory and return no promise. Without a batch a transition is committed at once. */
  function onSample(sample: ReceivedSample, at: Arrival, batch?: Batch<AgentTransition>): Promise<void> | undefined {
    return agents.apply(sample.agentId, (agent, mayCommit) => {
      if (agent === undefined) return ignore("deleted");
      const decision = decide(agent, sample, limits.of(agent.id));
      if (decision.ignored !== undefined) return ignore(decision.ignored);
      const { opened, reading } = decision;
      if (opened.length > 0) decision.opened = openings.admit(agent.id, opened, agent.open.size, reading.lastSeenMs);
      const transition = { agent, sample, decision, at };
      if (!mayCommit || !changesRow(transition)) return publish(transition);
      if (batch !== undefined) return batch.add(agent.id, transition);
      return commitAndPublish([transition]).then(([committed = false]) => committed);
    });
  }

  function ignore(reason: string): undefined {
    ignored.inc({ reason });
  }

  /** Returns false for each row that has changed since the decision. */
  async function commitAndPublish(all: readonly AgentTransition[]): Promise<boolean[]> {
    const decided = all.map(({ agent, decision, at: { mark } }) => ({ agent, decision, mark }));
    const messageStream = all[0]?.at.stream ?? "";
    const committed = await owner.commit(() => commitDecisions(db, messageStream, decided, clock.now()));
    for (const [index, transition] of all.entries()) {
      if (committed[index] !== true) continue;
      applyTransition(transition);
      publish(transition);
    }
    return committed;
  }
  function applyTransition({ agent, decision: { comesOnline, opened, closed, reading }, at }: AgentTransition): void {
    Object.assign(agent, { stateStream: at.stream, stateMark: at.mark });
    if (comesOnline) {
      Object.assign(agent, { status: "online", statusSinceMs: reading.lastSeenMs });
      transitions.inc({ to: "online" });
    }
    openings.opened(agent.id, opened.length, reading.lastSeenMs);
    for (const { metric } of opened) agent.open.add(metric);
    for (const { metric } of closed) agent.open.delete(metric);
  }

  function publish({ agent, sample, decision: { reading } }: AgentTransition): undefined {
    const { bootId } = agent.reading ?? reading;
    if (bootId !== reading.bootId) boots.changed(agent.id, bootId, reading.bootId);
    agent.reading = reading;
    agent.intervalMs = intervalOf(sample, agent);
    queueReading(agent);
    applied.inc();
    live.publish(agent);
  }
  function queueReading({ id: agentId, intervalMs, reading }: TrackedAgent): void {
    if (reading !== null) saving.keep(agentId, { agentId, intervalMs, reading });
  }

  async function findSilent(): Promise<void> {
    const isSilent = ({ status, intervalMs, reading }: TrackedAgent) => {
      const sinceMs = Math.max(reading?.lastSeenMs ?? 0, owner.observedSinceMs());
      return status === "online" && clock.now() - sinceMs > silenceMs(intervalMs);
    };
    const silent = [...agents.values()].filter(isSilent);
    if (silent.length === 0 || !(await owner.isCaughtUp())) return;
    await owner.commitSilence(agents, silent, commitSilent, isSilent);
  }
  async function commitSilent(some: readonly TrackedAgent[]): Promise<boolean[]> {
    const read = owner.readTo();
    const nowMs = clock.now();
    const committed = await owner.commit(() => commitOffline(db, some, read, nowMs));
    for (const [index, agent] of some.entries()) {
      if (committed[index] !== true) continue;
      Object.assign(agent, { status: "offline", statusSinceMs: nowMs });
      if (read !== null) Object.assign(agent, { stateStream: read.stream, stateMark: read.mark });
      transitions.inc({ to: "offline" });
      live.publish(agent);
    }
    return committed;
  }

  const from = await readPosition(db, partition);
  const opened = await owner.open({
    items: agents,
    from,
    onMessage,
    findSilent,
    canReceive: takesReports,
    async save(position, all) {
      await warn();
      await saving.save(position, all);
    },
  });
  return {
    ...opened,
    reread(agentId) {
      boots.forget(agentId);
      openings.forget(agentId);
      opened.reread(agentId);
    },
  };
}

function changesRow({ agent, decision, at: { stream, mark } }: AgentTransition): boolean {
  // A sample up to the stored position was already applied.
  if (agent.stateStream === stream && agent.stateMark >= mark) return false;
  const { comesOnline, opened, closed, flapped, flappingChanges } = decision;
  return comesOnline || [opened, closed, flapped, flappingChanges].some((list) => list.length > 0);
}
