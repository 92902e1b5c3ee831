import type { Bus } from "@sonde/kit/bus/connect";
import type { Clock } from "@sonde/kit/time/clock";
import { steady } from "@sonde/kit/incidents/flapping";
import { putAside } from "@sonde/kit/bus/dead-letters";
import { followStream, type Message } from "@sonde/kit/bus/follow";
import { createRetryPolicy } from "@sonde/kit/partitions/retry-policy";
import { readPosition } from "@sonde/kit/partitions/stream-positions";
import { type Database, isDatabaseAway } from "@sonde/kit/postgres/database";
import { markOf } from "@sonde/kit/partitions/stream-marks";
import { createQueue } from "@sonde/kit/concurrency/turns";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { createBusTime } from "./bus-time.ts";
import { type Applied, decide, type Ignored } from "./decide.ts";
import type { TellEarly } from "./early.ts";
import { figuresOf } from "./figures.ts";
import type { Live } from "./live.ts";
import { readResults } from "./results.ts";
import { createRegistry } from "./registry.ts";
import { isStale } from "./stale.ts";
import { type Changed, loadTracked, saveFigures } from "./store.ts";
import { applied, ignored, transitions } from "./telemetry.ts";
import { newestLocationState, type LocationState, type Tracked } from "./tracked.ts";
import { commitCalm, commitFresh, commitStale, commitTransition } from "./transition.ts";

export type OwnerContext = {
  db: Database;
  bus: Bus;
  live: Live;
  clock: Clock;
  /** Something was committed. */ nudge(): void;
  tellEarly: TellEarly;
};

/** One partition of RESULTS while this process owns it. */
export type Partition = {
  /** A definition of this revision exists; the row is read again unless it is known. */
  heard(monitorId: number, revision: number): void;
  /** Tells of monitors that missed three slots. */
  sweep(): void;
  /** Keeps figures and position. */
  save(): Promise<void>;
  /** How many monitors it holds. */
  size(): number;
  stop(): Promise<void>;
};

/** When the bus stored a result, and the result's place in its stream. */
type Arrival = { storedAtMs: number; stream: string; mark: number };

/** A message that lay longer than this is backlog: silence before it proves nothing about the monitors. */
const backlogMs = 5_000;

/** Rebuilds the state from PostgreSQL and reads on from where the last owner was. Rejects where that is away. */
export async function openPartition(ctx: OwnerContext, partition: number): Promise<Partition> {
  const { db, bus, live, clock } = ctx;
  const { log } = bus;
  let dirty = new Map<string, Changed>();
  const touched = new Set<number>();
  let stopped = false;
  /** Silence counts from here on: before, we did not listen, or were behind. */
  let observedSinceMs = clock.now();
  let sweeping = false;
  let savedSequence = -1;

  const { persist, ...retry } = createRetryPolicy(log, partition, () => void (observedSinceMs = clock.now()));

  // One thing at a time: a reload never reads what a transition is just changing.
  const exclusively = createQueue();

  const lastCheckedAtMs = (monitor: Tracked) =>
    newestLocationState(monitor.locationStates.values())?.checkedAtMs ?? null;
  const tell = (monitor: Tracked, now: boolean) => {
    const nowMs = clock.now();
    live.tell(figuresOf(monitor, isStale(monitor, lastCheckedAtMs(monitor), nowMs), nowMs), now);
  };

  const keep = (monitorId: number, location: string, locationState: LocationState) =>
    void dirty.set(`${monitorId}/${location}`, { monitorId, location, locationState });

  const busTime = createBusTime(clock);
  const monitors = createRegistry({
    now: clock.now,
    onCapped: (monitor) => {
      for (const [location, locationState] of monitor.locationStates) keep(monitor.id, location, locationState);
      tell(monitor, false);
    },
    // The first load may fail, for then the partition is not open yet; who opens it tries again while it is his.
    load: (ids) => (ids === undefined ? loadTracked(db, partition) : persist(() => loadTracked(db, partition, ids))),
    onVersion: (monitor) => tell(monitor, false),
    onGone: live.forget,
  });

  /** What was seen before the clock was set back must not block what is seen after. */
  const noticeStep = () => {
    if (!busTime.steppedBack()) return;
    observedSinceMs = clock.now();
    monitors.cap();
  };

  const ignore = (result: CheckResult, { storedAtMs }: Arrival, reason: Ignored["ignored"]) => {
    ignored.inc({ reason });
    if (reason === "early") ctx.tellEarly(result, storedAtMs);
  };

  const take = (monitor: Tracked, { location, manual }: CheckResult, { locationState }: Applied, changed: boolean) => {
    monitor.locationStates.set(location, locationState);
    keep(monitor.id, location, locationState);
    applied.inc();
    tell(monitor, changed || manual);
  };

  const change = async (
    monitor: Tracked,
    result: CheckResult,
    { locationState, status: to }: Applied,
    { stream, mark }: Arrival,
  ): Promise<boolean> => {
    const transition = { monitor, to, locationState, slotMs: result.slotMs, stream, mark, nowMs: clock.now() };
    if (to === monitor.status) {
      if (!(await persist(() => commitCalm(db, transition)))) return false;
      ctx.nudge();
      monitor.flapping = steady;
      return true;
    }
    const flapping = await persist(() => commitTransition(db, transition));
    if (flapping === null) return false;
    ctx.nudge();
    monitor.flapping = flapping;
    transitions.inc({ to });
    monitor.status = to;
    monitor.statusSinceMs = locationState.checkedAtMs;
    return true;
  };

  const applySlowly = async (result: CheckResult, arrival: Arrival): Promise<void> => {
    const id = result.monitorId;
    if ((monitors.get(id)?.version ?? 0) < result.version && !monitors.isGone(id)) await monitors.reload([id]);
    for (let attempt = 1; ; attempt++) {
      const monitor = monitors.get(id);
      if (monitor === undefined) return ignored.inc({ reason: "deleted" });
      const decision = decide(monitor, result, arrival.storedAtMs);
      if (decision.ignored !== undefined) return ignore(result, arrival, decision.ignored);
      const wanted = decision.status !== monitor.status || decision.calms;
      const changed = wanted && (await change(monitor, result, decision, arrival));
      // The row was not what we thought: look again, once. What then still is not ours to change stays.
      if (wanted && !changed && attempt === 1) {
        await monitors.reload([id]);
        continue;
      }
      if (monitor.toldStale) {
        const { checkedAtMs } = decision.locationState;
        if (await persist(() => commitFresh(db, monitor, checkedAtMs, clock.now()))) ctx.nudge();
        monitor.toldStale = false;
      }
      return take(monitor, result, decision, changed);
    }
  };

  /** In memory alone where nothing changes, which is nearly always. */
  const apply = (result: CheckResult, arrival: Arrival): Promise<void> | void => {
    const monitor = monitors.get(result.monitorId);
    if (monitor === undefined || monitor.version < result.version || monitor.toldStale)
      return applySlowly(result, arrival);
    const decision = decide(monitor, result, arrival.storedAtMs);
    if (decision.ignored !== undefined) return ignore(result, arrival, decision.ignored);
    if (decision.status !== monitor.status || decision.calms) return applySlowly(result, arrival);
    take(monitor, result, decision, false);
  };

  const onMessage = async (message: Message): Promise<void> => {
    noticeStep();
    const nowMs = clock.now();
    if (nowMs - message.storedAtMs > backlogMs) observedSinceMs = nowMs;
    if (busTime.busSteppedBack(message.storedAtMs)) monitors.cap();
    const storedAtMs = busTime.storedAtMs(message.storedAtMs);
    const { results, fault } = readResults(message.data, partition);
    const aside = (reason: string) =>
      putAside(bus, { stream: streams.results.name, service: "monitors", reason, message });
    const faults = fault === null ? [] : [fault];
    for (const [index, result] of results.entries()) {
      try {
        await apply(result, { storedAtMs, stream: message.created, mark: markOf(message.sequence, index) });
      } catch (error) {
        if (stopped || isDatabaseAway(error)) throw error;
        log.error({ err: error, monitorId: result.monitorId }, "a result could not be applied");
        faults.push(`monitor ${result.monitorId}: ${String(error)}`);
      }
    }
    // Once, however many results of it are faulty.
    const [first] = faults;
    if (first !== undefined) await aside(faults.length === 1 ? first : `${first}; and ${faults.length - 1} more`);
  };

  await monitors.reload();
  const position = await readPosition(db, partition);
  const following = followStream(bus, {
    stream: streams.results.name,
    subject: subjects.results(partition),
    from: position ?? "first",
    onMessage: (message) => exclusively(() => onMessage(message)),
  });
  const offReconnect = bus.onReconnect(() => void (observedSinceMs = clock.now()));

  const isSilent = (monitor: Tracked) =>
    !monitor.toldStale && isStale(monitor, Math.max(lastCheckedAtMs(monitor) ?? 0, observedSinceMs), clock.now());

  const tellSilent = async () => {
    noticeStep();
    if (![...monitors.values()].some(isSilent)) return;
    // While its disk is full JetStream holds connections and stores nothing: results do not come, whatever is checked.
    if (!(await answers(bus))) return void (observedSinceMs = clock.now());
    for (const monitor of monitors.values()) {
      if (stopped || retry.waiting() || !isSilent(monitor)) continue;
      const sinceMs = lastCheckedAtMs(monitor) ?? monitor.activeSinceMs ?? 0;
      if (await persist(() => commitStale(db, monitor, sinceMs, clock.now()))) ctx.nudge();
      monitor.toldStale = true;
      tell(monitor, true);
    }
  };

  const save = async () => {
    const saved = dirty;
    const position = following.position();
    if (saved.size === 0 && (position?.sequence ?? -1) === savedSequence) return;
    dirty = new Map();
    try {
      await saveFigures(db, { partition, position, changed: [...saved.values()], nowMs: clock.now() });
      savedSequence = position?.sequence ?? -1;
    } catch (error) {
      for (const [key, value] of saved) if (!dirty.has(key)) dirty.set(key, value);
      throw error;
    }
  };

  return {
    heard(monitorId, revision) {
      const known = monitors.get(monitorId);
      if (monitors.isGone(monitorId) || (known !== undefined && known.revision >= revision)) return;
      touched.add(monitorId);
      if (touched.size > 1) return;
      exclusively(async () => {
        const ids = [...touched];
        touched.clear();
        await monitors.reload(ids);
      }).catch((error: unknown) => log.warn({ err: error, partition }, "definitions could not be read"));
    },
    sweep() {
      if (!bus.connected() || retry.waiting() || sweeping) return;
      sweeping = true;
      exclusively(tellSilent)
        .catch((error: unknown) => log.warn({ err: error, partition }, "a silence could not be told"))
        .finally(() => (sweeping = false));
    },
    save,
    size: monitors.size,
    async stop() {
      stopped = true;
      retry.stop();
      offReconnect();
      await following.stop();
      await save().catch((error: unknown) => log.warn({ err: error, partition }, "the last figures were not kept"));
    },
  };
}

async function answers({ jsm }: Bus): Promise<boolean> {
  return jsm.streams.info(streams.results.name).then(
    () => true,
    () => false,
  );
}
