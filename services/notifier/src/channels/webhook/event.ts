import type { WebhookEvent } from "@sonde/proto/http/notifications/webhook-event";
import type { AlertFacts } from "../../alerts/alert.ts";
import type { ChannelMessage } from "../../messages/message.ts";
import { lineOf, linesOf } from "../../messages/plain.ts";
import { sizeOf } from "../text.ts";

/** Receivers may refuse more (Standard Webhooks recommends less than 20 KB). */
const maxBytes = 20_000;
const mostEntries = 20;

/** The one alert of a message as JSON: the shape is in proto/http/notifications/webhook-event.ts. */
export function webhookBody(message: ChannelMessage): string {
  const [alert] = message.alerts;
  if (alert === undefined) throw new Error("a message to a webhook carries one alert");
  for (const longest of [2000, 1000, 300, 100, 30]) {
    const body = JSON.stringify(eventOf(message, alert, longest));
    if (sizeOf(body, "bytes") < maxBytes) return body;
  }
  return JSON.stringify(eventOf(message, alert, 10));
}

/** @param longest characters that the longest texts may have */
function eventOf(message: ChannelMessage, alert: AlertFacts, longest: number): WebhookEvent {
  const text = (value: string) => lineOf(value, Math.min(longest, 300));
  const list = (values: readonly string[]) =>
    values.slice(0, mostEntries).map((value) => lineOf(value, Math.min(longest, 100)));
  return {
    type: `alert.${alert.kind}`,
    timestamp: iso(alert.atMs),
    data: {
      kind: alert.kind,
      title: text(message.title),
      text: linesOf(message.text, longest).join("\n"),
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
        address: alert.target.type === "monitor" ? lineOf(alert.address, longest) : undefined,
        tags: list(alert.tags),
        locations: list(alert.locations),
        note: alert.note === "" ? undefined : linesOf(alert.note, longest).join("\n"),
        ...(alert.target.type === "agent" && {
          hostname: text(alert.hostname),
          ipAddresses: list(alert.ipAddresses),
          os: text(alert.os),
        }),
      },
      check: checkOf(alert),
      threshold: thresholdOf(alert),
      dependents: { names: list(alert.dependents.names), count: alert.dependents.count },
    },
  };
}

function checkOf({ target, responseTimeMs, statusCode, expectedStatus }: AlertFacts): WebhookEvent["data"]["check"] {
  if (target.type !== "monitor") return undefined;
  return {
    responseTimeMs,
    statusCode,
    expectedStatus: expectedStatus === "" ? undefined : lineOf(expectedStatus),
  };
}

function thresholdOf({ metric, value, threshold }: AlertFacts): WebhookEvent["data"]["threshold"] {
  if (metric === undefined || metric === "") return undefined;
  return { metric: lineOf(metric), value, limit: threshold };
}

const iso = (ms: number) => new Date(ms).toISOString();
