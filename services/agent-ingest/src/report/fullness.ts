import { create, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { startLoop } from "@sonde/kit/time/loop";
import { counter } from "@sonde/kit/telemetry/metrics";
import { GatewayHeartbeatSchema } from "@sonde/proto/gen/agents/v1/agents";
import { subjects } from "@sonde/proto/subjects";

/**
 * Notifies every replica of what became of reports by good keys here. While some are refused, no silence counts. Those
 * that are taken show that agents reach us, also where they do so without a gateway.
 */
export type Fullness = { refused(): void; took(): void; stop(): Promise<void> };

const publishEveryMs = 1_000;
const refusals = counter(
  "sonde_agent_reports_refused_total",
  "Reports by good keys that were refused for want of room",
);

export function publishFullness(bus: Pick<Bus, "nc" | "connected" | "log">): Fullness {
  const encode = (full: boolean) => toBinary(GatewayHeartbeatSchema, create(GatewayHeartbeatSchema, { full }));
  const owed = { full: false, open: false };
  const tell = () => {
    if (!bus.connected()) return;
    if (owed.full || owed.open) bus.nc.publish(subjects.gatewayHeartbeat, encode(owed.full));
    owed.full = owed.open = false;
  };
  const telling = startLoop({ work: "reporting refusals", log: bus.log, everyMs: publishEveryMs, run: tell });
  return {
    refused() {
      refusals.inc();
      owed.full = true;
    },
    took: () => void (owed.open = true),
    stop: telling.stop,
  };
}
