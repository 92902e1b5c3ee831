import { subjects } from "@sonde/proto/subjects";
import type { Bus } from "../bus/connect.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { every } from "../time/every.ts";
import { decodeBeat } from "./heartbeat.ts";
import { createView, type View } from "./view.ts";

const tickMs = 500;
const prefix = subjects.beats("");

/** How many live in each group, for those who belong to none. */
export type GroupWatch = {
  members(group: string): number;
  /** Every group that was ever heard; 0 when its last member went. */
  groups(): Map<string, number>;
  stop(): void;
};

/**
 * Counts living members by group over a wildcard subject, such as `subjects.allRunnerBeats`. Whoever lives is heard
 * within a second of the start. While the bus is away the counts stay as they were.
 */
export function watchGroups(options: {
  bus: Pick<Bus, "nc" | "connected" | "log">;
  subject: string;
  clock?: Clock;
}): GroupWatch {
  const { bus, subject, clock = systemClock } = options;
  const views = new Map<string, View>();
  const beats = bus.nc.subscribe(subject, {
    callback: (error, message) => {
      const beat = error ? null : decodeBeat(message.string());
      if (beat === null || beat.listening === true) return;
      const group = message.subject.slice(prefix.length);
      let view = views.get(group);
      if (view === undefined) views.set(group, (view = createView(clock)));
      view.heard(beat);
    },
  });
  // A watcher has no beats of its own; the server's answer to a ping tells it whether the bus carries.
  const echoed = () => {
    for (const view of views.values()) view.echoed();
  };
  const tick = () => {
    if (bus.connected()) bus.nc.flush().then(echoed, () => {});
    for (const view of views.values()) view.tick();
  };
  const stopTicking = every(tickMs, { work: "watching groups", log: bus.log, run: tick });

  const living = (view: View) => view.membersAt(clock.now()).length;
  return {
    members: (group) => {
      const view = views.get(group);
      return view === undefined ? 0 : living(view);
    },
    groups: () => new Map([...views].map(([group, view]) => [group, living(view)])),
    stop: () => {
      stopTicking();
      beats.unsubscribe();
    },
  };
}
