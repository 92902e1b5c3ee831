import { nothingToSend } from "@sonde/proto/http/notifications/delivery-answers";
import type { AlertFacts } from "../../alerts/incident.ts";
import { alertFields } from "../../messages/values.ts";
import type { ChannelMessage } from "../../messages/message.ts";
import { toneOf } from "../../messages/render.ts";
import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { below, byStatus, jsonOf, post, answerRetryAfterMs, textsIn, throttledOutcome } from "../outcome.ts";
import { cut } from "../text.ts";

type Event = { event_action: "trigger" | "resolve"; dedup_key: string };

const throttledMs = 60_000;

/** PagerDuty Events API v2: https://developer.pagerduty.com/docs/events-api-v2-overview */
export const channel = sender({
  type: "pagerduty",
  reader: "machine",
  // The limit is 120 events a minute per key.
  budgets: ({ routingKey }) => [{ key: `pagerduty ${routingKey}`, requests: 100, perMs: 60_000 }],
  compose: (message) => JSON.stringify(eventsOf(message)),
  async send(sending) {
    const { config, body } = sending;
    const url = below(config.apiBaseUrl ?? "https://events.pagerduty.com", "/v2/enqueue");
    // Outcome of a reminder, which sends nothing: PagerDuty has its own reminders, and a trigger would reopen an alert
    // that a user resolved there.
    let outcome: SendOutcome = { outcome: "delivered", answer: nothingToSend };
    for (const event of JSON.parse(body) as Event[]) {
      const text = JSON.stringify({ routing_key: config.routingKey, ...event });
      outcome = await post({ ...sending, body: text }, url, read);
      if (outcome.outcome !== "delivered") return outcome;
    }
    return outcome;
  },
});

/** Returns the events to send, in order. A test opens an alert and resolves it at once. */
function eventsOf(message: ChannelMessage): Event[] {
  const [alert] = message.alerts;
  if (alert === undefined) return [];
  // A key per test, because a resolved alert cannot be resolved again.
  const dedup_key = message.isTest ? `sonde-test-${message.key}`.slice(0, 255) : alert.incidentId;
  const trigger = { event_action: "trigger", dedup_key, ...details(message, alert) } as const;
  const resolve = { event_action: "resolve", dedup_key } as const;
  if (message.isTest) return [trigger, resolve];
  if (toneOf(alert) === "good") return [resolve];
  return alert.reminder > 0 || alert.kind === "steady" ? [] : [trigger];
}

export const severities = {
  down: "critical",
  offline: "critical",
  threshold: "warning",
  stale: "warning",
  partial: "warning",
  slow: "warning",
  external: "warning",
  slo: "warning",
} as const;

function details(message: ChannelMessage, alert: AlertFacts): object {
  // PagerDuty rules refer to these keys, so they are the same in every language.
  const known = message.fields.length === 0 ? [] : alertFields(alert, "en-US");
  const fields = [...known, { label: "text", value: message.text }];
  const [link] = message.links;
  return {
    payload: {
      summary: cut(message.title, 1024),
      source: cut(alert.address || alert.hostname || alert.target.name, 255),
      severity: message.isTest ? "info" : alert.severity || severities[alert.incidentKind],
      timestamp: new Date(alert.openedAtMs).toISOString(),
      component: cut(alert.target.name, 255),
      class: alert.incidentKind,
      custom_details: Object.fromEntries(
        fields.filter(({ value }) => value !== "").map(({ label, value }) => [label, cut(value, 2000)]),
      ),
    },
    client: "Sonde",
    ...(link !== undefined && { client_url: link.url, links: [{ href: link.url, text: link.label }] }),
  };
}

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { status, message, errors } = jsonOf(answer);
  const faults = Array.isArray(errors) ? errors.filter((fault) => typeof fault === "string").join("; ") : "";
  const text = textsIn(message, faults) || answer.text;
  if (statusCode === 429) return throttledOutcome(answer, text, answerRetryAfterMs(answer) ?? throttledMs);
  if (statusCode === 202 && status === "success") return { outcome: "delivered", statusCode, answer: text };
  return byStatus(answer, text, statusCode === 400 && /routing[_ ]?key/i.test(text));
}
