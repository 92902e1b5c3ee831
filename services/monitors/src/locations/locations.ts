import type { Bus } from "@sonde/kit/bus/connect";
import { systemClock, type TimerClock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import { watchGroups } from "@sonde/kit/sharding/group";
import { runnerGroup, subjects } from "@sonde/proto/subjects";
import { setTimeout as sleep } from "node:timers/promises";

const lookMs = 1_000;
const rememberedMs = 60_000;
const listenMs = 3_000;
const settlePollMs = 50;

/** The locations of live probe runners, by their heartbeats. */
export function watchLocations(bus: Bus, clock: TimerClock = systemClock) {
  const watch = watchGroups({ bus, subject: subjects.allRunnerHeartbeats, clock });
  const prefix = runnerGroup("");
  const startedMs = clock.elapsedMs();
  const seenMs = new Map<string, number>();
  const look = () => {
    for (const [group, members] of watch.groups()) {
      if (members > 0) seenMs.set(group.slice(prefix.length), clock.elapsedMs());
    }
    for (const [name, atMs] of seenMs) if (clock.elapsedMs() - atMs > rememberedMs) seenMs.delete(name);
  };
  const looking = startLoop({ work: "locations of runners", log: bus.log, everyMs: lookMs, run: look });
  const living = () => {
    look();
    return [...seenMs.keys()].toSorted();
  };
  return {
    /** How many runners live there. */
    runners: (name: string): number => watch.members(runnerGroup(name)),
    /** Names with a living runner, or one that lived within the last minute: restarting it moves no monitor. */
    living,
    /** Resolves once a runner sent a heartbeat, or after listening for long enough that none is there. */
    async settled() {
      while (living().length === 0 && clock.elapsedMs() - startedMs < listenMs) await sleep(settlePollMs);
    },
    stop: () => {
      void looking.stop();
      watch.stop();
    },
  };
}

export type Locations = ReturnType<typeof watchLocations>;
