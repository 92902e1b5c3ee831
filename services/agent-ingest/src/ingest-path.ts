import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { Clock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import { GatewayHeartbeatSchema } from "@sonde/proto/gen/agents/v1/agents";
import { subjects } from "@sonde/proto/subjects";

const reportedWithinMs = 4_000;

/**
 * Tracks whether agents can reach us. Without it, a missing gateway or rejected reports would look like all agents
 * going offline. Listens to the heartbeats of gateways and of full agent-ingest listeners.
 */
export function watchIngestPath(bus: Pick<Bus, "nc" | "log">, clock: Clock) {
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
    /**
     * True if a gateway accepts reports and none recently rejected one for lack of capacity. Also true if no gateway
     * ever announced it, because older versions do not.
     */
    isOpen: (): boolean =>
      clock.elapsedMs() - fullAtMs >= reportedWithinMs &&
      (openAtMs === null || clock.elapsedMs() - openAtMs < reportedWithinMs),
    stop: () => subscription.unsubscribe(),
  };
}

/** Heartbeats of older gateways are empty; unreadable ones do not count as full. */
function isFull(data: Uint8Array): boolean {
  try {
    return fromBinary(GatewayHeartbeatSchema, data).full;
  } catch {
    return false;
  }
}

const publishEveryMs = 1_000;
const refusals = counter(
  "sonde_agent_reports_refused_total",
  "Reports with a valid key that were rejected because their samples could not be stored",
);

/**
 * Notifies every replica of reports with valid keys that we accepted or rejected. While some are rejected, no silence
 * counts. Accepted ones prove that agents reach us, even without a gateway.
 */
export function publishFullness(bus: Pick<Bus, "nc" | "connected" | "log">) {
  const encode = (full: boolean) => toBinary(GatewayHeartbeatSchema, create(GatewayHeartbeatSchema, { full }));
  const pending = { full: false, open: false };
  const publish = () => {
    if (!bus.connected()) return;
    if (pending.full || pending.open) bus.nc.publish(subjects.gatewayHeartbeat, encode(pending.full));
    pending.full = pending.open = false;
  };
  const publishing = startLoop({ work: "reporting refusals", log: bus.log, everyMs: publishEveryMs, run: publish });
  return {
    refused(): void {
      refusals.inc();
      pending.full = true;
    },
    accepted: (): void => void (pending.open = true),
    stop: publishing.stop,
  };
}
