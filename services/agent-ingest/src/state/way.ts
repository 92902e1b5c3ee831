import type { Bus } from "@sonde/kit/bus";
import type { Clock } from "@sonde/kit/clock";
import { subjects } from "@sonde/proto/subjects";

/** Whether agents can reach us at all. */
export type Way = {
  /** Some gateway says that it takes reports in; also where none ever said so, for it may be an older one. */
  isOpen(): boolean;
  stop(): void;
};

const patienceMs = 4_000;

/** Listens to gateways' beats: "no gateway was there" must never become "all agents are offline". */
export function watchWay(bus: Pick<Bus, "nc">, clock: Clock): Way {
  let heardAtMs: number | null = null;
  const subscription = bus.nc.subscribe(subjects.gatewayBeat, {
    callback: (error) => {
      if (error === null) heardAtMs = clock.elapsedMs();
    },
  });
  return {
    isOpen: () => heardAtMs === null || clock.elapsedMs() - heardAtMs < patienceMs,
    stop: () => subscription.unsubscribe(),
  };
}
