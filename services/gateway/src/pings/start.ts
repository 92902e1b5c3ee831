import type { Bus } from "@sonde/kit/bus/connect";
import { watchPressure } from "@sonde/kit/bus/pressure";
import type { Service } from "@sonde/kit/service/lifecycle";
import { gauge } from "@sonde/kit/telemetry/metrics";
import { streams } from "@sonde/proto/streams";
import { createPings, type PingDeps, type Pings } from "./pings.ts";
import type { Presence } from "./presence.ts";
import { createPingPublisher } from "./publisher.ts";
import { watchTargets } from "./targets.ts";

const unread = gauge("sonde_pings_unread_ratio", "Share of the capacity of PINGS that its slowest reader has not read");

export function startPingIntake({
  bus,
  ...given
}: Pick<PingDeps, "config" | "ofHost" | "monitors" | "clock" | "log"> & { bus: Bus }): Pings & Presence & Service {
  const targets = watchTargets(bus, given.clock);
  const pressure = watchPressure(bus, streams.pings, unread);
  const publisher = createPingPublisher(bus);
  const accepts = () => targets.current() && bus.connected() && !pressure.isHigh();
  return {
    ...createPings({ ...given, targets, accepts, store: publisher.store }),
    accepts,
    partitions: targets.partitions,
    stop: async () => {
      pressure.stop();
      await Promise.all([targets.stop(), publisher.stop()]);
    },
  };
}
