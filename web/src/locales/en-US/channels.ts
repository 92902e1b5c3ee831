import type { channelTypes as types, ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";

type FieldWords = { label: string; hint?: string; options?: Readonly<Record<string, string>> };
/** Every type of channel with words for each of its fields: one that is missing is a type error. */
type TypeWords = {
  [Type in ChannelTypeName]: {
    name: string;
    purpose: string;
    /** Where what the form asks for is found. */
    setup: string;
    fields: Readonly<Record<keyof (typeof types)[Type]["fields"], FieldWords>>;
  };
};

export const channels = {
  add: "Add channel",
  createTitle: "Add notification channel",
  editTitle: "Edit notification channel",
  back: "All channels",
  missing: "Notification channel does not exist",
  type: "Type",
  typeFixed: "The type of a channel cannot be changed.",
  name: "Name",
  advanced: "More settings",
  advancedHint: "Rarely needed",
  enabled: "Enabled",
  enabledHint: "Nothing is sent to a disabled channel.",
  switchedOff: "{{name}} is off: nothing is sent to it",
  enabledOf: "Enabled: {{name}}",
  useGlobally: "Use for all monitors and agents",
  useGloballyHint: "Adds the channel to the settings for all monitors and to those for all agents.",
  secretKept: "Stored encrypted and never shown again. Leave it as it is to keep it.",
  secretNew: "Stored encrypted and never shown again.",
  showTyped: "Show value",
  hideTyped: "Hide value",
  create: "Add channel",
  creating: "Adding…",
  createAndTest: "Add and send test",
  save: "Save changes",
  saving: "Saving…",
  saveAndTest: "Save and send test",
  fixErrors: "Please correct the marked fields",
  created: "Channel added",
  updated: "Channel saved",
  settingsNotSaved: "The channel was added, but not to the settings: {{reason}}",
  notUsed: "No settings use this channel, so nothing is sent to it.",
  useNow: "Use for all",
  usedBy: "Used for",
  use: {
    monitors: "all monitors",
    agents: "all agents",
    overrides_one: "{{count}} override",
    overrides_other: "{{count}} overrides",
  },
  health: {
    works: "Works",
    untried: "Nothing sent yet",
    waiting: "Waiting to send",
    failing: "Failing, retrying",
    failed: "Last message failed",
    broken: "Refused by the provider",
    off: "Off",
    refusedAt: "Refused {{when}}:",
    failedAt: "Failed {{when}}:",
    messagesWait_one: "{{count}} message waits.",
    messagesWait_other: "{{count}} messages wait.",
    brokenHint: "Correct the channel and send a test. Until then only one message an hour is tried.",
  },
  lastDelivery: "Last message",
  never: "none yet",
  history: "Delivery history",
  test: {
    run: "Send test",
    running: "Sending…",
    progress: "Sending a sample message and waiting for the provider's answer…",
    delivered: "The test was delivered.",
    failed: "The test was not delivered.",
    pending: "The test has not been delivered yet.",
    answer: "The provider's answer:",
    show: "View delivery",
  },
  remove: {
    title: "Delete channel?",
    text: "“{{name}}” is removed from all settings, and messages waiting for it are not sent. This action cannot be undone.",
    success: "Channel deleted",
  },
  first: {
    title: "Where should Sonde notify you?",
    text: "Add a channel and send a test message to it. You can add more later.",
    more: "All channel types",
    fewer: "Choose one",
  },
  empty: "There are no channels yet.",
} as const;

const webhookUrl = {
  label: "Webhook address",
  hint: "Keep it secret: anyone who has the address can post.",
} as const;
const from = { label: "Sender", hint: "An address, or Name <address>" } as const;
const to = { label: "Recipients", hint: "One or more addresses, separated by commas" } as const;
const signingKey = {
  label: "Signing key",
  hint: "Only if the robot's security settings require a signature",
} as const;

export const channelTypes = {
  resend: {
    name: "Email (Resend)",
    purpose: "Mail through the Resend service",
    setup: "Create an API key at resend.com and verify the domain of the sender there.",
    fields: {
      apiKey: { label: "API key" },
      from: { label: "Sender", hint: "An address of the verified domain, or Name <address>" },
      to,
      apiBaseUrl: { label: "API address", hint: "Only for your own proxy" },
    },
  },
  slack: {
    name: "Slack",
    purpose: "A channel in a Slack workspace",
    setup: "In Slack, create an app with incoming webhooks and add a webhook for the channel.",
    fields: { webhookUrl },
  },
  telegram: {
    name: "Telegram",
    purpose: "A chat, group or channel, through a bot",
    setup: "Create a bot with @BotFather, add it to the chat, and enter the chat's ID.",
    fields: {
      botToken: { label: "Bot token", hint: "From @BotFather" },
      chatId: { label: "Chat ID", hint: "A number (groups begin with -100), or @name of a public channel" },
      messageThreadId: { label: "Topic ID", hint: "Of a group with topics" },
      apiBaseUrl: { label: "API address", hint: "Only for your own Bot API server" },
    },
  },
  webhook: {
    name: "Webhook",
    purpose: "A request to your own address",
    setup: "Sonde sends JSON when an incident begins and when it ends. A 2xx status counts as delivered.",
    fields: {
      url: { label: "URL" },
      secret: { label: "Signing secret", hint: "If set, every request carries a signature that you can verify." },
      method: { label: "Method" },
      headers: {
        label: "Headers",
        hint: "Values of authorization, cookie, *-key, *-token and *-secret headers are stored encrypted and never shown again.",
      },
      bodyTemplate: { label: "Body", hint: "A text with variables in double braces. Default: Sonde's own JSON." },
    },
  },
  dingtalk: {
    name: "DingTalk",
    purpose: "A DingTalk group robot",
    setup: "Add a custom robot to the group. If it asks for a keyword, enter Sonde: every message contains it.",
    fields: { webhookUrl, secret: signingKey },
  },
  wecom: {
    name: "WeCom",
    purpose: "A WeCom group robot",
    setup: "Add a group robot in WeCom and copy its webhook address.",
    fields: { webhookUrl },
  },
  feishu: {
    name: "Feishu / Lark",
    purpose: "A Feishu or Lark group bot",
    setup: "Add a custom bot to the group. If it asks for a keyword, enter Sonde: every message contains it.",
    fields: { webhookUrl, secret: signingKey },
  },
  smtp: {
    name: "Email (SMTP)",
    purpose: "Mail through your own server",
    setup: "Ask your mail provider for the server's name and port. Many require an app password.",
    fields: {
      host: { label: "Server" },
      port: { label: "Port", hint: "587 with STARTTLS, 465 with TLS" },
      security: {
        label: "Encryption",
        options: { starttls: "STARTTLS", tls: "TLS from the start", none: "None (trusted networks only)" },
      },
      username: { label: "Username" },
      password: { label: "Password" },
      from,
      to,
    },
  },
  discord: {
    name: "Discord",
    purpose: "A channel on a Discord server",
    setup: "In the channel's settings, under integrations, create a webhook and copy its address.",
    fields: { webhookUrl, threadId: { label: "Thread ID", hint: "Needed for forum channels" } },
  },
  ntfy: {
    name: "ntfy",
    purpose: "Push messages through an ntfy topic",
    setup:
      "Subscribe to the topic in the ntfy app. On ntfy.sh anyone who knows the topic can read it: choose a name that nobody can guess.",
    fields: {
      topic: { label: "Topic" },
      serverUrl: { label: "Server" },
      token: { label: "Access token", hint: "Only for protected topics" },
    },
  },
  pagerduty: {
    name: "PagerDuty",
    purpose: "Incidents in a PagerDuty service",
    setup: "In the service, add an integration of the type Events API v2 and copy its key.",
    fields: {
      routingKey: { label: "Integration key" },
      apiBaseUrl: { label: "API address", hint: "Of the EU region: https://events.eu.pagerduty.com" },
    },
  },
  teams: {
    name: "Microsoft Teams",
    purpose: "A Teams channel, through a workflow",
    setup: "In the channel, add the workflow that posts when a webhook request is received, and copy its address.",
    fields: { webhookUrl },
  },
  matrix: {
    name: "Matrix",
    purpose: "A Matrix room",
    setup: "Use an account for Sonde, invite it to the room, and copy its access token.",
    fields: {
      homeserverUrl: { label: "Homeserver" },
      roomId: { label: "Room ID", hint: "In the room's settings, under advanced" },
      accessToken: { label: "Access token" },
    },
  },
  gotify: {
    name: "Gotify",
    purpose: "An application on a Gotify server",
    setup: "In Gotify, create an application and copy its token.",
    fields: { serverUrl: { label: "Server" }, token: { label: "App token" } },
  },
} as const satisfies TypeWords;
