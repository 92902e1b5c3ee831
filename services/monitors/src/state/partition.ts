import { fromBinary } from "@bufbuild/protobuf";
import { watchBucket } from "@sonde/kit/bus/follow";
import { steady } from "@sonde/kit/incidents/flapping";
import type { Behaviour } from "@sonde/kit/partitions/behaviour";
import { ownPartitions } from "@sonde/kit/partitions/owners";
import {
  type KeepChange,
  openPartition as open,
  type Partition as OpenPartition,
  type PartitionContext,
} from "@sonde/kit/partitions/partition";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { buckets, streams } from "@sonde/proto/streams";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { type HeartbeatsContext, openHeartbeats } from "../heartbeats/partition.ts";
import { addOpinion } from "../opinions/kept.ts";
import { type AppliedResult, decide } from "./decide.ts";
import { figuresOf, type LiveMonitors } from "./live.ts";
import {
  applied,
  faultOf,
  ignored,
  type OnFutureResult,
  parseResults,
  transitions,
  warnOfFutureResults,
} from "./results.ts";
import type { Opinions } from "../opinions/ask.ts";
import { commitFresh, commitStale } from "./silence.ts";
import { closeSilentLocation, type SilentLocations } from "./silent-locations.ts";
import { isStale, silenceOf } from "./stale.ts";
import { type ChangedLocation, loadTracked, saveFigures } from "./store.ts";
import { capInstants, keepNewer, newestLocationState, type TrackedMonitor } from "./tracked.ts";
import { commitCalm, commitPartial, commitTransition } from "./transition.ts";

export type ResultsOwnerContext = PartitionContext & {
  live: LiveMonitors;
  onFutureResult: OnFutureResult;
  opinions: Opinions;
  silentLocations: SilentLocations;
};

/** One partition of RESULTS while this process owns it. */
export type ResultsPartition = OpenPartition<TrackedMonitor>;

/** Processes a partition of RESULTS from its last owner's position. Rejects if PostgreSQL is unavailable. */
export const openPartition = (ctx: ResultsOwnerContext, partition: number): Promise<ResultsPartition> =>
  open(ctx, partition, (keep) => behaviourOf(ctx, partition, keep));

/** What results do to the monitors of a partition. */
function behaviourOf(
  { db, live, clock, onFutureResult, opinions, silentLocations }: ResultsOwnerContext,
  partition: number,
  keep: KeepChange<ChangedLocation>,
): Behaviour<TrackedMonitor, CheckResult, AppliedResult, ChangedLocation> {
  const lastCheckedAtMs = (monitor: TrackedMonitor) =>
    newestLocationState(monitor.locationStates.values())?.checkedAtMs ?? null;
  const tell = (monitor: TrackedMonitor, now: boolean) => {
    const nowMs = clock.now();
    live.tell(figuresOf(monitor, isStale(monitor, lastCheckedAtMs(monitor), nowMs), nowMs), now);
  };
  const keepLocation = (monitor: TrackedMonitor, location: string, soon = false) => {
    const locationState = monitor.locationStates.get(location);
    if (locationState !== undefined)
      keep(`${monitor.id}/${location}`, { monitorId: monitor.id, location, locationState }, soon);
  };

  return {
    service: "monitors",
    stream: streams.results.name,
    subjects: [subjects.results(partition, "*"), subjects.previousResults(partition)],
    factName: "result",
    parse: parseResults,
    faultOf: (result, subject) => faultOf(result, partition, subject),
    idOf: ({ monitorId }) => monitorId,

    async load(ids) {
      if (ids === undefined) await opinions.look();
      return loadTracked(db, partition, ids);
    },
    save: (saved) => saveFigures(db, saved),
    // Replicas have newer figures from each other (`live.ts`), and what was not kept is read again from the stream.
    fewChanges: 0,
    manyEveryMs: 60_000,
    onLoad(loaded, known, isFirst) {
      if (known !== undefined) keepNewer(known, loaded, clock.now());
      if (!isFirst && known?.version !== loaded.version) tell(loaded, false);
    },
    onGone: live.forget,
    cap(monitor) {
      if (!capInstants(monitor, clock.now())) return;
      for (const location of monitor.locationStates.keys()) keepLocation(monitor, location);
      tell(monitor, false);
    },

    isOutdated: (monitor, { version }) => monitor.version < version,
    decide: (monitor, result, { storedAtMs }) => decide(monitor, result, storedAtMs, opinions.of(monitor)),
    isTransition(monitor, { status, calms, isOwn, partial, isLate, changed }, { stream, mark, storedAtMs }) {
      // What was read again after a kill decided before: it is only counted again.
      const isPast = monitor.stateStream === stream && monitor.stateMark >= mark;
      const changes = status !== monitor.status || calms || partial !== undefined;
      const endsSilence = [...changed.keys()].some((name) => silentLocations.isEndedBy(name, storedAtMs));
      return !isPast && (changes || isLate || ((monitor.toldStale || endsSilence) && isOwn));
    },
    async transition(monitor, { slotMs, location }, decision, { stream, mark, storedAtMs }) {
      const { changed, locationState, isOwn, status: to, calms, partial, isLate } = decision;
      const nowMs = clock.now();
      if (monitor.toldStale && isOwn) {
        await commitFresh(db, monitor, locationState, nowMs);
        Object.assign(monitor, { toldStale: false, hasStaleIncident: false });
      }
      if (isOwn && silentLocations.isEndedBy(location, storedAtMs)) {
        await closeSilentLocation(db, location, locationState.checkedAtMs, nowMs);
        silentLocations.ended(location);
      }
      if (isLate) await addOpinion(db, monitor.id, locationState.suspicion);
      if (to === monitor.status && !calms && partial === undefined) return () => {};
      const transition = { monitor, to, changed, locationState, slotMs, stream, mark, nowMs, partial };
      const toldPartial = partial === undefined ? monitor.toldPartial : partial === "begins";
      if (to === monitor.status) {
        if (!(await (calms ? commitCalm(db, transition) : commitPartial(db, transition)))) return null;
        const flapping = calms ? steady : monitor.flapping;
        return () => void Object.assign(monitor, { flapping, toldPartial, stateStream: stream, stateMark: mark });
      }
      const flapping = await commitTransition(db, transition);
      if (flapping === null) return null;
      return () => {
        Object.assign(monitor, { flapping, toldPartial, stateStream: stream, stateMark: mark });
        monitor.status = to;
        monitor.statusSinceMs = locationState.checkedAtMs;
        transitions.inc({ to });
      };
    },
    take(monitor, { manual }, { changed, locationState, suspects }, committed) {
      for (const [location, state] of changed) {
        monitor.locationStates.set(location, state);
        keepLocation(monitor, location, committed);
      }
      if (suspects && locationState.suspicion !== undefined) opinions.ask(monitor, locationState.suspicion);
      applied.inc();
      tell(monitor, committed || manual);
    },
    ignore(result, reason, { storedAtMs }) {
      ignored.inc({ reason });
      if (reason === "early") onFutureResult(result, storedAtMs);
    },

    isSilent(monitor, observedSinceMs) {
      const sinceMs = Math.max(lastCheckedAtMs(monitor) ?? 0, observedSinceMs);
      return silenceOf(monitor, sinceMs, silentLocations.servedSinceMs, clock.now()) !== null;
    },
    async tellSilent(monitors, read) {
      const silent = await Promise.all(
        monitors.map(async (monitor) => {
          const lastMs = lastCheckedAtMs(monitor) ?? monitor.activeSinceMs ?? 0;
          return { monitor, lastCheckedAtMs: lastMs, isOwn: !(await silentLocations.covers(monitor, lastMs)) };
        }),
      );
      const nowMs = clock.now();
      const committed = await commitStale(db, silent, read, { nowMs, causeOf: silentLocations.causeOf });
      const takeSilent = (monitor: TrackedMonitor, isOwn: boolean) => {
        Object.assign(monitor, { toldStale: true, hasStaleIncident: isOwn });
        if (!isOwn) for (const name of monitor.locations) silentLocations.opened(name, nowMs);
        if (read !== null) Object.assign(monitor, { stateStream: read.stream, stateMark: read.mark });
        tell(monitor, true);
      };
      // A monitor that was reported with its location is left as it is.
      return silent.map(({ monitor, isOwn }, index) =>
        committed[index] === true ? () => takeSilent(monitor, isOwn) : monitor.toldStale && !isOwn ? () => {} : null,
      );
    },
  };
}

type Owners = Service & {
  /** A definition changed in this process: its owner here checks it at once. */
  reread(monitorId: number, revision: number): void;
};

/** `onLeft` is called when another process of the service left. */
type OwnersOptions = Omit<ResultsOwnerContext, "onFutureResult"> & { onLeft?: () => void };

/**
 * Works on this process's share of the partitions of RESULTS. For some seconds two processes may work on one; the
 * guards in `commitTransition` make that harmless.
 */
export function startOwners({ onLeft, ...given }: OwnersOptions): Owners {
  const ctx = { ...given, onFutureResult: warnOfFutureResults(given.bus.log, given.clock) };
  const open = (partition: number) => openPartition(ctx, partition);
  return ownAndReread({ ...given, group: "monitors", open, onLeft });
}

/** The same of calls of heartbeats. */
export const startHeartbeatOwners = (ctx: HeartbeatsContext): Owners =>
  ownAndReread({ ...ctx, group: "heartbeats", open: (partition) => openHeartbeats(ctx, partition) });

/** Owners that read a monitor again when its definition changed, here or in another process. */
function ownAndReread<Item extends { id: number; revision: number }>(
  options: Pick<OwnersOptions, "bus" | "clock" | "onLeft"> & {
    group: "monitors" | "heartbeats";
    open: (partition: number) => Promise<OpenPartition<Item>>;
  },
): Owners {
  const { bus } = options;
  const owners = ownPartitions(options);
  const reread = (monitorId: number, revision: number) => {
    const partition = owners.get(partitionOf(monitorId));
    if ((partition?.get(monitorId)?.revision ?? -1) < revision) partition?.reread(monitorId);
  };
  const watching = watchBucket(bus, {
    bucket: buckets.timelines,
    onEntry: ({ key, value }) => {
      try {
        const { monitorId, revision } = fromBinary(MonitorTimelineSchema, value);
        reread(monitorId, revision);
      } catch (error) {
        bus.log.warn({ err: error, key }, "invalid timeline in its bucket");
      }
    },
  });
  return {
    reread,
    async stop() {
      await watching.stop();
      await owners.stop();
    },
  };
}
