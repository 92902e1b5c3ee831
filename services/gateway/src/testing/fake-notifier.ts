import { applyNew } from "./fake-apply.ts";
import { AppError, invalid } from "@sonde/kit/errors";
import type { Handlers } from "@sonde/kit/bus/rpc";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import type { Evidence } from "@sonde/proto/http/incidents/evidence";
import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import type { NoisyMonitor } from "@sonde/proto/http/notifications/noise";
import { agentSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import type { NotificationTemplate } from "@sonde/proto/http/notifications/templates";
import type { IncidentStory, notificationsContract } from "@sonde/proto/rpc/notifications";

const atMs = Date.UTC(2026, 0, 31, 12);
const instant = (afterMs = 0) => new Date(atMs + afterMs).toISOString();

/** The only channel of the fakes, id 7. */
export const fakeChannel = (id: number, changed: Partial<NotificationChannel> = {}): NotificationChannel => {
  if (id !== 7) throw new AppError("not_found", "Notification channel does not exist");
  return {
    id,
    name: "Slack ops",
    type: "slack",
    enabled: true,
    config: { webhookUrl: "••••••" },
    healthy: false,
    refusal: { at: instant(), answer: "404 no_service" },
    lastDelivery: { at: instant(), status: "failed" },
    createdAt: instant(),
    updatedAt: instant(),
    ...changed,
  };
};

/** Delivered at the second attempt. */
export const fakeDelivery: Delivery = {
  id: 40,
  channelId: 7,
  channelType: "slack",
  channelName: "Slack ops",
  kind: "down",
  target: { type: "monitor", id: 7, name: "monitor 7" },
  incidentId: "m5",
  status: "delivered",
  attempts: [
    { at: instant(100), statusCode: 500, answer: "rollup_error", durationMs: 20 },
    { at: instant(5200), statusCode: 200, answer: "ok", durationMs: 12 },
  ],
  createdAt: instant(50),
};

export const fakeEvidence: Evidence = {
  at: instant(),
  location: "default",
  status: { code: 500, line: "HTTP/1.1 500 Internal Server Error" },
  headers: [{ name: "server", value: "nginx" }],
  body: "Cannot reach the database",
  expected: "200",
  addresses: ["192.0.2.1"],
};

export const fakeStory: IncidentStory = {
  incident: {
    id: "m5",
    target: { type: "monitor", id: 7, name: "monitor 7" },
    kind: "down",
    cause: "500 is not 200",
    openedAt: instant(),
  },
  timeline: [{ at: instant(), type: "opened", text: "Incident opened: 500 is not 200" }],
  channels: [{ channelId: 7, channelName: "Slack ops", told: true, text: "“Down” was delivered to Slack ops" }],
  nextReminderAt: instant(1_800_000),
  evidence: fakeEvidence,
  latestEvidence: { ...fakeEvidence, at: instant(600_000) },
};

const fakeTemplate = (id: number, changed: Partial<NotificationTemplate> = {}): NotificationTemplate => {
  if (id !== 7) throw new AppError("not_found", "Notification template does not exist");
  const [subject, content] = ["{{name}} is {{status}}", "{{error}}"];
  return { id, name: "short", kind: "down", subject, content, createdAt: instant(), updatedAt: instant(), ...changed };
};

const fakeNoisy: NoisyMonitor = {
  id: 7,
  name: "monitor 7",
  from: instant(-30 * 864e5),
  incidents: 20,
  alerts: 41,
  alternatives: [
    {
      change: {
        field: "recoverAfter",
        value: 3,
      },
      alerts: 3,
      laterMs: 38e3,
      unreported: 2,
    },
  ],
  secondOpinions: [],
};

/** The token of the only signed link. */
export const linkToken = "a-signed-link";
/** For an incident that Ada acknowledged and two people must acknowledge. */
export const secondLinkToken = "second-link-token";

const builtIn = { subject: "built in", content: "built in" };

export const notifierHandlers: Handlers<typeof notificationsContract> = {
  applyNotifications: (part) => applyNew(part, ({ fields }) => (fields["name"] === "Slack ops" ? 7 : undefined)),
  idsOfRefs: async () => ({ ids: {} }),
  countOwned: async () => ({ owned: [{ source: "prod-git", kind: "channel", count: 1 }], released: [] }),
  release: async () => ({ released: 1 }),
  listChannels: async () => ({ channels: [fakeChannel(7)] }),
  createChannel: async ({ name, type }) => fakeChannel(7, { name, type, healthy: true }),
  updateChannel: async ({ id, name }) => fakeChannel(id, name === undefined ? {} : { name }),
  createChange: async ({ title }) => ({ id: 7, title, tags: [], at: instant(), createdBy: "ada" }),
  deleteChannel: async ({ id }) => (fakeChannel(id), {}),
  testChannel: async ({ id }) => {
    fakeChannel(id);
    return { ...fakeDelivery, kind: "test", target: undefined, incidentId: undefined };
  },
  readNoise: async () => ({
    from: instant(-30 * 86_400_000),
    to: instant(),
    monitors: [fakeNoisy],
    nights: [
      { userId: 2, nights: 4, notifications: 9 },
      { userId: 99, nights: 1, notifications: 1 },
    ],
  }),
  getSettings: async () => ({
    globalMonitor: monitorSettings.parse({ channels: [7] }),
    globalAgent: agentSettings.parse({}),
    monitors: { 7: monitorSettings.parse({ enabled: false }) },
    agents: {},
    nextReminder: {
      incidentId: "m5",
      target: { type: "monitor", id: 7, name: "monitor 7" },
      at: instant(1_800_000),
    },
  }),
  putMonitorSettings: async ({ settings }) => settings,
  putAgentSettings: async ({ settings }) => settings,
  deleteSetting: async () => ({}),
  readAudience: async ({ tags }) => ({
    audience: {
      from: "rule",
      rule: { index: 0, tags },
      enabled: true,
      channels: [{ id: 7, name: "Slack ops", type: "slack", enabled: true }],
      nobody: false,
    },
  }),
  readReach: async () => ({ reach: { monitors: true, agents: false, channels: 1, tested: 0 } }),
  listTemplates: async () => ({ templates: [fakeTemplate(7)] }),
  createTemplate: async ({ name, kind }) => fakeTemplate(7, { name, kind }),
  updateTemplate: async ({ id, name }) => fakeTemplate(id, name === undefined ? {} : { name }),
  deleteTemplate: async ({ id }) => (fakeTemplate(id), {}),
  previewTemplate: async ({ subject, content }) => ({
    preview: { subject: subject ?? builtIn.subject, content: content ?? builtIn.content },
    builtIn,
  }),
  answerCall: async () => ({ twiml: "<Response></Response>" }),
  listDeliveries: async () => ({ deliveries: [fakeDelivery], total: 1 }),
  listUnsent: async () => ({
    unsent: [
      {
        id: 50,
        at: instant(),
        kind: "down",
        target: { type: "monitor", id: 7, name: "monitor 7" },
        incidentId: "m5",
        channelId: 7,
        channelName: "Slack ops",
        reason: "quiet_hours",
        text: "“Down” to Slack ops is deferred until quiet hours end",
        heldUntil: instant(3_600_000),
      },
    ],
    total: 1,
  }),
  incidentStory: async ({ id }) => {
    if (id !== fakeStory.incident.id) throw new AppError("not_found", "Incident does not exist");
    return fakeStory;
  },
  sendMail: async () => ({ outcome: "delivered", answer: "" }),
  queueMails: async () => ({}),
  renewDevice: async () => ({}),
  readAcknowledgeLink: async ({ token }) => {
    if (token === secondLinkToken)
      return { incidentId: "m5", by: "Ben", runbook: "", acknowledgers: ["Ada"], needs: 2 };
    if (token !== linkToken) throw invalid([{ path: "token", message: "This value is not valid" }]);
    return { incidentId: "m5", by: "Slack ops", runbook: "Restart **it**", acknowledgers: [], needs: 1 };
  },
};
