import type {
  Attempt as AttemptMessage,
  Delivery as DeliveryMessage,
} from "@sonde/proto/gen/notifications/v1/notifications";
import type { Attempt } from "@sonde/proto/http/attempts";
import type { Delivery } from "@sonde/proto/http/deliveries";
import { tenths } from "@sonde/kit/figures";
import { instantOf, instantOrNone } from "./instant.ts";
import { readAlertKind, readChannelType, readDeliveryStatus, readTargetType } from "./unions.ts";

export function presentDelivery(delivery: DeliveryMessage): Delivery {
  const { target, targetName } = delivery;
  return {
    id: delivery.id,
    channelId: delivery.channelId,
    channelType: readChannelType(delivery.channelType),
    channelName: delivery.channelName,
    kind: readAlertKind(delivery.kind),
    target: target && { type: readTargetType(target.type), id: target.id, name: targetName },
    incidentId: delivery.incidentId || undefined,
    reminder: delivery.reminder || undefined,
    grouped: delivery.grouped > 1 ? delivery.grouped : undefined,
    status: readDeliveryStatus(delivery.status),
    attempts: delivery.attempts.map(presentAttempt),
    nextAttemptAt: instantOrNone(delivery.nextAttemptAtMs),
    createdAt: instantOf(delivery.createdAtMs),
  };
}

export const presentAttempt = ({ atMs, statusCode, answer, durationMs }: AttemptMessage): Attempt => ({
  at: instantOf(atMs),
  statusCode,
  answer,
  durationMs: tenths(durationMs),
});
