import * as z from "zod";
import { instant, listQuery, maxId, success } from "../envelope.ts";
import { notificationLanguages } from "../notifications/settings.ts";
import { readTarget, targetFilter } from "../monitors/targets.ts";

const subscriberStatuses = ["pending", "confirmed"] as const;

/** RFC 5321 allows 254 characters. */
const email = z.email("Enter an email address such as name@example.com").max(254);

/** Larger numbers are not ids and do not fit into a bus message. */
const service = targetFilter.refine((text) => readTarget(text).id <= maxId, "This is not shown on the page");

/** `services`: services on the page (`monitor:12`, `agent:3`); empty for all. */
export const subscribeInput = z.strictObject({
  email,
  services: z.array(service).max(500).optional(),
});
export const subscriptionTokenInput = z.strictObject({ token: z.string().min(1).max(200) });

export const subscriber = z.object({
  id: z.int(),
  email: z.string(),
  status: z.enum(subscriberStatuses),
  services: z.array(z.string()),
  pages: z.array(z.string()).default([]).meta({ description: "Slug of the subscribed page." }),
  language: z.enum(notificationLanguages),
  createdAt: instant,
  confirmedAt: instant.optional(),
});
export type Subscriber = z.infer<typeof subscriber>;

const { page, pageSize, search } = listQuery(["createdAt"]);
export const subscribersQuery = z.strictObject({
  page,
  pageSize,
  search,
  slug: z
    .string()
    .max(100)
    .optional()
    .meta({ description: "Slug of a page; absent lists the subscribers of all pages." }),
});
export const subscribersAnswer = success({ subscribers: z.array(subscriber), total: z.int() });
