import type { ChannelTypeName, ChannelConfig } from "@sonde/proto/http/notifications/channel-types";
import type { DeliveryStatus } from "@sonde/proto/http/notifications/deliveries";
import type { Language } from "@sonde/proto/http/messages";
import type { MailContent } from "@sonde/proto/rpc/notifications";
import { openSecrets, type PlainConfig } from "@sonde/domain/sealed-config";
import { secretContexts } from "@sonde/kit/secrets";
import { create, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import type { Clock } from "@sonde/kit/time/clock";
import { EventSchema } from "@sonde/proto/gen/events/v1/events";
import { subjects } from "@sonde/proto/subjects";
import { randomUUID, createHash } from "node:crypto";
import { counter, gauge, histogram } from "@sonde/kit/telemetry/metrics";
import type { AlertFacts } from "../alerts/incident.ts";
import type { AnyChannel, Budget, SendOutcome, StartCall } from "../channels/channel.ts";
import type { OutgoingRequests } from "@sonde/kit/egress/requests";
import type { Context } from "../context.ts";
import type { MessageLinks, Rendering } from "../messages/render.ts";
import type { ChannelMessage } from "../messages/message.ts";
import type { EvidenceReader } from "./evidence.ts";
import type { CauseSource } from "./shared-causes.ts";
import { configWithDefaults } from "../channels/config.ts";
import type { PushIdentity } from "../channels/push/vapid.ts";
import { secretTexts } from "../channels/redact.ts";
import type { StoredChannel } from "../channels/channels.ts";
import type { ChannelNotice } from "../on-call/notices.ts";

export type DeliveryContext = Omit<Context, "due" | "committed"> & {
  channelOf(type: ChannelTypeName): AnyChannel;
  egress: OutgoingRequests;
  render(rendering: Rendering): ChannelMessage;
  linksOf(channelId: number): MessageLinks;
  evidenceOf: EvidenceReader;
  monitors: CauseSource;
  /** Fetches a mail's content from status-page; undefined if it was withdrawn. */
  mailOf(key: string): Promise<MailContent | undefined>;
  /** Writes a notice as of now; undefined if it no longer applies. */
  noticeOf(notice: ChannelNotice, key: string): Promise<ChannelMessage | undefined>;
  pushIdentity(): Promise<PushIdentity>;
  startCall: StartCall;
  /** Removes devices that were found dead. */
  removeGoneDevices(): Promise<unknown>;
  sample(language: Language, nowMs: number): AlertFacts;
  /** Publishes changed deliveries, best effort. */
  changed(deliveries: readonly ChangedDelivery[]): void;
};

export type ChangedDelivery = {
  id: number;
  channelId: number;
  status: DeliveryStatus;
  /** `null` for a test. */
  incidentId: string | null;
  createdAtMs: number;
};

export type ReadyChannel = {
  id: number;
  /** Owner; `null` for channels of the team. */
  userId: number | null;
  typeName: ChannelTypeName;
  type: AnyChannel;
  config: ChannelConfig<ChannelTypeName>;
  secrets: readonly string[];
  /** By their stored key. */
  budgets: ReadonlyMap<string, Budget>;
};

/** Decrypts the secrets of a channel. Returns `null` if one cannot be decrypted. */
export function readyChannel(
  { secrets: box, channelOf, log }: Pick<DeliveryContext, "secrets" | "channelOf" | "log">,
  { id, userId, type: typeName, config: sealed }: StoredChannel,
): ReadyChannel | null {
  let opened: PlainConfig;
  try {
    opened = openSecrets({ box, context: secretContexts.channel }, sealed);
  } catch (err) {
    log.error({ err, channelId: id }, "decrypting a channel's secrets failed");
    return null;
  }
  const config = configWithDefaults(typeName, opened);
  const type = channelOf(typeName);
  const budgets = type.budgets(config).map((budget) => [budgetKey(typeName, budget.key), budget] as const);
  return { id, userId, typeName, type, config, secrets: secretTexts(typeName, opened), budgets: new Map(budgets) };
}

/** Hashes a budget key, since it may contain a secret. */
export const budgetKey = (type: string, key: string): string =>
  createHash("sha256").update(`${type}\n${key}`).digest("base64url");

export type ClaimedMessage = {
  id: number;
  key: string;
  language: Language;
  templateId: number | null;
  /** `null` until rendered. */
  body: string | null;
  /** `null` for a message with alerts. */
  mailKind: string | null;
  /** For messages without alerts that are no mails. */
  notice?: ChannelNotice | null;
  /** Including the current one. */
  attempts: number;
  lease: string;
  createdAtMs: number;
  givesUpAtMs: number;
  startedAtMs: number;
};

/** How long an attempt counts as in progress. After that another sender may claim the message. */
export const leaseMs = 30_000;

export type AttemptResult = {
  endedAtMs: number;
  statusCode: number | undefined;
  answer: string;
  inDoubt: boolean;
  status: DeliveryStatus;
  dueAtMs: number;
  reference: string | undefined;
  /** Effect on the channel's health; `dead` channels are never retried automatically. */
  health: "good" | "refused" | "dead" | "unchanged";
};

/** Publishes changed deliveries on EVENTS, so open pages reload them. Best effort. */
export const publishChanges =
  (bus: Bus, clock: Clock) =>
  (deliveries: readonly ChangedDelivery[]): void => {
    for (const { id, channelId, status, incidentId } of deliveries) {
      const value = { deliveryId: id, channelId, status, incidentId: incidentId ?? "" };
      const event = { id: randomUUID(), atMs: clock.now(), fact: { case: "delivery" as const, value } };
      try {
        bus.nc.publish(subjects.event("delivery", id), toBinary(EventSchema, create(EventSchema, event)));
      } catch (error) {
        return bus.log.debug({ err: error }, "publishing delivery changes failed");
      }
    }
  };

const attempts = counter("sonde_delivery_attempts_total", "Delivery attempts at providers, by outcome", [
  "type",
  "outcome",
]);
const settled = counter("sonde_deliveries_total", "Channel messages that were delivered or finally failed", [
  "type",
  "status",
]);
const seconds = histogram(
  "sonde_delivery_seconds",
  "Time from an alert to the provider's confirmation",
  [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 300, 1_800, 7_200, 86_400],
  ["type"],
);
export const oldestSeconds = gauge(
  "sonde_delivery_oldest_waiting_seconds",
  "Age of the oldest pending channel message; 0 without one",
);
export const waiting = gauge("sonde_delivery_messages_waiting", "Pending channel messages");
export const mailsWaiting = gauge("sonde_delivery_mails_waiting", "Pending mails to subscribers");

export function observeDelivery(
  type: ChannelTypeName,
  outcome: SendOutcome["outcome"],
  { status, endedAtMs }: AttemptResult,
  deliveries: readonly ChangedDelivery[],
): void {
  attempts.inc({ type, outcome });
  if (status === "pending") return;
  settled.inc({ type, status }, deliveries.length);
  if (status !== "delivered") return;
  for (const { createdAtMs } of deliveries) seconds.observe({ type }, Math.max(0, endedAtMs - createdAtMs) / 1_000);
}

export function observeFailed(type: string, deliveries: readonly ChangedDelivery[]): void {
  settled.inc({ type, status: "failed" }, deliveries.length);
}
