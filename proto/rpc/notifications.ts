import * as z from "zod";
import { deliveriesAnswer, deliveriesQuery, delivery } from "../http/notifications/deliveries.ts";
import { id } from "../http/envelope.ts";
import { acknowledgeLinkQuery, incidentStoryAnswer } from "../http/incidents/incidents.ts";
import { channelPatch, channelsAnswer, notificationChannel } from "../http/notifications/channels.ts";
import {
  agentSettings,
  monitorSettings,
  notificationLanguages,
  notificationSettingsAnswer,
  settingScopes,
  shownAgentSettings,
  shownMonitorSettings,
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
/** For all targets where `targetId` is absent. */
const targetId = z.int().optional();
const settingKey = z.object({ scope: z.enum(settingScopes), targetId: z.int() });

const story = incidentStoryAnswer.omit({ success: true, message: true });
export type IncidentStory = z.input<typeof story>;

const mail = z.object({
  channelId: id,
  /** One address. */
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  /** Sanitized; empty: text alone. */
  html: z.string(),
  /** `List-Unsubscribe` and such. */
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
  /** The provider's idempotency key, where it has one; the Message-ID over SMTP is made from it. */
  key: z.string(),
});
export type MailRequest = z.output<typeof mail>;

const mailOutcome = z.object({
  /** `refused`: this mail will never be taken; `broken`: the channel itself is refused. */
  outcome: z.enum(["delivered", "retry", "refused", "broken"]),
  /** In the provider's words, at most 200 characters. */
  answer: z.string(),
  /** Of `retry`: the shortest delay, if it is known. */
  retryAfterMs: z.number().optional(),
  /** Of `retry`: the provider's limits are the reason, not this mail; no other is sent through this channel sooner. */
  throttled: z.boolean().default(false),
});
export type MailOutcome = z.input<typeof mailOutcome>;

/** Channels, settings, templates, and what became of alerts. */
export const notificationsContract = contract("notifications", {
  listChannels: { input: nothing, answer: channelsAnswer.pick({ channels: true }) },
  createChannel: { input: channelPatch.required(), answer: notificationChannel },
  // A masked secret keeps the stored one.
  updateChannel: { input: channelPatch.extend({ id }), answer: notificationChannel },
  deleteChannel: { input: byId, answer: nothing },
  // One attempt with a sample incident, on the way that alerts take.
  testChannel: { input: byId.extend({ language: z.enum(notificationLanguages) }), answer: delivery },
  getSettings: { input: nothing, answer: notificationSettingsAnswer.omit({ success: true, message: true }) },
  putMonitorSettings: { input: z.object({ targetId, settings: monitorSettings }), answer: shownMonitorSettings },
  putAgentSettings: { input: z.object({ targetId, settings: agentSettings }), answer: shownAgentSettings },
  // The settings for all targets become the defaults.
  deleteSetting: { input: settingKey, answer: nothing },
  listTemplates: { input: nothing, answer: templatesAnswer.pick({ templates: true }) },
  createTemplate: { input: templateInput, answer: notificationTemplate },
  updateTemplate: { input: templatePatch.extend({ id }), answer: notificationTemplate },
  deleteTemplate: { input: byId, answer: nothing },
  previewTemplate: {
    input: templatePreviewInput,
    answer: templatePreviewAnswer.pick({ preview: true, builtIn: true }),
  },
  listDeliveries: { input: deliveriesQuery, answer: deliveriesAnswer.pick({ deliveries: true, total: true }) },
  // Reads the incident of its producer, and the checks that led to it of metrics.
  incidentStory: {
    input: z.object({
      id: z.string(),
      language: z.enum(notificationLanguages),
      /** Leaves out what providers answered. */
      hideAnswers: z.boolean().optional(),
    }),
    answer: story,
  },
  // Reads a signed link of a message. `by`: the author of what is done by it, which is the channel's name; `runbook`: the
  // note of the incident's monitor.
  readAcknowledgeLink: {
    input: acknowledgeLinkQuery,
    answer: z.object({ incidentId: z.string(), by: z.string(), runbook: z.string().default("") }),
  },
  // One attempt of a mail of another service, by a channel of type smtp or resend within its provider's limits.
  sendMail: { input: mail, answer: mailOutcome },
  // Channels, templates and settings of a document, in one transaction.
  applyNotifications: { input: applyPart, answer: appliedPart },
  countOwned: { input: nothing, answer: ownedCounts },
  idsOfRefs,
  release: { input: releasePart, answer: z.object({ released: z.int() }) },
});
