import type { AlertFacts } from "../../alerts/incident.ts";
import type { ChannelMessage } from "../../messages/message.ts";
import { toneOf } from "../../messages/render.ts";
import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { basicAuth, below, byStatus, post, answerText } from "../outcome.ts";
import { cut } from "../text.ts";
import { severities } from "./pagerduty.ts";

const minuteMs = 60_000;
/** Without an end, Alertmanager resolves an alert that is not repeated within `resolve_timeout` (5 minutes). */
const openMs = 30 * 24 * 60 * minuteMs;
const testMs = 5 * minuteMs;

/**
 * Alertmanager (prometheus.io/docs/alerting/latest/alerts_api; github.com/prometheus/alertmanager,
 * api/v2/openapi.yaml). Labels identify an alert, so they contain nothing that changes. Alertmanager keeps alerts only
 * in memory: reminders restore alerts that a restart lost. Status 200 with an empty body means accepted.
 */
export const channel = sender({
  type: "alertmanager",
  reader: "machine",
  budgets: () => [],
  compose: (message) => JSON.stringify(message.alerts.map((alert) => alertOf(message, alert))),
  send: (sending) => {
    const { serverUrl, username, password } = sending.config;
    const headers = username === undefined && password === undefined ? {} : basicAuth(username ?? "", password ?? "");
    return post(sending, below(serverUrl, "/api/v2/alerts"), read, { headers });
  },
});

function alertOf(message: ChannelMessage, alert: AlertFacts): object {
  const isOver = !message.isTest && toneOf(alert) === "good";
  const startMs = message.isTest ? message.atMs : alert.openedAtMs;
  const endMs = isOver ? alert.atMs : message.atMs + (message.isTest ? testMs : openMs);
  const annotations = {
    summary: cut(message.title, 1000),
    description: cut(message.text, 4000),
    name: cut(alert.target.name, 250),
    address: cut(alert.address || alert.hostname, 1000),
    tags: alert.tags.join(", ").slice(0, 1000),
  };
  const [link] = message.links;
  return {
    labels: {
      alertname: message.isTest
        ? "SondeTest"
        : `Sonde${alert.incidentKind.replace(/^./, (first) => first.toUpperCase())}`,
      severity: message.isTest ? "info" : alert.severity || severities[alert.incidentKind],
      incident: message.isTest ? `test-${message.key}` : alert.incidentId,
      target_type: alert.target.type,
      target_id: String(alert.target.id),
    },
    annotations: Object.fromEntries(Object.entries(annotations).filter(([, text]) => text !== "")),
    startsAt: new Date(startMs).toISOString(),
    endsAt: new Date(Math.max(startMs, endMs)).toISOString(),
    ...(link !== undefined && { generatorURL: link.url }),
  };
}

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode, text } = answer;
  if (statusCode === 200 && text.trim() === "") return { outcome: "delivered", statusCode, answer: "ok" };
  // Errors are a JSON string.
  return byStatus(answer, answerText(text.trim().replaceAll(/^"|"$/g, "")));
}
