import type { Clock } from "@sonde/kit/time/clock";
import type { Log } from "@sonde/kit/service/log";
import { gauge } from "@sonde/kit/telemetry/metrics";
import type { Locations } from "./locations.ts";

const unservedCount = gauge(
  "sonde_locations_unserved",
  "Locations that active monitors name and where no probe runner has lived for 15 seconds",
);
/** A runner that restarts, or that starts beside us, is back within this. */
const graceMs = 15_000;
const warnAgainMs = 60_000;

type UnservedOptions = {
  clock: Clock;
  log: Pick<Log, "warn" | "info">;
  locations: Pick<Locations, "runners" | "living">;
  /** Active monitors by location. */
  count: () => Promise<Map<string, number>>;
};

/** Locations with monitors but without a runner. */
export function trackUnserved({ clock, log, locations, count }: UnservedOptions) {
  let monitors = new Map<string, number>();
  const missedSinceMs = new Map<string, number>();
  const saidMs = new Map<string, number>();
  const unserved = () =>
    [...missedSinceMs].filter(([, sinceMs]) => clock.elapsedMs() - sinceMs >= graceMs).map(([name]) => name);

  return {
    /** Checks again; logs, once a minute at most, which are unserved, and once which are served again. */
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
        if (saidMs.delete(name) && isBack) log.info({ location: name }, "probe runner available again at a location");
      }
      unservedCount.set(unserved().length);
      for (const name of unserved()) {
        if (nowMs - (saidMs.get(name) ?? Number.NEGATIVE_INFINITY) < warnAgainMs) continue;
        saidMs.set(name, nowMs);
        const text = "no probe runner at a location that monitors name: they are not checked there";
        log.warn({ location: name, monitors: monitors.get(name) ?? 0 }, text);
      }
    },
    /** Every location with living runners, and every unserved one (0 runners), by name. `monitors`: active ones there. */
    list: () => {
      const living = locations.living().filter((name) => locations.runners(name) > 0);
      return [...new Set([...living, ...unserved()])].toSorted().map((name) => {
        const runners = locations.runners(name);
        return { name, runners, monitors: monitors.get(name) ?? 0 };
      });
    },
  };
}

export type UnservedLocations = ReturnType<typeof trackUnserved>;
