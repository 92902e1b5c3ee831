import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { AppError, invalid } from "@sonde/kit/errors";
import type { Handlers } from "@sonde/kit/bus/rpc";
import type {
  ChannelSchema,
  DecisionSchema,
  DeliverySchema,
  NotificationsService,
  TemplateSchema,
} from "@sonde/proto/gen/notifications/v1/notifications";

/** Fields of a message. */
type Plain<S extends DescMessage> = Exclude<MessageInitShape<S>, { $typeName: string }>;

const atMs = Date.UTC(2026, 0, 31, 12);

/** The one channel that the fakes know, id 7. */
export const fakeChannel = (id: number, changed: Plain<typeof ChannelSchema> = {}): Plain<typeof ChannelSchema> => {
  if (id !== 7) throw new AppError("not_found", "Notification channel does not exist");
  return {
    id,
    name: "Slack ops",
    type: "slack",
    enabled: true,
    config: JSON.stringify({ webhookUrl: "••••••" }),
    healthy: false,
    refusal: "404 no_service",
    refusedAtMs: atMs,
    lastDeliveryAtMs: atMs,
    lastDeliveryStatus: "failed",
    createdAtMs: atMs,
    updatedAtMs: atMs,
    ...changed,
  };
};

/** Delivered at its second attempt. */
export const fakeDelivery: MessageInitShape<typeof DeliverySchema> = {
  id: 40,
  channelId: 7,
  channelType: "slack",
  channelName: "Slack ops",
  kind: "down",
  target: { type: "monitor", id: 7 },
  targetName: "monitor 7",
  incidentId: "m5",
  status: "delivered",
  attempts: [
    { atMs: atMs + 100, statusCode: 500, answer: "rollup_error", durationMs: 20 },
    { atMs: atMs + 5200, statusCode: 200, answer: "ok", durationMs: 12.34 },
  ],
  createdAtMs: atMs + 50,
  grouped: 1,
};

export const fakeDecision: MessageInitShape<typeof DecisionSchema> = {
  moment: "opened",
  atMs: atMs + 50,
  channelId: 7,
  channelName: "Slack ops",
  outcome: "sent",
  reason: "sent",
  deliveryId: 40,
};

const fakeTemplate = (id: number, changed: Plain<typeof TemplateSchema> = {}): Plain<typeof TemplateSchema> => {
  if (id !== 7) throw new AppError("not_found", "Notification template does not exist");
  const [subject, content] = ["{{name}} is {{status}}", "{{error}}"];
  return { id, name: "short", kind: "down", subject, content, createdAtMs: atMs, updatedAtMs: atMs, ...changed };
};

/** The token of the one signed link that the fakes know. */
export const linkToken = "a-signed-link";

export const notifierHandlers: Handlers<typeof NotificationsService> = {
  importNotifications: async ({ channels, templates, dryRun }) =>
    dryRun ? {} : { channelIds: channels.map((_, at) => 50 + at), templateIds: templates.map((_, at) => 60 + at) },
  undoImport: async () => ({}),
  listChannels: async () => ({ channels: [fakeChannel(7)] }),
  createChannel: async ({ name, type }) => fakeChannel(7, { name, type, healthy: true }),
  updateChannel: async ({ id, name }) => fakeChannel(id, name === undefined ? {} : { name }),
  deleteChannel: async ({ id }) => (fakeChannel(id), {}),
  testChannel: async ({ id }) => {
    fakeChannel(id);
    return { ...fakeDelivery, kind: "test", target: undefined, targetName: "", incidentId: "" };
  },
  getSettings: async () => ({
    settings: [
      { scope: "global-monitor", value: JSON.stringify({ channels: [7], quietHours: null }) },
      { scope: "global-agent", value: "{}" },
      { scope: "monitor", targetId: 7, value: JSON.stringify({ enabled: false }) },
    ],
    nextReminder: {
      incidentId: "m5",
      target: { type: "monitor", id: 7 },
      targetName: "monitor 7",
      atMs: atMs + 1_800_000,
    },
  }),
  putSetting: async ({ setting }) => setting ?? {},
  deleteSetting: async () => ({}),
  listTemplates: async () => ({ templates: [fakeTemplate(7)] }),
  createTemplate: async ({ name, kind }) => fakeTemplate(7, { name, kind }),
  updateTemplate: async ({ id, name }) => fakeTemplate(id, name === undefined ? {} : { name }),
  deleteTemplate: async ({ id }) => (fakeTemplate(id), {}),
  previewTemplate: async ({ subject, content }) => ({ subject: subject ?? "built in", content: content ?? "built in" }),
  listDeliveries: async () => ({ deliveries: [fakeDelivery], total: 1 }),
  explainIncident: async () => ({
    decisions: [fakeDecision],
    deliveries: [fakeDelivery],
    nextReminderAtMs: atMs + 1_800_000,
  }),
  sendMail: async () => ({ outcome: "delivered", answer: "" }),
  readAcknowledgeLink: async ({ token }) => {
    if (token !== linkToken) throw invalid([{ path: "token", message: "This value is not valid" }]);
    return { incidentId: "m5", by: "Slack ops" };
  },
};
