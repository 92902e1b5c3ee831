import { counter, gauge, histogram } from "@sonde/kit/telemetry/metrics";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { SendOutcome } from "../channels/channel.ts";
import type { ChangedDelivery } from "./delivering.ts";
import type { AttemptResult } from "./settle-store.ts";

const attempts = counter("sonde_delivery_attempts_total", "Requests to providers", ["type", "outcome"]);
const settled = counter("sonde_deliveries_total", "Alerts to channels that were delivered or failed", [
  "type",
  "status",
]);
const seconds = histogram(
  "sonde_delivery_seconds",
  "From an alert to the provider's word that it has it",
  [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 300, 1_800, 7_200, 86_400],
  ["type"],
);
/** Messages that wait for their turn or their next attempt. */
export const oldestSeconds = gauge(
  "sonde_delivery_oldest_waiting_seconds",
  "Age of the oldest message to a channel that is not settled; 0 without one",
);
export const waiting = gauge("sonde_delivery_messages_waiting", "Messages to channels that are not settled");

/** Counts the outcome of an attempt. */
export function observeDelivery(
  type: ChannelTypeName,
  outcome: SendOutcome["outcome"],
  { status, endedAtMs }: AttemptResult,
  deliveries: readonly ChangedDelivery[],
): void {
  attempts.inc({ type, outcome });
  if (status === "pending") return;
  settled.inc({ type, status }, deliveries.length);
  if (status !== "delivered") return;
  for (const { createdAtMs } of deliveries) seconds.observe({ type }, Math.max(0, endedAtMs - createdAtMs) / 1_000);
}

/** Counts deliveries that failed without an attempt. */
export function observeFailed(type: string, deliveries: readonly ChangedDelivery[]): void {
  settled.inc({ type, status: "failed" }, deliveries.length);
}
