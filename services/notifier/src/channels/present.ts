import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import { shownConfig } from "./config.ts";
import type { StoredChannel } from "./stored-channel.ts";

const instant = (ms: number) => new Date(ms).toISOString();

/** A channel as it answers: secrets masked. */
export function presentChannel(channel: StoredChannel): NotificationChannel {
  const { id, name, type, enabled, config, isHealthy, refusal, refusedAtMs, updatedAtMs } = channel;
  const { lastSettledAtMs: lastAtMs, lastSettledStatus: status } = channel;
  return {
    id,
    name,
    type,
    enabled,
    config: shownConfig(type, config),
    healthy: isHealthy,
    ...(refusal === null ? {} : { refusal: { at: instant(refusedAtMs ?? updatedAtMs), answer: refusal } }),
    ...(lastAtMs === null || status === null ? {} : { lastDelivery: { at: instant(lastAtMs), status } }),
    createdAt: instant(channel.createdAtMs),
    updatedAt: instant(updatedAtMs),
  };
}
