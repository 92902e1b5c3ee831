import * as z from "zod";
import { alertKinds } from "../incidents/alerts.ts";
import { attempt } from "../incidents/incidents.ts";
import { channelTypeNames } from "./channel-types.ts";
import { id, instant, listQuery, pathId, success } from "../envelope.ts";
import { targetFilter, targetShape } from "../monitors/targets.ts";

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** One alert to one channel. */
export const delivery = z.object({
  id,
  channelId: id,
  channelType: z.enum(channelTypeNames),
  channelName: z.string().meta({ description: "As it is, or was, called." }),
  kind: z.enum(alertKinds),
  target: targetShape.optional().meta({ description: "Absent of a test." }),
  incidentId: z.string().optional(),
  reminder: z.int().optional().meta({ description: "Counts the reminders of an incident from 1." }),
  grouped: z.int().optional().meta({
    description: "How many alerts went with it in one message, itself among them; absent where it went alone.",
  }),
  status: z.enum(deliveryStatuses),
  attempts: z.array(attempt),
  nextAttemptAt: instant.optional().meta({ description: "While it is pending." }),
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
