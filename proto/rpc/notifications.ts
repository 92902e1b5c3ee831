import * as z from "zod";
import {
  deliveriesAnswer,
  deliveriesQuery,
  delivery,
  unsentAnswer,
  unsentQuery,
} from "../http/notifications/deliveries.ts";
import { id, instant } from "../http/envelope.ts";
import { targetTypes } from "../http/monitors/targets.ts";
import { callSteps } from "../http/on-call/escalation.ts";
import { renewDeviceInput } from "../http/on-call/contacts.ts";
import { change, changeInput } from "../http/incidents/changes.ts";
import { acknowledgeLinkQuery, incidentStoryAnswer } from "../http/incidents/incidents.ts";
import { noise } from "../http/notifications/noise.ts";
import { audienceAnswer, reachAnswer } from "../http/notifications/audience.ts";
import { channelPatch, channelsAnswer, notificationChannel } from "../http/notifications/channels.ts";
import {
  globalAgentSettings,
  globalMonitorSettings,
  notificationLanguages,
  notificationSettingsAnswer,
  settingScopes,
  shownGlobalAgentSettings,
  shownGlobalMonitorSettings,
} from "../http/notifications/settings.ts";
import {
  notificationTemplate,
  templateInput,
  templatePatch,
  templatePreviewAnswer,
  templatePreviewInput,
  templatesAnswer,
} from "../http/notifications/templates.ts";
import { appliedPart, applyPart, idsOfRefs, ownedCounts, releasePart } from "./apply.ts";
import { contract, nothing } from "./contract.ts";

const byId = z.object({ id });
/** Absent for the settings of all targets. */
const targetId = z.int().optional();
const settingKey = z.object({ scope: z.enum(settingScopes), targetId: z.int() });

const story = incidentStoryAnswer.omit({ success: true, message: true });
export type IncidentStory = z.input<typeof story>;

export const mailContent = z.object({
  /** A single address. */
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  /** Sanitised; empty for text only. */
  html: z.string(),
  /** For example `List-Unsubscribe`. */
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
});
export type MailContent = z.output<typeof mailContent>;

/** Identifies a mail in the queue. It is also the provider's idempotency key; over SMTP it becomes the Message-ID. */
const mailKey = z.string().regex(/^[\w.-]{1,200}$/);

const mail = mailContent.extend({ channelId: id, key: mailKey });
export type MailRequest = z.output<typeof mail>;

const queuedMail = z.object({
  key: mailKey,
  kind: z.enum(["update", "maintenance_planned", "maintenance_begun", "confirmation", "link"]),
  /** Mails with a lower rank are sent first. */
  rank: z.int(),
  givesUpAtMs: z.int(),
});
export type QueuedMail = z.output<typeof queuedMail>;

/** A request of Twilio about a phone call. */
const callRequest = z.object({
  reference: z.string(),
  step: z.enum(callSteps),
  /** Names and values of its body. */
  form: z.array(z.tuple([z.string(), z.string()])),
  signature: z.string(),
});
export type CallRequest = z.output<typeof callRequest>;

/** Channels, settings, templates, alerts and deliveries. */
export const notificationsContract = contract("notifications", {
  listChannels: { input: nothing, answer: channelsAnswer.pick({ channels: true }) },
  createChannel: { input: channelPatch.required(), answer: notificationChannel },
  // A masked secret keeps the stored one.
  updateChannel: { input: channelPatch.extend({ id }), answer: notificationChannel },
  deleteChannel: { input: byId, answer: nothing },
  // One attempt with a sample incident, through the same path as alerts.
  testChannel: { input: byId.extend({ language: z.enum(notificationLanguages) }), answer: delivery },
  getSettings: { input: nothing, answer: notificationSettingsAnswer.omit({ success: true, message: true }) },
  putMonitorSettings: {
    input: z.object({ targetId, settings: globalMonitorSettings }),
    answer: shownGlobalMonitorSettings,
  },
  putAgentSettings: { input: z.object({ targetId, settings: globalAgentSettings }), answer: shownGlobalAgentSettings },
  // Resets the settings for all targets to the defaults.
  deleteSetting: { input: settingKey, answer: nothing },
  // The channels that would get a target's alerts.
  readAudience: {
    input: z.object({ type: z.enum(targetTypes), id: z.int(), tags: z.array(z.string()) }),
    answer: audienceAnswer.pick({ audience: true }),
  },
  // Whether the global settings reach a channel.
  readReach: { input: nothing, answer: reachAnswer.pick({ reach: true }) },
  // What other settings would have changed in the last 30 days. At most a minute old.
  readNoise: { input: nothing, answer: noise },
  listTemplates: { input: nothing, answer: templatesAnswer.pick({ templates: true }) },
  createTemplate: { input: templateInput, answer: notificationTemplate },
  updateTemplate: { input: templatePatch.extend({ id }), answer: notificationTemplate },
  deleteTemplate: { input: byId, answer: nothing },
  previewTemplate: {
    input: templatePreviewInput,
    answer: templatePreviewAnswer.pick({ preview: true, builtIn: true }),
  },
  listDeliveries: { input: deliveriesQuery, answer: deliveriesAnswer.pick({ deliveries: true, total: true }) },
  listUnsent: {
    input: unsentQuery.extend({ language: z.enum(notificationLanguages) }),
    answer: unsentAnswer.pick({ unsent: true, total: true }),
  },
  // Reads the incident from its producer, and the checks that led to it from metrics.
  incidentStory: {
    input: z.object({
      id: z.string(),
      language: z.enum(notificationLanguages),
      /** Omits providers' responses. */
      hideAnswers: z.boolean().optional(),
      /** Shows who edited the monitor, and which fields. */
      showEditors: z.boolean().optional(),
    }),
    answer: story,
  },
  // The gateway compares `at` with its clock.
  createChange: { input: changeInput.extend({ at: instant.optional() }), answer: change },
  // Replaces the push subscription of a device.
  renewDevice: { input: renewDeviceInput, answer: nothing },
  // Reads a message's signed link. `by`: author of actions taken through it, which is the channel's name. `runbook`:
  // note of the incident's monitor. `acknowledges`: somebody acknowledges through it, which proves the channel.
  readAcknowledgeLink: {
    input: acknowledgeLinkQuery.extend({ acknowledges: z.boolean().optional() }),
    // `needs`: acknowledgements by different people that stop the incident's policy.
    answer: z.object({
      incidentId: z.string(),
      others: z.array(z.string()).default([]),
      by: z.string(),
      runbook: z.string().default(""),
      acknowledgers: z.array(z.string()).default([]),
      needs: z.int().default(1),
    }),
  },
  // Acknowledges by key 1, and repeats a call that nobody answered. `twiml`: instructions for Twilio.
  // forbidden: not signed by Twilio
  answerCall: { input: callRequest, answer: z.object({ twiml: z.string() }) },
  // Queues one mail, which an smtp or resend channel sends within 24 hours. A key that is already queued is ignored.
  // The response is for status-page replicas of the previous version.
  sendMail: { input: mail, answer: z.object({ outcome: z.literal("delivered"), answer: z.string() }) },
  // Queues mails that status-page composes when they are sent. A key that is already queued only moves to this channel.
  // too_many: many confirmations are waiting
  queueMails: { input: z.object({ channelId: id, mails: z.array(queuedMail).min(1).max(500) }), answer: nothing },
  // Applies a document's channels, templates and settings in one transaction.
  applyNotifications: { input: applyPart, answer: appliedPart },
  countOwned: { input: nothing, answer: ownedCounts },
  idsOfRefs,
  release: { input: releasePart, answer: z.object({ released: z.int() }) },
});
