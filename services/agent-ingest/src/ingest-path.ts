import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { Clock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import { GatewayHeartbeatSchema } from "@sonde/proto/gen/agents/v1/agents";
import { subjects } from "@sonde/proto/subjects";

const reportedWithinMs = 4_000;

/**
 * Whether agents can reach us at all. Listens to the heartbeats of gateways, and of agent-ingest's own listeners where they are full: "no gateway was there",
 * or "reports were refused", must never become "all agents are offline".
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
     * A gateway announces that it accepts reports, and none on the path lately refused one for lack of room; also true if
     * no gateway ever announced it, since it may be an older version.
     */
    isOpen: (): boolean =>
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

const publishEveryMs = 1_000;
const refusals = counter(
  "sonde_agent_reports_refused_total",
  "Reports with a valid key that were rejected because their samples could not be stored",
);

/**
 * Notifies every replica of what became of reports by good keys here. While some are refused, no silence counts. Those
 * that are taken show that agents reach us, also where they do so without a gateway.
 */
export function publishFullness(bus: Pick<Bus, "nc" | "connected" | "log">) {
  const encode = (full: boolean) => toBinary(GatewayHeartbeatSchema, create(GatewayHeartbeatSchema, { full }));
  const owed = { full: false, open: false };
  const tell = () => {
    if (!bus.connected()) return;
    if (owed.full || owed.open) bus.nc.publish(subjects.gatewayHeartbeat, encode(owed.full));
    owed.full = owed.open = false;
  };
  const telling = startLoop({ work: "reporting refusals", log: bus.log, everyMs: publishEveryMs, run: tell });
  return {
    refused(): void {
      refusals.inc();
      owed.full = true;
    },
    took: (): void => void (owed.open = true),
    stop: telling.stop,
  };
}
