import { fromBinary } from "@bufbuild/protobuf";
import { clipError } from "@sonde/kit/clip";
import { steady } from "@sonde/kit/incidents/flapping";
import type { Behaviour, StreamMark, TakeOver } from "@sonde/kit/partitions/behaviour";
import { type KeepChange, openPartition, type Partition, type PartitionContext } from "@sonde/kit/partitions/partition";
import { type Ping, PingBatchSchema } from "@sonde/proto/gen/pings/v1/pings";
import { pingTypes } from "@sonde/proto/http/monitors/pings";
import { streams } from "@sonde/proto/streams";
import { heartbeatLocation, partitionOf, subjects } from "@sonde/proto/subjects";
import { figuresOf, type LiveMonitors } from "../state/live.ts";
import { transitions } from "../state/results.ts";
import { keepNewer, type LocationState } from "../state/tracked.ts";
import { commitCalm, commitTransition } from "../state/transition.ts";
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

/** Processes a partition of PINGS from its last owner's position. Rejects if PostgreSQL is unavailable. */
export const openHeartbeats = (ctx: HeartbeatsContext, partition: number): Promise<Partition<TrackedHeartbeat>> =>
  openPartition(ctx, partition, (keep) => behaviourOf(ctx, partition, keep));

/** What calls, and their absence, do to the heartbeats of a partition. */
function behaviourOf(
  { db, bus, live, clock }: HeartbeatsContext,
  partition: number,
  keep: KeepChange<ChangedHeartbeat>,
): Behaviour<TrackedHeartbeat, Ping, HeartbeatDecision, ChangedHeartbeat> {
  const rows = createRows(bus, partition);
  const items = new Map<number, TrackedHeartbeat>();
  let coverage = createCoverage({ coveredSinceMs: null, heardMs: null });
  /** When the message was stored that ended the silence that is looked at; null: none did. */
  let nextMs: number | null = null;
  const looks = createLooks((id) => {
    const item = items.get(id);
    return item === undefined ? null : nextLookMs(item);
  });

  const tell = (item: TrackedHeartbeat, now: boolean) => {
    const figures = figuresOf(item, false, clock.now());
    figures.nextCheckAtMs = item.activeSinceMs === null ? undefined : item.state?.dueMs;
    live.tell(figures, now);
  };
  const locationOf = (item: TrackedHeartbeat, { found, state }: HeartbeatDecision): LocationState | null =>
    found && {
      version: item.version,
      slotMs: found.slotMs ?? found.atMs,
      checkedAtMs: found.atMs,
      failing: found.error !== undefined,
      failures: state.failures,
      status: found.error === undefined ? "up" : "down",
      responseTimeMs: found.durationMs ?? 0,
      ...(found.error !== undefined && { error: clipError(found.error.message) }),
    };
  const isPast = ({ stateStream, stateMark }: TrackedHeartbeat, { stream, mark }: StreamMark) =>
    stateStream === stream && stateMark >= mark;
  const changes = (item: TrackedHeartbeat, { found, status, calms }: HeartbeatDecision) =>
    found !== null && (status !== item.status || calms);

  const commit = async (
    item: TrackedHeartbeat,
    decision: HeartbeatDecision,
    at: StreamMark,
  ): Promise<TakeOver | null> => {
    const { status: to } = decision;
    const locationState = locationOf(item, decision)!;
    const transition = { monitor: item, to, locationState, slotMs: locationState.slotMs, ...at, nowMs: clock.now() };
    const marks = { stateStream: at.stream, stateMark: at.mark };
    if (to === item.status) {
      const calmed = await commitCalm(db, transition);
      return calmed ? () => void Object.assign(item, { flapping: steady, ...marks }) : null;
    }
    const flapping = await commitTransition(db, transition);
    if (flapping === null) return null;
    return () => {
      Object.assign(item, { flapping, ...marks, status: to, statusSinceMs: locationState.checkedAtMs });
      transitions.inc({ to });
    };
  };
  const take = (item: TrackedHeartbeat, decision: HeartbeatDecision, committed: boolean) => {
    item.state = decision.state;
    looks.plan(item.id);
    const location = locationOf(item, decision);
    if (location !== null) item.locationStates.set(heartbeatLocation, location);
    if (decision.found !== null) rows.add(item, decision.found);
    if (decision.unseenMs !== undefined) rows.addUnseen(item, decision.unseenMs);
    keepState(item, committed);
    if (location !== null) tell(item, committed);
  };
  const keepState = (item: TrackedHeartbeat, soon: boolean) => {
    const { id, sinceMs, state, locationStates } = item;
    keep(id, { id, sinceMs, state, location: locationStates.get(heartbeatLocation) ?? null }, soon);
  };

  return {
    service: "monitors",
    stream: streams.pings.name,
    subjects: [subjects.pings(partition)],
    factName: "ping",
    parse: (bytes) => fromBinary(PingBatchSchema, bytes).pings,
    faultOf({ monitorId, type, id }) {
      if (partitionOf(monitorId) !== partition) return "another partition's monitor";
      if (id === "") return "no id";
      return pingTypes.some((known) => known === type) ? null : "an unknown type";
    },
    idOf: ({ monitorId }) => monitorId,

    async readPosition() {
      const { position, covered } = await readHeartbeatPosition(db, partition);
      coverage = createCoverage(covered);
      return position;
    },
    load: (ids) => loadHeartbeats(db, partition, ids),
    beforeSave: rows.flush,
    save: (saved) => saveHeartbeats(db, saved, heartbeatLocation, coverage.get()),
    fewChanges: 100,
    manyEveryMs: 60_000,
    onLoad(loaded, known) {
      items.set(loaded.id, loaded);
      if (known !== undefined) keepNewer(known, loaded, clock.now());
      // Of one that was paused meanwhile nothing is known any more.
      if (known !== undefined && known.sinceMs === loaded.sinceMs) loaded.state = known.state ?? loaded.state;
      const isEdited = loaded.state !== null && loaded.state.version !== loaded.version;
      if (isEdited) loaded.state = rebased(loaded);
      looks.plan(loaded.id);
      if (isEdited) keepState(loaded, true);
      if (known !== undefined && known.version !== loaded.version) tell(loaded, false);
    },
    onGone(id) {
      items.delete(id);
      looks.plan(id);
      live.forget(id);
    },
    cap() {},

    decide: (item, ping, { storedAtMs }) => decideHeartbeat(item, ping, storedAtMs),
    isTransition: (item, decision, arrival) => !isPast(item, arrival) && changes(item, decision),
    transition: (item, _ping, decision, { stream, mark }) => commit(item, decision, { stream, mark }),
    take: (item, _ping, decision, committed) => take(item, decision, committed),
    ignore() {},

    heard: (storedAtMs) => coverage.heard(storedAtMs),
    passed(busMs, arrived) {
      nextMs = arrived ? busMs : null;
      return [...looks.until(busMs)].flatMap((id) => {
        const item = items.get(id);
        const atMs = item === undefined ? null : nextLookMs(item);
        return atMs !== null && atMs <= busMs && coverage.isKnown(atMs, nextMs) ? [item!] : [];
      });
    },
    isSilent: () => false,
    tellSilent: (silent, read) =>
      Promise.all(
        silent.map(async (item) => {
          const atMs = nextLookMs(item);
          const isCovered = (sinceMs: number) => coverage.covers(sinceMs, atMs ?? 0, nextMs);
          const decision = decideSilence(item, isCovered);
          if (decision === null || read === null) return null;
          if (isPast(item, read) || !changes(item, decision)) return () => take(item, decision, false);
          const committed = await commit(item, decision, read);
          return committed && (() => (committed(), take(item, decision, true)));
        }),
      ),
  };
}
