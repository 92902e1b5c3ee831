import type { SharedCause } from "@sonde/proto/http/incidents/explanation";
import type { WebhookEvent } from "@sonde/proto/http/notifications/webhook-event";
import { fillTemplate, type TemplateValues } from "@sonde/proto/http/notifications/templates";
import { createHmac } from "node:crypto";
import { sender, type SendInput, type SendOutcome } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { requestProvider, answerRetryAfterMs } from "../outcome.ts";
import type { AlertFacts } from "../../alerts/incident.ts";
import type { ChannelMessage } from "../../messages/message.ts";
import { lineOf, visibleLines } from "../../messages/format.ts";
import { cut, firstThatFits } from "../text.ts";
import { templateValues } from "../../messages/values.ts";

/** Standard Webhooks 1.0: github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export const channel = sender({
  type: "webhook",
  reader: "machine",
  // A guess, since the server's limit is unknown until it responds with one.
  budgets: ({ url }) => [{ key: `webhook ${url}`, requests: 50, perMs: 1000 }],
  compose: (message, { bodyTemplate }) =>
    bodyTemplate === undefined ? webhookBody(message) : fillBody(bodyTemplate, message),
  send(sending) {
    const { body, config } = sending;
    const headers = {
      "content-type": isJson(body) ? "application/json" : "text/plain; charset=utf-8",
      "user-agent": "Sonde",
      ...Object.fromEntries(config.headers.map(({ name, value }) => [name.toLowerCase(), value])),
      ...signatureHeaders(sending, config.secret),
    };
    return requestProvider(sending, { method: config.method, url: config.url, headers, body }, read);
  },
});

/** Only the status code is read and stored, because the server is untrusted. */
function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const details = { statusCode, answer: `HTTP ${statusCode}` };
  if (statusCode >= 200 && statusCode < 300) return { ...details, outcome: "delivered" };
  // Standard Webhooks: 410 means that the receiver wants no further messages.
  if (statusCode === 410) return { ...details, outcome: "broken", dead: true };
  const isThrottled = [429, 502, 504].includes(statusCode);
  return { ...details, outcome: "retry", throttled: isThrottled, afterMs: answerRetryAfterMs(answer) };
}

/** Standard Webhooks recommends less than 20 KB; receivers may refuse more. */
const maxBytes = 20_000;
const maxEntries = 20;

/** Renders the message's only alert as JSON; its schema is in proto/http/notifications/webhook-event.ts. */
function webhookBody(message: ChannelMessage): string {
  const [alert] = message.alerts;
  if (alert === undefined) throw new Error("webhook message without alert");
  const sizes = [2000, 1000, 300, 100, 30, 10];
  return firstThatFits(sizes, maxBytes, (maxLength) => JSON.stringify(eventOf(message, alert, maxLength)));
}

function eventOf(message: ChannelMessage, alert: AlertFacts, maxLength: number): WebhookEvent {
  const text = (value: string) => lineOf(value, Math.min(maxLength, 300));
  const list = (values: readonly string[]) =>
    values.slice(0, maxEntries).map((value) => lineOf(value, Math.min(maxLength, 100)));
  return {
    type: `alert.${alert.kind}`,
    timestamp: iso(alert.atMs),
    data: {
      kind: alert.kind,
      title: text(message.title),
      text: visibleLines(message.text, maxLength).join("\n"),
      language: message.language,
      isTest: message.isTest,
      reminder: alert.reminder,
      incident: {
        id: alert.incidentId,
        kind: alert.incidentKind,
        cause: text(alert.cause),
        openedAt: iso(alert.openedAtMs),
        closedAt: alert.closedAtMs === undefined ? undefined : iso(alert.closedAtMs),
        resolution: alert.resolution,
        flaps: alert.flaps,
        url: message.links[0]?.url,
      },
      target: {
        type: alert.target.type,
        id: alert.target.id,
        name: text(alert.target.name),
        address: alert.target.type === "monitor" ? lineOf(alert.address, maxLength) || undefined : undefined,
        tags: list(alert.tags),
        locations: list(alert.locations),
        note: alert.note === "" ? undefined : visibleLines(alert.note, maxLength).join("\n"),
        ...(alert.target.type === "agent" && {
          hostname: text(alert.hostname),
          ipAddresses: list(alert.ipAddresses),
          os: text(alert.os),
        }),
      },
      check: alert.target.type === "monitor" ? checkOf(alert) : undefined,
      threshold:
        alert.incidentKind === "threshold" && alert.metric
          ? { metric: lineOf(alert.metric), value: alert.value, limit: alert.threshold }
          : undefined,
      sharedCause: message.sharedCause && sharedCauseOf(message.sharedCause),
      dependents: { names: list(alert.dependents.names), count: alert.dependents.count },
    },
  };
}

const sharedCauseOf = ({ incidentIds, value, ...cause }: SharedCause) => ({
  ...cause,
  value: lineOf(value),
  incidentIds: incidentIds.slice(0, maxEntries),
});

const checkOf = ({ responseTimeMs, statusCode, expectedStatus }: AlertFacts): WebhookEvent["data"]["check"] => ({
  responseTimeMs,
  statusCode,
  expectedStatus: expectedStatus === "" ? undefined : lineOf(expectedStatus),
});

const iso = (ms: number) => new Date(ms).toISOString();

const maxFilledBytes = 64 * 1024;

/** Values are escaped for the inside of a JSON string, which they cannot end; placeholders must be in quotes. */
function fillBody(template: string, { alerts, language, links }: ChannelMessage): string {
  const [alert] = alerts;
  if (alert === undefined) return template;
  const values = templateValues(alert, language, links[0]?.url);
  // A template may use a long value a thousand times.
  const sizes = [Infinity, 200, 50, 10];
  return firstThatFits(sizes, maxFilledBytes, (maxLength) => fillTemplate(template, quoted(values, maxLength)));
}

function quoted(values: TemplateValues, maxLength: number): Record<string, string> {
  const shown = (value: string) => (maxLength === Infinity ? value : cut(value, maxLength));
  const texts = Object.entries(values).map(([name, value]) => [name, JSON.stringify(shown(value)).slice(1, -1)]);
  return Object.fromEntries(texts) as Record<string, string>;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const prefix = "whsec_";

/**
 * Headers of Standard Webhooks 1.0, and `X-Sonde-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`. Without
 * a secret there are no signatures.
 */
function signatureHeaders(
  { key: id, atMs, body }: SendInput<unknown>,
  secret: string | undefined,
): Record<string, string> {
  const seconds = String(Math.floor(atMs / 1000));
  const named = { "webhook-id": id, "webhook-timestamp": seconds };
  if (secret === undefined) return named;
  const standard = createHmac("sha256", keyOf(secret)).update(`${id}.${seconds}.${body}`).digest("base64");
  const own = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return { ...named, "webhook-signature": `v1,${standard}`, "x-sonde-signature": `t=${seconds},v1=${own}` };
}

/** A secret with the standard's prefix is base64; of any other, the characters are the key. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), "base64") : Buffer.from(secret);
}
