import * as z from "zod";
import { alertKinds, type AlertKind } from "../incidents/alerts.ts";
import { instant } from "../envelope.ts";
import { incident } from "../incidents/incidents.ts";
import { notificationLanguages } from "./settings.ts";
import { targetTypes } from "../monitors/targets.ts";

const types = alertKinds.map((kind) => `alert.${kind}` as const) as [`alert.${AlertKind}`, ...`alert.${AlertKind}`[]];

/**
 * The body of a request to a webhook without a body of its own: one moment of one incident. It may be sent again (with
 * the same `webhook-id`); fields may be added later.
 */
export const webhookEvent = z.object({
  type: z.enum(types),
  /** When it was decided. */
  timestamp: instant,
  data: z.object({
    kind: z.enum(alertKinds),
    /** The same words as other channels have. */
    title: z.string(),
    text: z.string(),
    language: z.enum(notificationLanguages),
    /** A user tests the channel: the incident is fictitious. */
    isTest: z.boolean(),
    /** Counts the reminders of an incident from 1; 0: this is none. */
    reminder: z.int(),
    incident: incident
      .pick({ id: true, kind: true, cause: true, openedAt: true, closedAt: true, resolution: true })
      // `url`: where PUBLIC_URL is set.
      .extend({ flaps: z.int(), url: z.string().optional() }),
    target: z.object({
      type: z.enum(targetTypes),
      id: z.int(),
      name: z.string(),
      /** Of a monitor. */
      address: z.string().optional(),
      tags: z.array(z.string()),
      locations: z.array(z.string()),
      note: z.string().optional(),
      /** Of an agent. */
      hostname: z.string().optional(),
      ipAddresses: z.array(z.string()).optional(),
      os: z.string().optional(),
    }),
    /** The last check of a monitor. */
    check: z
      .object({
        responseTimeMs: z.number().optional(),
        statusCode: z.int().optional(),
        expectedStatus: z.string().optional(),
      })
      .optional(),
    /** Of an agent's threshold, in percent. */
    threshold: z.object({ metric: z.string(), value: z.number().optional(), limit: z.number().optional() }).optional(),
    /** Targets that depend on this one, whose alerts are deferred while it has an incident. */
    dependents: z.object({ names: z.array(z.string()), count: z.int() }),
  }),
});
export type WebhookEvent = z.infer<typeof webhookEvent>;
