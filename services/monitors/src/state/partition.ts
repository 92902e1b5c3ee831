import type { BusMessage } from "@sonde/kit/bus/follow";
import type { Arrival } from "@sonde/kit/partitions/facts";
import { createItems } from "@sonde/kit/partitions/items";
import { createOwner, type Partition, type PartitionContext } from "@sonde/kit/partitions/partition";
import { createSaving, readPosition } from "@sonde/kit/partitions/saving";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { readFacts } from "../causes/facts.ts";
import type { Opinions } from "../opinions/ask.ts";
import { addOpinion } from "../opinions/store.ts";
import { type AppliedResult, decide } from "./decide.ts";
import { figuresOf, type LiveMonitors } from "./live.ts";
import { applied, deadLetterReason, ignored, type OnFutureResult, parseResults } from "./results.ts";
import { commitFresh, commitStale } from "./silence.ts";
import { closeSilentLocation, type SilentLocations } from "./silent-locations.ts";
import { isStale, silenceOf } from "./stale.ts";
import { loadTracked, saveFigures, type SavedFigures } from "./store.ts";
import { capInstants, type LocationState, mergeNewer, newestLocationState, type TrackedMonitor } from "./tracked.ts";
import { commitTransition, applyTransition } from "./transition.ts";

export type ResultsOwnerContext = PartitionContext & {
  live: LiveMonitors;
  onFutureResult: OnFutureResult;
  opinions: Opinions;
  silentLocations: SilentLocations;
};

export type ResultsPartition = Partition<TrackedMonitor>;

type Applied = { monitor: TrackedMonitor; result: CheckResult; decision: AppliedResult; at: Arrival };

/**
 * Processes a partition of RESULTS from its last owner's position. A result passes through `onMessage`, `onResult`,
 * `commitAndPublish`, `publish`. Rejects if PostgreSQL is unavailable.
 */
export async function openPartition(ctx: ResultsOwnerContext, partition: number): Promise<ResultsPartition> {
  const { db, live, clock, onFutureResult, opinions, silentLocations } = ctx;
  const owner = createOwner<CheckResult>(ctx, {
    partition,
    service: "monitors",
    stream: streams.results.name,
    subjects: [subjects.results(partition, "*"), subjects.previousResults(partition)],
    factName: "result",
    parse: parseResults,
    faultOf: (result, subject) => deadLetterReason(result, partition, subject),
    idOf: ({ monitorId }) => monitorId,
  });
  const saving = createSaving<SavedFigures>({
    partition,
    clock,
    save: (saved) => saveFigures(db, saved),
    // Replicas exchange newer figures (`live.ts`), and unsaved ones are read again from the stream.
    fewChanges: 0,
    manyEveryMs: 60_000,
  });
  const monitors = createItems<TrackedMonitor>({
    persist: owner.persist,
    load: (ids) => loadTracked(db, partition, ids),
    onLoad(loaded, known, isFirst) {
      if (known !== undefined) mergeNewer(known, loaded, clock.now());
      if (!isFirst && known?.version !== loaded.version) publishFigures(loaded, false);
    },
    onGone: live.forget,
    cap(monitor) {
      if (!capInstants(monitor, clock.now())) return;
      for (const location of monitor.locationStates.keys()) queueLocation(monitor, location);
      publishFigures(monitor, false);
    },
  });

  async function onMessage(message: BusMessage, storedAtMs: number): Promise<void> {
    const results = owner.read(message, storedAtMs);
    await results.each(onResult);
    await results.deadLetterInvalid();
  }

  /** Most results only change memory and return no promise. */
  function onResult(result: CheckResult, at: Arrival): Promise<void> | undefined {
    const apply = (monitor: TrackedMonitor | undefined, mayCommit: boolean) => {
      if (monitor === undefined) return ignore(result, "deleted", at);
      const decision = decide(monitor, result, at.storedAtMs, opinions.of(monitor));
      if (decision.ignored !== undefined) return ignore(result, decision.ignored, at);
      const applied = { monitor, result, decision, at };
      return mayCommit && changesRow(applied) ? commitAndPublish(applied) : publish(applied, false);
    };
    return monitors.apply(result.monitorId, apply, ({ version }) => version < result.version);
  }

  function ignore(result: CheckResult, reason: string, { storedAtMs }: Arrival): undefined {
    ignored.inc({ reason });
    if (reason === "early") onFutureResult(result, storedAtMs);
  }

  function changesRow({ monitor, decision, at: { stream, mark, storedAtMs } }: Applied): boolean {
    // A result read again after a kill was already decided.
    if (monitor.stateStream === stream && monitor.stateMark >= mark) return false;
    const { status, slow, calms, isOwn, partial, isLate, changed } = decision;
    const changes = status !== monitor.status || slow !== monitor.isSlow || calms || partial !== undefined;
    const endsSilence = [...changed.keys()].some((name) => silentLocations.isEndedBy(name, storedAtMs));
    return changes || isLate || ((monitor.isStaleReported || endsSilence) && isOwn);
  }

  async function commitAndPublish(applied: Applied): Promise<boolean> {
    const committed = await owner.commit(() => commit(applied));
    if (committed) publish(applied, true);
    return committed;
  }

  /** Returns false if the row has changed since the decision (another owner or a user). */
  async function commit({ monitor, result, decision, at: { stream, mark, storedAtMs } }: Applied): Promise<boolean> {
    const { changed, locationState, isOwn, status: to, sinceMs, slow, calms, partial, isLate } = decision;
    const { slotMs, location } = result;
    const nowMs = clock.now();
    if (monitor.isStaleReported && isOwn) {
      await commitFresh(db, monitor, locationState, nowMs);
      Object.assign(monitor, { isStaleReported: false, hasStaleIncident: false });
    }
    if (isOwn && silentLocations.isEndedBy(location, storedAtMs)) {
      await closeSilentLocation(db, location, locationState.checkedAtMs, nowMs);
      silentLocations.ended(location);
    }
    if (isLate) await addOpinion(db, monitor.id, locationState.suspicion);
    if (to === monitor.status && slow === monitor.isSlow && !calms && partial === undefined) return true;
    const slotState = { changed, locationState, slotMs, stream, mark };
    const transition = { monitor, to, sinceMs, slow, calms, partial, ...slotState, nowMs };
    const flapping = await commitTransition(db, transition);
    if (flapping === null) return false;
    applyTransition(transition, flapping);
    return true;
  }

  function publish({ monitor, result, decision }: Applied, committed: boolean): undefined {
    const { changed, locationState, suspects } = decision;
    for (const [location, state] of changed) {
      monitor.locationStates.set(location, state);
      queueLocation(monitor, location, committed);
    }
    if (decision.isOwn) queueFacts(result, locationState);
    if (suspects && locationState.suspicion !== undefined) opinions.ask(monitor, locationState.suspicion);
    applied.inc();
    publishFigures(monitor, committed || result.manual);
  }

  function queueLocation(monitor: TrackedMonitor, location: string, soon = false): void {
    const locationState = monitor.locationStates.get(location);
    if (locationState !== undefined)
      saving.keep(`${monitor.id}/${location}`, { monitorId: monitor.id, location, locationState }, soon);
  }
  function queueFacts({ monitorId, location, fingerprint }: CheckResult, locationState: LocationState): void {
    const facts = readFacts(fingerprint);
    if (facts === undefined) return;
    const { status, version, checkedAtMs: atMs } = locationState;
    saving.keep(`${monitorId}/${location}/${status}`, { monitorId, location, status, version, atMs, facts });
  }
  function publishFigures(monitor: TrackedMonitor, now: boolean): void {
    const nowMs = clock.now();
    live.publish(figuresOf(monitor, isStale(monitor, lastCheckedAtMs(monitor), nowMs), nowMs), now);
  }

  async function findSilent(): Promise<void> {
    const isSilent = (monitor: TrackedMonitor) => {
      const sinceMs = Math.max(lastCheckedAtMs(monitor) ?? 0, owner.observedSinceMs());
      return silenceOf(monitor, sinceMs, silentLocations.servedSinceMs, clock.now()) !== null;
    };
    const silent = [...monitors.values()].filter(isSilent);
    if (silent.length === 0 || !(await owner.isCaughtUp())) return;
    await owner.commitSilence(monitors, silent, commitSilent, isSilent);
  }
  async function commitSilent(some: readonly TrackedMonitor[]): Promise<boolean[]> {
    const read = owner.readTo();
    const look = async (monitor: TrackedMonitor) => {
      const lastMs = lastCheckedAtMs(monitor) ?? monitor.activeSinceMs ?? 0;
      return { monitor, lastCheckedAtMs: lastMs, isOwn: !(await silentLocations.covers(monitor, lastMs)) };
    };
    const silent = await owner.persist(() => Promise.all(some.map(look)));
    const nowMs = clock.now();
    const committed = await owner.commit(() =>
      commitStale(db, silent, read, { nowMs, causeOf: silentLocations.causeOf }),
    );
    return silent.map(({ monitor, isOwn }, index) => {
      // A monitor whose location's silence was reported needs nothing more.
      if (committed[index] !== true) return monitor.isStaleReported && !isOwn;
      Object.assign(monitor, { isStaleReported: true, hasStaleIncident: isOwn });
      if (!isOwn) for (const name of monitor.locations) silentLocations.opened(name, nowMs);
      if (read !== null) Object.assign(monitor, { stateStream: read.stream, stateMark: read.mark });
      publishFigures(monitor, true);
      return true;
    });
  }

  const from = await readPosition(db, partition);
  await opinions.look();
  return owner.open({ items: monitors, from, onMessage, findSilent, save: saving.save });
}

const lastCheckedAtMs = (monitor: TrackedMonitor): number | null =>
  newestLocationState(monitor.locationStates.values())?.checkedAtMs ?? null;
