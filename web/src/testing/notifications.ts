import type { TeamChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import type { AgentSettings, MonitorSettings } from "@sonde/proto/http/notifications/settings";
import type { NotificationTemplate } from "@sonde/proto/http/notifications/templates";
import { ok, on } from "./server.ts";

const made = { createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z" };

export const telegram: NotificationChannel = {
  ...made,
  id: 1,
  name: "On call",
  type: "telegram",
  enabled: true,
  config: { botToken: "••••••", chatId: -1_001_234_567_890 },
  healthy: true,
  state: "works",
  lastDelivery: { at: "2026-01-02T10:00:00Z", status: "delivered" },
};
export const brokenSlack: NotificationChannel = {
  ...made,
  id: 2,
  name: "Ops room",
  type: "slack",
  enabled: true,
  config: { webhookUrl: "••••••" },
  healthy: false,
  state: "failing",
  refusal: { at: "2026-01-02T10:00:00Z", answer: "channel_is_archived" },
  lastDelivery: { at: "2026-01-02T10:00:00Z", status: "failed" },
};

export const monitorSettings: MonitorSettings = {
  enabled: true,
  channels: [1],
  events: { down: true, recovery: true, partial: false, slow: false, external: true, slo: true },
  cooldownMinutes: 30,
};
export const agentSettings: AgentSettings = {
  enabled: true,
  channels: [],
  events: { offline: true, online: true },
  thresholds: { cpu: 90, memory: 85, disk: null },
  cooldownMinutes: 60,
};

export const template: NotificationTemplate = {
  ...made,
  id: 5,
  name: "Short",
  kind: "down",
  subject: "{{name}} is down",
  content: "{{error}}",
};

export const delivery: Delivery = {
  id: 40,
  channelId: 1,
  channelType: "telegram",
  channelName: "On call",
  kind: "down",
  target: { type: "monitor", id: 7, name: "Shop API" },
  incidentId: "m3",
  status: "failed",
  attempts: [
    { at: "2026-01-02T10:00:00Z", statusCode: 502, answer: "Bad Gateway", durationMs: 120 },
    { at: "2026-01-02T10:00:05Z", statusCode: 403, answer: "Forbidden: bot was blocked by the user", durationMs: 80 },
  ],
  createdAt: "2026-01-02T10:00:00Z",
};
export const testDelivery: Delivery = {
  id: 41,
  channelId: 1,
  channelType: "telegram",
  channelName: "On call",
  kind: "test",
  status: "delivered",
  attempts: [{ at: "2026-01-02T10:00:00Z", statusCode: 200, answer: "message_id 77", durationMs: 230 }],
  createdAt: "2026-01-02T10:00:00Z",
};

type Settings = {
  globalMonitor?: MonitorSettings;
  globalAgent?: AgentSettings;
  monitors?: Record<string, MonitorSettings>;
  agents?: Record<string, AgentSettings>;
  nextReminder?: { incidentId: string; target: { type: "monitor" | "agent"; id: number; name: string }; at: string };
};

export function serveChannels(channels: NotificationChannel[]): void {
  on("get", "/notifications/channels", () => ok({ channels } as never));
}

/** Serves and stores settings. Returns the requests that change them. */
export function serveSettings(given: Settings = {}) {
  const all: Settings = {
    globalMonitor: monitorSettings,
    globalAgent: agentSettings,
    monitors: {},
    agents: {},
    ...given,
  };
  const sent: { path: string; body: unknown }[] = [];
  on("get", "/notifications/settings", () => ok({ ...all } as never));
  on("put", "/notifications/settings/*", async ({ request }) => {
    const path = new URL(request.url).pathname.replace("/api/notifications/settings/", "");
    const body = (await request.json()) as MonitorSettings & AgentSettings;
    sent.push({ path, body });
    if (path === "global-monitor") all.globalMonitor = body;
    if (path === "global-agent") all.globalAgent = body;
    const [scope, id] = path.split("/");
    if (id !== undefined && scope === "monitor") all.monitors = { ...all.monitors, [id]: body };
    if (id !== undefined && scope === "agent") all.agents = { ...all.agents, [id]: body };
    return ok({ settings: body } as never, "Notification settings saved");
  });
  on("delete", "/notifications/settings/*", ({ request }) => {
    const [scope, id] = new URL(request.url).pathname.replace("/api/notifications/settings/", "").split("/");
    sent.push({ path: `${scope}/${id}`, body: null });
    const kind = scope === "agent" ? "agents" : "monitors";
    const { [id ?? ""]: _gone, ...rest } = all[kind] ?? {};
    (all as Record<string, unknown>)[kind] = rest;
    return ok({}, "Override removed");
  });
  return sent;
}

export const botToken = "123456789:AAabcdefghijklmnopqrstuvwxyz0123456";
/** Required fields of each channel type, by English label. */
export const neededFields: Record<TeamChannelTypeName, Record<string, string>> = {
  resend: { "API key": "re_1", Sender: "Sonde <alerts@example.com>", Recipients: "ops@example.com" },
  slack: { "Webhook URL": "https://hooks.slack.example/1" },
  telegram: { "Bot token": botToken, "Chat ID": "-100123" },
  webhook: { URL: "https://hook.example/" },
  dingtalk: { "Webhook URL": "https://ding.example/1" },
  wecom: { "Webhook URL": "https://wecom.example/1" },
  feishu: { "Webhook URL": "https://feishu.example/1" },
  smtp: { Server: "smtp.example.com", Sender: "alerts@example.com", Recipients: "ops@example.com" },
  discord: { "Webhook URL": "https://discord.example/1" },
  ntfy: { Topic: "sonde-1" },
  pagerduty: { "Integration key": "a-key" },
  teams: { "Webhook URL": "https://teams.example/1" },
  matrix: { Homeserver: "https://matrix.example", "Room ID": "!abc:matrix.example", "Access token": "syt" },
  gotify: { Server: "https://gotify.example", "App token": "a-token" },
  mattermost: { "Webhook URL": "https://mattermost.example/1" },
  rocketchat: { "Webhook URL": "https://rocket.example/1" },
  googlechat: { "Webhook URL": "https://chat.example/1" },
  zulip: {
    Server: "https://zulip.example",
    "Bot email": "bot@zulip.example",
    "Bot API key": "a-key",
    "Zulip channel": "alerts",
  },
  pushover: { "User key": "a-key", "Application token": "a-token" },
  bark: { "Device key": "a-key" },
  serverchan: { SendKey: "SCT1Tabc" },
  pushdeer: { "Push key": "PDU1" },
  twilio: {
    "Account SID": `AC${"0".repeat(32)}`,
    "Auth token": "a-token",
    From: "+15005550006",
    To: "+15558675310",
  },
  signal: { Server: "http://signal:8080", "Registered number": "+491701234567", Recipients: "+491707654321" },
  line: { "Channel access token": "a-token", "Recipient ID": `U${"0".repeat(32)}` },
  alertmanager: { Server: "http://alertmanager:9093" },
  apprise: { Server: "http://apprise:8000", "Configuration key": "c0ffee" },
};
