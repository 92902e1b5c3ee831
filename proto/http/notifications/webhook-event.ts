import * as z from "zod";
import { alertKinds, type AlertKind } from "../incidents/alerts.ts";
import { instant } from "../envelope.ts";
import { sharedCause } from "../incidents/explanation.ts";
import { incident } from "../incidents/incidents.ts";
import { notificationLanguages } from "./settings.ts";
import { targetTypes } from "../monitors/targets.ts";

const types = alertKinds.map((kind) => `alert.${kind}` as const) as [`alert.${AlertKind}`, ...`alert.${AlertKind}`[]];

/**
 * Request body of a webhook without a custom body: one event of an incident. It may be sent again with the same
 * `webhook-id`; fields may be added later.
 */
export const webhookEvent = z.object({
  type: z.enum(types),
  /** Time of the decision. */
  timestamp: instant,
  data: z.object({
    kind: z.enum(alertKinds),
    /** Title as in other channels. */
    title: z.string(),
    text: z.string(),
    language: z.enum(notificationLanguages),
    /** True if a user tests the channel; the incident is then fictitious. */
    isTest: z.boolean(),
    /** Number of the reminder, from 1; 0 if it is not a reminder. */
    reminder: z.int(),
    incident: incident
      .pick({ id: true, kind: true, cause: true, openedAt: true, closedAt: true, resolution: true })
      // `url` is set if PUBLIC_URL is.
      .extend({ flaps: z.int(), url: z.string().optional() }),
    target: z.object({
      type: z.enum(targetTypes),
      id: z.int(),
      name: z.string(),
      /** Only for monitors. */
      address: z.string().optional(),
      tags: z.array(z.string()),
      locations: z.array(z.string()),
      note: z.string().optional(),
      /** Only for agents. */
      hostname: z.string().optional(),
      ipAddresses: z.array(z.string()).optional(),
      os: z.string().optional(),
    }),
    /** Last check; only for monitors. */
    check: z
      .object({
        responseTimeMs: z.number().optional(),
        statusCode: z.int().optional(),
        expectedStatus: z.string().optional(),
      })
      .optional(),
    /** Only for thresholds of agents, in percent. */
    threshold: z.object({ metric: z.string(), value: z.number().optional(), limit: z.number().optional() }).optional(),
    /** Cause shared with incidents that opened at the same time, with at most 20 ids; absent until it is known. */
    sharedCause: sharedCause.optional(),
    /** Targets that depend on this one; their alerts are deferred while it has an incident. */
    dependents: z.object({ names: z.array(z.string()), count: z.int() }),
  }),
});
export type WebhookEvent = z.infer<typeof webhookEvent>;
