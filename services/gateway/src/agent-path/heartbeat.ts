import { create, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { every } from "@sonde/kit/time/every";
import { GatewayHeartbeatSchema } from "@sonde/proto/gen/agents/v1/agents";
import { subjects } from "@sonde/proto/subjects";
import type { Forward } from "./forward.ts";

const tellEveryMs = 1_000;

/** Says each second that this gateway takes agents' reports in, or that it refused some. The answer ends that. */
export function startHeartbeat(bus: Pick<Bus, "nc" | "connected" | "log">, forward: Forward): () => void {
  const tell = () => {
    if (!bus.connected()) return;
    const heartbeat = create(GatewayHeartbeatSchema, { full: forward.takeRefused() });
    bus.nc.publish(subjects.gatewayHeartbeat, toBinary(GatewayHeartbeatSchema, heartbeat));
  };
  return every(tellEveryMs, { work: "the gateway's heartbeat", log: bus.log, run: tell });
}
