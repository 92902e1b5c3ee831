import { fromBinary } from "@bufbuild/protobuf";
import type { BusMessage } from "@sonde/kit/bus/follow";
import { clipError } from "@sonde/kit/clip";
import type { Arrival } from "@sonde/kit/partitions/facts";
import { createItems } from "@sonde/kit/partitions/items";
import { createOwner, type Partition, type PartitionContext } from "@sonde/kit/partitions/partition";
import { createSaving, type StreamMark } from "@sonde/kit/partitions/saving";
import { type Ping, PingBatchSchema } from "@sonde/proto/gen/pings/v1/pings";
import { pingTypes } from "@sonde/proto/http/monitors/pings";
import { streams } from "@sonde/proto/streams";
import { heartbeatLocation, partitionOf, subjects } from "@sonde/proto/subjects";
import { figuresOf, type LiveMonitors } from "../state/live.ts";
import { mergeNewer, type LocationState } from "../state/tracked.ts";
import { commitTransition, applyTransition } from "../state/transition.ts";
import { createCoverage } from "./coverage.ts";
import {
  decideHeartbeat,
  decideSilence,
  type HeartbeatDecision,
  nextLookMs,
  rebased,
  type TrackedHeartbeat,
} from "./decide.ts";
import { createLooks } from "./looks.ts";
import { createRows } from "./rows.ts";
import { type ChangedHeartbeat, loadHeartbeats, readHeartbeatPosition, saveHeartbeats } from "./store.ts";

export type HeartbeatsContext = PartitionContext & { live: LiveMonitors };

/**
 * Processes a partition of PINGS from its last owner's position. A ping's path is `onMessage`, `onPing`,
 * `commitAndPublish`; that of a missing ping is `commitDue`, `commitSilent`, `commitAndPublish`. Rejects if PostgreSQL is
 * unavailable.
 */
export async function openHeartbeats(ctx: HeartbeatsContext, partition: number): Promise<Partition<TrackedHeartbeat>> {
  const { db, bus, live, clock } = ctx;
  const owner = createOwner<Ping>(ctx, {
    partition,
    service: "monitors",
    stream: streams.pings.name,
    subjects: [subjects.pings(partition)],
    factName: "ping",
    parse: (bytes) => fromBinary(PingBatchSchema, bytes).pings,
    faultOf({ monitorId, type, id }) {
      if (partitionOf(monitorId) !== partition) return "monitor of another partition";
      if (id === "") return "missing id";
      return pingTypes.some((valid) => valid === type) ? null : "unknown type";
    },
    idOf: ({ monitorId }) => monitorId,
  });
  const rows = createRows(bus, partition);
  const { position: from, covered } = await readHeartbeatPosition(db, partition);
  const coverage = createCoverage(covered);
  /** Time of the newest message, by the bus's clock and by ours. */
  let newest: { storedAtMs: number; elapsedMs: number } | undefined;
  const saving = createSaving<ChangedHeartbeat>({
    partition,
    clock,
    save: (saved) => saveHeartbeats(db, saved, heartbeatLocation, coverage.get()),
    fewChanges: 100,
    manyEveryMs: 60_000,
  });
  const heartbeats = createItems<TrackedHeartbeat>({
    persist: owner.persist,
    load: (ids) => loadHeartbeats(db, partition, ids),
    onLoad(loaded, known) {
      if (known !== undefined) mergeNewer(known, loaded, clock.now());
      // Pausing discards the state.
      if (known !== undefined && known.sinceMs === loaded.sinceMs) loaded.state = known.state ?? loaded.state;
      const isEdited = loaded.state !== null && loaded.state.version !== loaded.version;
      if (isEdited) loaded.state = rebased(loaded);
      looks.plan(loaded.id);
      if (isEdited) queueState(loaded, true);
      if (known !== undefined && known.version !== loaded.version) publishFigures(loaded, false);
    },
    onGone(id) {
      looks.plan(id);
      live.forget(id);
    },
  });
  const looks = createLooks((id) => {
    const heartbeat = heartbeats.get(id);
    return heartbeat === undefined ? null : nextLookMs(heartbeat);
  });

  async function onMessage(message: BusMessage, storedAtMs: number): Promise<void> {
    await commitDue(storedAtMs, storedAtMs);
    coverage.observe(storedAtMs);
    newest = { storedAtMs, elapsedMs: clock.elapsedMs() };
    const pings = owner.read(message, storedAtMs);
    await pings.each(onPing);
    await pings.deadLetterInvalid();
  }

  /** Most pings only change memory and return no promise. */
  function onPing(ping: Ping, at: Arrival): Promise<void> | undefined {
    return heartbeats.apply(ping.monitorId, (heartbeat, mayCommit) => {
      if (heartbeat === undefined) return undefined;
      const decision = decideHeartbeat(heartbeat, ping, at.storedAtMs);
      if (decision.ignored !== undefined) return undefined;
      const mustCommit = mayCommit && changesRow(heartbeat, decision, at);
      return mustCommit ? commitAndPublish(heartbeat, decision, at) : publish(heartbeat, decision, false);
    });
  }

  async function findSilent(): Promise<void> {
    if (newest === undefined) return;
    const busMs = newest.storedAtMs + clock.elapsedMs() - newest.elapsedMs;
    if (dueBy(busMs, null).length > 0 && (await owner.isCaughtUp())) await commitDue(busMs, null);
  }
  /**
   * `busMs`: end of the silence by the bus's clock. `nextMs`: when the message that ended it was stored; `null` if
   * none did.
   */
  async function commitDue(busMs: number, nextMs: number | null): Promise<void> {
    const commitSome = async (some: readonly TrackedHeartbeat[]) => {
      const committed: boolean[] = [];
      for (const heartbeat of some) committed.push(await commitSilent(heartbeat, busMs, nextMs));
      return committed;
    };
    // A heartbeat can miss several pings, hence the loop. After two failures it retries in the next second.
    for (let failures = 0; failures < 2 && !owner.isStopped();) {
      const due = dueBy(busMs, nextMs);
      if (due.length === 0) return;
      failures = (await owner.commitSilence(heartbeats, due, commitSome)) ? 0 : failures + 1;
    }
  }
  function dueBy(busMs: number, nextMs: number | null): TrackedHeartbeat[] {
    return [...looks.until(busMs)].flatMap((id) => {
      const heartbeat = heartbeats.get(id);
      const atMs = heartbeat === undefined ? null : nextLookMs(heartbeat);
      return atMs !== null && atMs <= busMs && coverage.isConclusive(atMs, nextMs) ? [heartbeat!] : [];
    });
  }
  async function commitSilent(heartbeat: TrackedHeartbeat, busMs: number, nextMs: number | null): Promise<boolean> {
    const atMs = nextLookMs(heartbeat);
    // A failed batch is retried one by one, and part of it may be committed already.
    if (atMs === null || atMs > busMs) return true;
    const read = owner.readTo();
    const decision = decideSilence(heartbeat, (sinceMs) => coverage.covers(sinceMs, atMs, nextMs));
    if (decision === null || read === null) return false;
    if (changesRow(heartbeat, decision, read)) return commitAndPublish(heartbeat, decision, read);
    publish(heartbeat, decision, false);
    return true;
  }

  /** Returns false if the row has changed since the decision (another owner or a user). */
  async function commitAndPublish(
    heartbeat: TrackedHeartbeat,
    decision: HeartbeatDecision,
    { stream, mark }: StreamMark,
  ): Promise<boolean> {
    const { status: to, calms } = decision;
    const locationState = locationOf(heartbeat, decision)!;
    const { slotMs } = locationState;
    const change = { to, sinceMs: locationState.checkedAtMs, calms, locationState, slotMs };
    const transition = { monitor: heartbeat, ...change, stream, mark, nowMs: clock.now() };
    const flapping = await owner.commit(() => commitTransition(db, transition));
    if (flapping === null) return false;
    applyTransition(transition, flapping);
    publish(heartbeat, decision, true);
    return true;
  }

  function publish(heartbeat: TrackedHeartbeat, decision: HeartbeatDecision, committed: boolean): undefined {
    heartbeat.state = decision.state;
    looks.plan(heartbeat.id);
    const location = locationOf(heartbeat, decision);
    if (location !== null) heartbeat.locationStates.set(heartbeatLocation, location);
    if (decision.outcome !== null) rows.add(heartbeat, decision.outcome);
    if (decision.unseenMs !== undefined) rows.addUnseen(heartbeat, decision.unseenMs);
    queueState(heartbeat, committed);
    if (location !== null) publishFigures(heartbeat, committed);
  }

  function queueState({ id, sinceMs, state, locationStates }: TrackedHeartbeat, soon: boolean): void {
    saving.keep(id, { id, sinceMs, state, location: locationStates.get(heartbeatLocation) ?? null }, soon);
  }
  function publishFigures(heartbeat: TrackedHeartbeat, now: boolean): void {
    const figures = figuresOf(heartbeat, false, clock.now());
    figures.nextCheckAtMs = heartbeat.activeSinceMs === null ? undefined : heartbeat.state?.dueMs;
    live.publish(figures, now);
  }

  return owner.open({
    items: heartbeats,
    from,
    onMessage,
    findSilent,
    async save(position, all) {
      await rows.flush();
      await saving.save(position, all);
    },
  });
}

function changesRow(heartbeat: TrackedHeartbeat, decision: HeartbeatDecision, { stream, mark }: StreamMark): boolean {
  const isPast = heartbeat.stateStream === stream && heartbeat.stateMark >= mark;
  return !isPast && decision.outcome !== null && (decision.status !== heartbeat.status || decision.calms);
}

const locationOf = (heartbeat: TrackedHeartbeat, { outcome, state }: HeartbeatDecision): LocationState | null =>
  outcome && {
    version: heartbeat.version,
    slotMs: outcome.slotMs ?? outcome.atMs,
    checkedAtMs: outcome.atMs,
    failing: outcome.error !== undefined,
    failures: state.failures,
    status: outcome.error === undefined ? "up" : "down",
    responseTimeMs: outcome.durationMs ?? 0,
    ...(outcome.error !== undefined && { error: clipError(outcome.error.message) }),
  };
