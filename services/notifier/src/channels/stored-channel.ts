import { oneOf } from "@sonde/kit/one-of";
import type { SealedConfig } from "@sonde/kit/sealed-config";
import { type ChannelTypeName, channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import { type DeliveryStatus, deliveryStatuses } from "@sonde/proto/http/notifications/deliveries";

/** What a person sets; secrets sealed. */
export type ChannelDefinition = { name: string; type: ChannelTypeName; enabled: boolean; config: SealedConfig };

/** A channel as it is stored. */
export type StoredChannel = ChannelDefinition & {
  id: number;
  isHealthy: boolean;
  refusal: string | null;
  refusedAtMs: number | null;
  /** When it was last tried although it is unhealthy. */
  triedAtMs: number | null;
  isDead: boolean;
  lastSettledAtMs: number | null;
  lastSettledStatus: DeliveryStatus | null;
  createdAtMs: number;
  updatedAtMs: number;
};

/** A row of `channels` as PostgreSQL gives it. */
export type ChannelRow = {
  id: number;
  name: string;
  type: string;
  enabled: boolean;
  config: SealedConfig;
  is_healthy: boolean;
  refusal: string | null;
  refused_at_ms: number | null;
  tried_at_ms: number | null;
  is_dead: boolean;
  last_settled_at_ms: number | null;
  last_settled_status: string | null;
  created_at_ms: number;
  updated_at_ms: number;
};

const readType = oneOf(channelTypeNames, "type of a channel");
const readStatus = oneOf(deliveryStatuses, "status of a delivery");

export const readChannel = (row: ChannelRow): StoredChannel => ({
  id: row.id,
  name: row.name,
  type: readType(row.type),
  enabled: row.enabled,
  config: row.config,
  isHealthy: row.is_healthy,
  refusal: row.refusal,
  refusedAtMs: row.refused_at_ms,
  triedAtMs: row.tried_at_ms,
  isDead: row.is_dead,
  lastSettledAtMs: row.last_settled_at_ms,
  lastSettledStatus: row.last_settled_status === null ? null : readStatus(row.last_settled_status),
  createdAtMs: row.created_at_ms,
  updatedAtMs: row.updated_at_ms,
});
