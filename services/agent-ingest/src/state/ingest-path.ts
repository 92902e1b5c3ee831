import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import type { Clock } from "@sonde/kit/time/clock";
import { GatewayHeartbeatSchema } from "@sonde/proto/gen/agents/v1/agents";
import { subjects } from "@sonde/proto/subjects";

/** Whether agents can reach us at all. */
export type IngestPath = {
  /**
   * A gateway announces that it accepts reports, and none on the path lately refused one for lack of room; also true if
   * no gateway ever announced it, since it may be an older version.
   */
  isOpen(): boolean;
  stop(): void;
};

const reportedWithinMs = 4_000;

/**
 * Listens to the heartbeats of gateways, and of agent-ingest's own listeners where they are full: "no gateway was there",
 * or "reports were refused", must never become "all agents are offline".
 */
export function watchIngestPath(bus: Pick<Bus, "nc" | "log">, clock: Clock): IngestPath {
  let openAtMs: number | null = null;
  let fullAtMs = Number.NEGATIVE_INFINITY;
  const subscription = bus.nc.subscribe(subjects.gatewayHeartbeat, {
    callback: (error, message) => {
      if (error !== null) return;
      if (isFull(message.data)) fullAtMs = clock.elapsedMs();
      else openAtMs = clock.elapsedMs();
    },
  });
  return {
    isOpen: () =>
      clock.elapsedMs() - fullAtMs >= reportedWithinMs &&
      (openAtMs === null || clock.elapsedMs() - openAtMs < reportedWithinMs),
    stop: () => subscription.unsubscribe(),
  };
}

/** An older gateway's heartbeat is empty; an unreadable one does not count as full. */
function isFull(data: Uint8Array): boolean {
  try {
    return fromBinary(GatewayHeartbeatSchema, data).full;
  } catch {
    return false;
  }
}
