import type { Channel as ChannelMessage } from "@sonde/proto/gen/notifications/v1/notifications";
import type { NotificationChannel } from "@sonde/proto/http/notification-channels";
import { instantOf } from "./instant.ts";
import { readChannelType, readDeliveryStatus } from "./unions.ts";

/** A channel as people see it; its secrets came masked. */
export function presentChannel(channel: ChannelMessage): NotificationChannel {
  const { refusal, refusedAtMs, lastDeliveryAtMs, lastDeliveryStatus } = channel;
  return {
    id: channel.id,
    name: channel.name,
    type: readChannelType(channel.type),
    enabled: channel.enabled,
    config: JSON.parse(channel.config) as Record<string, unknown>,
    healthy: channel.healthy,
    refusal: refusal === undefined ? undefined : { at: instantOf(refusedAtMs ?? channel.updatedAtMs), answer: refusal },
    lastDelivery:
      lastDeliveryAtMs === undefined || lastDeliveryStatus === undefined
        ? undefined
        : { at: instantOf(lastDeliveryAtMs), status: readDeliveryStatus(lastDeliveryStatus) },
    createdAt: instantOf(channel.createdAtMs),
    updatedAt: instantOf(channel.updatedAtMs),
  };
}
