import { subjects } from "@sonde/proto/subjects";
import type { Bus } from "../bus/connect.ts";
import { systemClock, type TimerClock } from "../time/clock.ts";
import { startLoop } from "../time/loop.ts";
import { decodeHeartbeat } from "./heartbeat.ts";
import { createView, type MemberView } from "./view.ts";

const tickMs = 500;
/** The time without a heartbeat after which the server is pinged. Heartbeats are sent once a second. */
const quietMs = 1_200;
const prefix = subjects.heartbeats("");

/** How many live in each group, for those who belong to none. */
export type GroupWatch = {
  members(group: string): number;
  /** Every group that ever sent a heartbeat; 0 after its last member left. */
  groups(): Map<string, number>;
  stop(): void;
};

/**
 * Counts living members by group over a wildcard subject, such as `subjects.allRunnerHeartbeats`. Each living member is
 * seen within a second of the start. While the bus is disconnected the counts are unchanged.
 */
export function watchGroups(options: {
  bus: Pick<Bus, "nc" | "connected" | "log">;
  subject: string;
  clock?: TimerClock;
}): GroupWatch {
  const { bus, subject, clock = systemClock } = options;
  const views = new Map<string, MemberView>();
  let carriedElapsedMs = Number.NEGATIVE_INFINITY;
  // A watcher sends no heartbeats: those of others, or the server's answer to a ping, show that the bus works.
  const carried = () => {
    carriedElapsedMs = clock.elapsedMs();
    for (const view of views.values()) view.echoed();
  };
  const heartbeats = bus.nc.subscribe(subject, {
    callback: (error, message) => {
      const heartbeat = error ? null : decodeHeartbeat(message.string());
      if (heartbeat === null || heartbeat.listening === true) return;
      const group = message.subject.slice(prefix.length);
      let view = views.get(group);
      if (view === undefined) views.set(group, (view = createView(clock)));
      view.received(heartbeat);
      carried();
    },
  });
  const tick = () => {
    const isQuiet = clock.elapsedMs() - carriedElapsedMs >= quietMs;
    if (isQuiet && bus.connected()) bus.nc.flush().then(carried, () => {});
    for (const view of views.values()) view.tick();
  };
  const ticking = startLoop({ work: "watching groups", log: bus.log, clock, everyMs: tickMs, run: tick });

  const living = (view: MemberView) => view.membersAt(clock.now()).length;
  return {
    members: (group) => {
      const view = views.get(group);
      return view === undefined ? 0 : living(view);
    },
    groups: () => new Map([...views].map(([group, view]) => [group, living(view)])),
    stop: () => {
      void ticking.stop();
      heartbeats.unsubscribe();
    },
  };
}
