import * as z from "zod";
import { alertKinds } from "../incidents/alerts.ts";
import { attempt } from "../incidents/incidents.ts";
import { channelTypeNames } from "./channel-types.ts";
import { id, instant, listQuery, pathId, success } from "../envelope.ts";
import { targetFilter, targetShape } from "../monitors/targets.ts";

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const delivery = z.object({
  id,
  channelId: id,
  channelType: z.enum(channelTypeNames),
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
