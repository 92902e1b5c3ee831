import type { Bus } from "@sonde/kit/bus";
import { watchGroups } from "@sonde/kit/sharding";
import { runnerGroup, subjects } from "@sonde/proto/subjects";

export const defaultLocation = "default";

/** Where probe runners live now, as far as their beats say. */
export type Locations = {
  /** How many runners live there. */
  runners(name: string): number;
  /** Every location with living runners, and `default`, by name. */
  list(): { name: string; runners: number }[];
  stop(): void;
};

export function watchLocations(bus: Bus): Locations {
  const watch = watchGroups({ bus, subject: subjects.allRunnerBeats });
  const prefix = runnerGroup("");
  const runners = (name: string) => watch.members(runnerGroup(name));
  return {
    runners,
    list: () => {
      const living = [...watch.groups()]
        .filter(([, members]) => members > 0)
        .map(([group]) => group.slice(prefix.length));
      const names = [...new Set([defaultLocation, ...living])].sort();
      return names.map((name) => ({ name, runners: runners(name) }));
    },
    stop: watch.stop,
  };
}
