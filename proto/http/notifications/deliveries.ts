import * as z from "zod";
import { alertKinds, suppressionReasons } from "../incidents/alerts.ts";
import { attempt } from "../incidents/incidents.ts";
import { allChannelTypeNames } from "./channel-types.ts";
import { id, instant, listQuery, pathId, success } from "../envelope.ts";
import { targetFilter, targetShape } from "../monitors/targets.ts";

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const delivery = z.object({
  id,
  channelId: id,
  channelType: z.enum(allChannelTypeNames),
  channelName: z.string().meta({ description: "Name of the channel, or its last name if it was deleted." }),
  kind: z.enum(alertKinds),
  target: targetShape.optional().meta({ description: "Absent for tests." }),
  incidentId: z.string().optional(),
  reminder: z.int().optional().meta({ description: "Number of the reminder within its incident, from 1." }),
  grouped: z.int().optional().meta({
    description: "Number of alerts in the same message, including this one; absent for a single alert.",
  }),
  status: z.enum(deliveryStatuses),
  attempts: z.array(attempt),
  nextAttemptAt: instant.optional().meta({ description: "Set while the delivery is pending." }),
  createdAt: instant,
});
export type Delivery = z.infer<typeof delivery>;

const { page, pageSize } = listQuery(["createdAt"]);
export const deliveriesQuery = z.strictObject({
  page,
  pageSize,
  channel: pathId.optional(),
  status: z.enum(deliveryStatuses).optional(),
  target: targetFilter.optional(),
});
export const deliveriesAnswer = success({ deliveries: z.array(delivery), total: z.int() });

export const unsentAlert = z.object({
  id,
  at: instant.meta({ description: "When it was decided." }),
  kind: z.enum(alertKinds),
  target: targetShape,
  incidentId: z.string(),
  channelId: id.optional().meta({ description: "Absent if the decision is about no particular channel." }),
  channelName: z.string().optional(),
  reason: z.enum(suppressionReasons),
  text: z.string().meta({ description: "The reason in words." }),
  heldUntil: instant.optional().meta({ description: "When a deferred alert is decided again, if known." }),
});
export type UnsentAlert = z.infer<typeof unsentAlert>;
export const unsentQuery = deliveriesQuery.omit({ status: true });
export const unsentAnswer = success({
  unsent: z.array(unsentAlert),
  total: z.int().meta({ description: "At most 10000." }),
});
