import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ChannelSchema } from "@sonde/proto/gen/notifications/v1/notifications";
import { shownConfig } from "./config.ts";
import type { StoredChannel } from "./stored-channel.ts";

/** A channel as the bus tells of it: secrets masked. */
export const presentChannel = (channel: StoredChannel): MessageInitShape<typeof ChannelSchema> => ({
  id: channel.id,
  name: channel.name,
  type: channel.type,
  enabled: channel.enabled,
  config: JSON.stringify(shownConfig(channel.type, channel.config)),
  healthy: channel.isHealthy,
  refusal: channel.refusal ?? undefined,
  refusedAtMs: channel.refusedAtMs ?? undefined,
  lastDeliveryAtMs: channel.lastSettledAtMs ?? undefined,
  lastDeliveryStatus: channel.lastSettledStatus ?? undefined,
  createdAtMs: channel.createdAtMs,
  updatedAtMs: channel.updatedAtMs,
});
