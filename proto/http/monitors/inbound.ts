import * as z from "zod";
import { instant, success } from "../envelope.ts";

export const inboundFormats = ["alertmanager", "grafana", "events-v2", "generic"] as const;
export type InboundFormat = (typeof inboundFormats)[number];

/** Additional response fields of inbound monitors. */
export const inboundFacts = {
  inboundUrl: z.string().meta({ description: "Address for alerts; masked for users who may not write." }),
  previousUrlUntil: instant.optional().meta({ description: "The previous address works until then." }),
};
export type InboundFacts = z.infer<z.ZodObject<typeof inboundFacts>>;

export const alertSeverities = ["critical", "warning", "info"] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

export const inboundBounds = {
  bodyBytes: 2 ** 20,
  /** Per request. */
  alerts: 1_000,
  open: 500,
  key: 255,
  title: 500,
  link: 2_000,
  labels: 30,
  labelName: 100,
  labelValue: 500,
} as const;

/** What the source says about its alert; part of an `external` incident. */
export const alertSource = {
  severity: z.enum(alertSeverities),
  link: z.string().optional().meta({ description: "The alert at its source; always http or https." }),
  labels: z.record(z.string(), z.string()),
};

/** An alert of any format, within `inboundBounds`. `key` identifies it among those of its monitor. */
export const externalAlert = z.object({
  key: z.string(),
  action: z.enum(["firing", "resolved", "acknowledged"]),
  title: z.string(),
  ...alertSource,
});
export type ExternalAlert = z.infer<typeof externalAlert>;

/** Labels may have any value: those that are no text are written as JSON. */
const labels = z.record(z.string(), z.unknown()).default({});
const text = z.string().optional();
const firingOrResolved = z.enum(["firing", "resolved"]);

const alertmanagerAlert = z.object({
  status: firingOrResolved,
  labels,
  annotations: labels,
  generatorURL: text,
  fingerprint: text,
});
/** Source: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config. */
export const alertmanagerPayload = z.object({
  version: z.literal("4"),
  alerts: z.array(alertmanagerAlert).max(inboundBounds.alerts),
});

/** Source: https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/. */
export const grafanaPayload = z.object({
  alerts: z
    .array(alertmanagerAlert.extend({ dashboardURL: text, panelURL: text, valueString: text }))
    .max(inboundBounds.alerts),
});

const key = z.string().min(1).max(inboundBounds.key);
const eventsV2Details = z.object({
  summary: z.string().min(1),
  source: z.string().min(1),
  severity: z.enum(["critical", "error", "warning", "info"]),
  component: text.nullable(),
  group: text.nullable(),
  class: text.nullable(),
  custom_details: z.unknown().optional(),
});
/** Source: https://developer.pagerduty.com/docs/send-alert-event. `routing_key` is ignored: the address identifies the monitor. */
export const eventsV2Payload = z.discriminatedUnion("event_action", [
  z.object({
    event_action: z.literal("trigger"),
    dedup_key: key.nullish(),
    payload: eventsV2Details,
    links: z.array(z.object({ href: text })).nullish(),
    client_url: text.nullable(),
  }),
  z.object({ event_action: z.enum(["acknowledge", "resolve"]), dedup_key: key }),
]);

export const genericAlert = z.strictObject({
  title: z.string().min(1).meta({ description: "Cut at 500 characters." }),
  key: key.optional().meta({ description: "Identifies the alert; the title if absent." }),
  severity: z
    .string()
    .max(100)
    .default("warning")
    .meta({ description: "`critical`, `warning`, `info` or a word that other systems use for them." }),
  status: firingOrResolved.default("firing"),
  link: z.string().optional().meta({ description: "Ignored unless http or https." }),
  labels: labels.meta({ description: "At most 30 are kept; names are cut at 100 characters, values at 500." }),
});
export const genericPayloads = z.array(genericAlert).max(inboundBounds.alerts);
export const genericPayload = z.union([genericAlert, genericPayloads]);

export const inboundAnswer = success({
  stored: z.int().meta({ description: "Number of alerts in the request. 0 while the monitor is paused." }),
  status: z.literal("success").optional().meta({ description: "For `events-v2`." }),
  dedup_key: z.string().optional().meta({ description: "For `events-v2`." }),
});
