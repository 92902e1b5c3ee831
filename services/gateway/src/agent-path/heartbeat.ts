import { create, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { type Loop, startLoop } from "@sonde/kit/time/loop";
import { GatewayHeartbeatSchema } from "@sonde/proto/gen/agents/v1/agents";
import { subjects } from "@sonde/proto/subjects";
import type { Forward } from "./forward.ts";

const publishEveryMs = 1_000;

/** Publishes each second that this gateway takes agents' reports in, or that it refused some. */
export function startHeartbeat(bus: Pick<Bus, "nc" | "connected" | "log">, forward: Forward): Loop {
  const tell = () => {
    if (!bus.connected()) return;
    const heartbeat = create(GatewayHeartbeatSchema, { full: forward.takeRefused() });
    bus.nc.publish(subjects.gatewayHeartbeat, toBinary(GatewayHeartbeatSchema, heartbeat));
  };
  return startLoop({ work: "the gateway's heartbeat", log: bus.log, everyMs: publishEveryMs, run: tell });
}
