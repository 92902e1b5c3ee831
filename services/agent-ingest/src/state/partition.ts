import type { Bus } from "@sonde/kit/bus/connect";
import type { Clock } from "@sonde/kit/time/clock";
import { watchClockSteps } from "@sonde/kit/time/clock-steps";
import { putAside } from "@sonde/kit/bus/dead-letters";
import { followStream, type Message } from "@sonde/kit/bus/follow";
import type { OwnedPartition } from "@sonde/kit/partitions/owners";
import { createRetryPolicy } from "@sonde/kit/partitions/retry-policy";
import { readPosition } from "@sonde/kit/partitions/stream-positions";
import { type Database, isDatabaseAway } from "@sonde/kit/postgres/database";
import { createQueue, slices } from "@sonde/kit/concurrency/turns";
import type { AgentSample } from "@sonde/proto/gen/agents/v1/samples";
import { streams } from "@sonde/proto/streams";
import { partitions, subjects } from "@sonde/proto/subjects";
import { createBootDetection } from "./boot-detection.ts";
import { type Applied, decide, intervalOf, silenceMs } from "./decide.ts";
import type { LimitsBook } from "./limits.ts";
import type { Live } from "./live.ts";
import { createRegistry } from "./registry.ts";
import { readSamples } from "./samples.ts";
import { createOpenings } from "./openings.ts";
import { type Changed, loadTracked, markDuplicateKeys, markHeldBack, saveReadings } from "./store.ts";
import { applied, duplicateKeys, heldBack, ignored, transitions } from "./telemetry.ts";
import { capReading, endOf, markOf, type Tracked } from "./tracked.ts";
import { commitDecision, commitOffline, type StreamPosition } from "./transition.ts";
import { createObservedSince } from "./observed-since.ts";

export type OwnerContext = {
  db: Database;
  bus: Bus;
  live: Live;
  limits: LimitsBook;
  clock: Clock;
  /** Reports are taken in; while they are not, nobody can be heard. */
  takesReports(): boolean;
  /** Something was committed. */
  nudge(): void;
};

/** One partition of SAMPLES while this process owns it. */
export type Partition = OwnedPartition & {
  /** An agent came, changed or went: its row is read again. */
  heard(agentId: number): void;
};

const fewReadings = 20;
const fullSaveMs = 5_000;

/** Rebuilds the state from PostgreSQL and reads on from where the last owner was. Rejects where that is away. */
export async function openPartition(ctx: OwnerContext, partition: number): Promise<Partition> {
  const { db, bus, live, limits, clock } = ctx;
  const { log } = bus;
  const stream = streams.samples.name;
  const subject = subjects.samples(partition);
  let dirty = new Map<number, Changed>();
  const touched = new Set<number>();
  let stopped = false;
  let sweeping = false;
  let savedSequence = -1;
  // Partitions take turns: all at once would hold up every report meanwhile.
  let savedAtMs = clock.elapsedMs() - (partition / partitions) * fullSaveMs;
  const boots = createBootDetection(clock);
  const openings = createOpenings();
  const observedSince = createObservedSince(clock);
  const { persist, ...retry } = createRetryPolicy(log, partition, observedSince.interrupted);

  // One thing at a time: a reload never reads what a transition is just changing.
  const exclusively = createQueue();
  // The first load may fail, for then the partition is not open yet; who opens it tries again while it is his.
  const steps = watchClockSteps(clock);
  const cap = (agent: Tracked) => {
    if (!capReading(agent, clock.now()) || agent.reading === null) return;
    dirty.set(agent.id, { agentId: agent.id, intervalMs: agent.intervalMs, reading: agent.reading });
  };
  const agents = createRegistry(async (ids) => {
    const loaded = await (ids === undefined
      ? loadTracked(db, partition)
      : persist(() => loadTracked(db, partition, ids)));
    // What is not yet kept of an agent is newer than its row.
    for (const agent of loaded) if (!dirty.has(agent.id)) cap(agent);
    return loaded;
  });
  /** What was heard before the server's clock was set back must neither count as fresh nor keep later samples out. */
  const noticeStep = () => {
    if (steps.steppedBackMs() === 0) return;
    observedSince.interrupted();
    for (const agent of agents.values()) cap(agent);
  };

  const take = (agent: Tracked, given: AgentSample, { reading }: Applied) => {
    const { bootId } = agent.reading ?? reading;
    if (bootId !== reading.bootId) boots.changed(agent.id, bootId, reading.bootId);
    agent.reading = reading;
    agent.intervalMs = intervalOf(given, agent);
    dirty.set(agent.id, { agentId: agent.id, intervalMs: agent.intervalMs, reading });
    applied.inc();
    live.tell(agent);
  };

  /** Changes state and incidents; false where the row is not what was assumed. */
  const change = async (agent: Tracked, decision: Applied, streamPosition: StreamPosition): Promise<boolean> => {
    if (!(await persist(() => commitDecision(db, agent, decision, streamPosition, clock.now())))) return false;
    ctx.nudge();
    agent.stateStream = streamPosition.stream;
    agent.stateMark = streamPosition.mark;
    if (decision.comesOnline) {
      agent.status = "online";
      agent.statusSinceMs = decision.reading.lastSeenMs;
      transitions.inc({ to: "online" });
    }
    openings.opened(agent.id, decision.opened.length, decision.reading.lastSeenMs);
    for (const { metric } of decision.opened) agent.open.add(metric);
    for (const { metric } of decision.closed) agent.open.delete(metric);
    return true;
  };

  const isPast = (agent: Tracked, { stream: of, mark }: StreamPosition) =>
    agent.stateStream === of && agent.stateMark >= mark;

  const apply = async (given: AgentSample, streamPosition: StreamPosition): Promise<void> => {
    const id = given.agentId;
    if (agents.get(id) === undefined && !agents.isGone(id)) await agents.reload([id]);
    for (let attempt = 1; ; attempt++) {
      const agent = agents.get(id);
      if (agent === undefined) return ignored.inc({ reason: "deleted" });
      const wanted = decide(agent, given, limits.of(id));
      if (wanted.ignored !== undefined) return ignored.inc({ reason: wanted.ignored });
      const opened = openings.admit(id, wanted.opened, agent.open.size, wanted.reading.lastSeenMs);
      const decision = { ...wanted, opened };
      const changes =
        decision.comesOnline || decision.opened.length > 0 || decision.closed.length > 0 || decision.flapped.length > 0;
      // What a decision was made on before is only counted again.
      if (!changes || isPast(agent, streamPosition) || (await change(agent, decision, streamPosition))) {
        return take(agent, given, decision);
      }
      // The row was not what we thought: look again, once. What then still is not ours to change stays.
      if (attempt > 1) return take(agent, given, decision);
      await agents.reload([id]);
    }
  };

  const onMessage = async (message: Message): Promise<void> => {
    noticeStep();
    observedSince.received(message.storedAtMs);
    const { samples, fault } = readSamples(message.data, partition);
    const aside = (reason: string) => putAside(bus, { stream, service: "agent-ingest", reason, message });
    if (fault !== null) await aside(fault);
    // A message may hold thousands of tiny samples.
    const pause = slices();
    for (const { index, sample } of samples) {
      await pause();
      try {
        await apply(sample, { stream: message.created, mark: markOf(message.sequence, index) });
      } catch (error) {
        if (stopped || isDatabaseAway(error)) throw error;
        log.error({ err: error, agentId: sample.agentId }, "a sample could not be applied");
        await aside(`agent ${sample.agentId}: ${String(error)}`);
      }
    }
  };

  await agents.reload();
  const start = await readPosition(db, partition);
  const following = followStream(bus, {
    stream,
    subject,
    from: start ?? "first",
    onMessage: (message) => exclusively(() => onMessage(message)),
  });
  const offReconnect = bus.onReconnect(observedSince.interrupted);

  const isSilent = ({ status, intervalMs, reading }: Tracked) => {
    const sinceMs = Math.max(reading?.lastSeenMs ?? 0, observedSince.sinceMs());
    return status === "online" && clock.now() - sinceMs > silenceMs(intervalMs);
  };

  /** Whether everything that the stream holds for us was read: what lies there unread may speak of whom we miss. */
  const isCaughtUp = async (): Promise<boolean> => {
    const last = await bus.jsm.streams.getMessage(stream, { last_by_subj: subject });
    return last === null || last.seq <= (following.position()?.sequence ?? 0);
  };

  const tellSilent = async () => {
    noticeStep();
    const silent = [...agents.values()].filter(isSilent);
    if (silent.length === 0) return;
    if (!(await isCaughtUp())) return observedSince.interrupted();
    const position = following.position();
    const streamPosition = position === null ? null : { stream: position.created, mark: endOf(position.sequence) };
    for (const agent of silent) {
      if (stopped || retry.waiting() || !isSilent(agent)) continue;
      const nowMs = clock.now();
      if (!(await persist(() => commitOffline(db, agent, streamPosition, nowMs)))) {
        await agents.reload([agent.id]);
        continue;
      }
      ctx.nudge();
      transitions.inc({ to: "offline" });
      agent.status = "offline";
      agent.statusSinceMs = nowMs;
      if (streamPosition !== null)
        Object.assign(agent, { stateStream: streamPosition.stream, stateMark: streamPosition.mark });
      live.tell(agent);
    }
  };

  const tellDuplicates = async () => {
    const found = boots.takeReturned();
    if (found.length === 0) return;
    try {
      await markDuplicateKeys(db, found, clock.now());
    } catch (error) {
      boots.putBack(found);
      throw error;
    }
    duplicateKeys.inc(found.length);
    for (const agentId of found) log.warn({ agentId }, "two machines report by one agent's key");
  };

  const tellHeldBack = async () => {
    const found = openings.takeHeldBack(clock.now());
    if (found.length === 0) return;
    try {
      await markHeldBack(db, found, clock.now());
    } catch (error) {
      openings.putBack(found);
      throw error;
    }
    heldBack.inc(found.length);
    for (const agentId of found) log.warn({ agentId }, "an agent has too many threshold incidents; some are held back");
  };

  const save = async (ending = false) => {
    await tellDuplicates();
    await tellHeldBack();
    // Few are seen a second later; many are written together.
    if (!ending && dirty.size > fewReadings && clock.elapsedMs() - savedAtMs < fullSaveMs) return;
    savedAtMs = clock.elapsedMs();
    const saved = dirty;
    const position = following.position();
    if (saved.size === 0 && (position?.sequence ?? -1) === savedSequence) return;
    dirty = new Map();
    try {
      await saveReadings(db, { partition, position, changed: [...saved.values()], nowMs: clock.now() });
      savedSequence = position?.sequence ?? -1;
    } catch (error) {
      for (const [id, value] of saved) if (!dirty.has(id)) dirty.set(id, value);
      throw error;
    }
  };

  return {
    heard(agentId) {
      if (agents.isGone(agentId)) return;
      boots.forget(agentId);
      openings.forget(agentId);
      touched.add(agentId);
      if (touched.size > 1) return;
      exclusively(async () => {
        const ids = [...touched];
        touched.clear();
        await agents.reload(ids);
      }).catch((error: unknown) => log.warn({ err: error, partition }, "agents could not be read"));
    },
    sweep() {
      observedSince.tick();
      if (!bus.connected() || !ctx.takesReports()) return observedSince.interrupted();
      if (retry.waiting() || sweeping) return;
      sweeping = true;
      exclusively(tellSilent)
        .catch((error: unknown) => log.warn({ err: error, partition }, "a silence could not be told"))
        .finally(() => (sweeping = false));
    },
    save: () => save(),
    async stop() {
      stopped = true;
      retry.stop();
      offReconnect();
      await following.stop();
      await save(true).catch((error: unknown) => log.warn({ err: error, partition }, "the last figures were not kept"));
    },
  };
}
