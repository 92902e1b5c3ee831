import type { Bus } from "@sonde/kit/bus/connect";
import type { Log } from "@sonde/kit/service/log";
import { type MemberFigures, watchGroups } from "@sonde/kit/sharding/group";
import { gauge } from "@sonde/kit/telemetry/metrics";
import { type Clock, systemClock, type TimerClock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import { type RunnerTrouble, runnerTroubles } from "@sonde/proto/http/monitors/monitors";
import { runnerGroup, subjects } from "@sonde/proto/subjects";
import { setTimeout as sleep } from "node:timers/promises";

const lookMs = 1_000;
const rememberedMs = 60_000;
const listenMs = 3_000;
const settlePollMs = 50;

export function watchLocations(bus: Bus, clock: TimerClock = systemClock) {
  const watch = watchGroups({ bus, subject: subjects.allRunnerHeartbeats, clock });
  const prefix = runnerGroup("");
  const startedMs = clock.elapsedMs();
  const seenMs = new Map<string, number>();
  const servedSinceMs = new Map<string, number>();
  const look = () => {
    for (const [group, members] of watch.groups()) {
      const name = group.slice(prefix.length);
      if (members > 0) seenMs.set(name, clock.elapsedMs());
      if (members === 0 || watch.trouble(group) !== undefined) servedSinceMs.delete(name);
      else if (!servedSinceMs.has(name)) servedSinceMs.set(name, clock.now());
    }
    for (const [name, atMs] of seenMs) if (clock.elapsedMs() - atMs > rememberedMs) seenMs.delete(name);
  };
  const looking = startLoop({ work: "locations of runners", log: bus.log, everyMs: lookMs, run: look });
  const liveLocations = () => {
    look();
    return [...seenMs.keys()].toSorted();
  };
  return {
    runners: (name: string): number => watch.members(runnerGroup(name)),
    trouble: (name: string): RunnerTrouble | undefined =>
      runnerTroubles.find((known) => known === watch.trouble(runnerGroup(name))),
    figures: (name: string): MemberFigures[] => watch.figures(runnerGroup(name)),
    /** Since when a runner there can run checks, epoch ms; `null` if none can. */
    servedSinceMs: (name: string): number | null => servedSinceMs.get(name) ?? null,
    /** Locations with a live runner now or within the last minute, so that a restart moves no monitor. */
    liveLocations,
    /** Resolves when a runner was seen, or after three seconds without one. */
    async settled() {
      while (liveLocations().length === 0 && clock.elapsedMs() - startedMs < listenMs) await sleep(settlePollMs);
    },
    stop: () => {
      void looking.stop();
      watch.stop();
    },
  };
}

export type Locations = ReturnType<typeof watchLocations>;

const unservedCount = gauge(
  "sonde_locations_unserved",
  "Locations of active monitors that have had no live probe runner for 15 seconds",
);
/** A restarting runner is back within this time. */
const graceMs = 15_000;
const warnAgainMs = 60_000;

type UnservedOptions = {
  clock: Clock;
  log: Pick<Log, "warn" | "info">;
  locations: Pick<Locations, "runners" | "liveLocations" | "trouble">;
  count: () => Promise<Map<string, number>>;
};

export function trackUnserved({ clock, log, locations, count }: UnservedOptions) {
  let monitors = new Map<string, number>();
  const missedSinceMs = new Map<string, number>();
  const loggedMs = new Map<string, number>();
  const unserved = () =>
    [...missedSinceMs].filter(([, sinceMs]) => clock.elapsedMs() - sinceMs >= graceMs).map(([name]) => name);

  return {
    /** Updates the list. Logs unserved locations at most once a minute, and once when they are served again. */
    async look() {
      monitors = await count();
      const nowMs = clock.elapsedMs();
      for (const name of monitors.keys()) {
        if (locations.runners(name) === 0 && !missedSinceMs.has(name)) missedSinceMs.set(name, nowMs);
      }
      for (const name of missedSinceMs.keys()) {
        const isBack = locations.runners(name) > 0;
        if (!isBack && monitors.has(name)) continue;
        missedSinceMs.delete(name);
        if (loggedMs.delete(name) && isBack) log.info({ location: name }, "probe runner available again at a location");
      }
      unservedCount.set(unserved().length);
      for (const name of unserved()) {
        if (nowMs - (loggedMs.get(name) ?? Number.NEGATIVE_INFINITY) < warnAgainMs) continue;
        loggedMs.set(name, nowMs);
        const text = "no probe runner at a location: its monitors are not checked";
        log.warn({ location: name, monitors: monitors.get(name) ?? 0 }, text);
      }
    },
    /** Active monitors of a location. */
    monitors: (name: string): number => monitors.get(name) ?? 0,
    /** All locations with live runners, and unserved ones (0 runners), by name. `monitors` counts active ones. */
    list: () => {
      const liveLocations = locations.liveLocations().filter((name) => locations.runners(name) > 0);
      return [...new Set([...liveLocations, ...unserved()])].toSorted().map((name) => {
        const runners = locations.runners(name);
        return { name, runners, monitors: monitors.get(name) ?? 0, trouble: locations.trouble(name) };
      });
    },
  };
}

export type UnservedLocations = ReturnType<typeof trackUnserved>;
