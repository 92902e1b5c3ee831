import { create, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { every } from "@sonde/kit/time/every";
import { counter } from "@sonde/kit/telemetry/metrics";
import { GatewayHeartbeatSchema } from "@sonde/proto/gen/agents/v1/agents";
import { subjects } from "@sonde/proto/subjects";

/** Tells every replica that reports by good keys were refused here: while they are, nobody's silence counts. */
export type Fullness = { refused(): void; stop(): void };

const tellEveryMs = 1_000;
const refusals = counter(
  "sonde_agent_reports_refused_total",
  "Reports by good keys that were refused for want of room",
);

export function tellFullness(bus: Pick<Bus, "nc" | "connected" | "log">): Fullness {
  const full = toBinary(GatewayHeartbeatSchema, create(GatewayHeartbeatSchema, { full: true }));
  let isOwed = false;
  const tell = () => {
    if (!isOwed || !bus.connected()) return;
    isOwed = false;
    bus.nc.publish(subjects.gatewayHeartbeat, full);
  };
  const stop = every(tellEveryMs, { work: "telling that reports are refused", log: bus.log, run: tell });
  return {
    refused() {
      refusals.inc();
      isOwed = true;
    },
    stop,
  };
}
