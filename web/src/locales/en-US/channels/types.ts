import type { allChannelTypes as types, ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";

type FieldWords = { label: string; hint?: string; options?: Readonly<Record<string, string>> };
/** A missing channel type or field is a type error. */
type TypeWords = {
  [Type in ChannelTypeName]: {
    name: string;
    purpose: string;
    /** How to obtain the values that the form asks for. */
    setup: string;
    fields: Readonly<Record<keyof (typeof types)[Type]["fields"], FieldWords>>;
  };
};

const webhookUrl = {
  label: "Webhook URL",
  hint: "Keep it secret: anyone with this URL can post.",
} as const;
const serverUrl = { label: "Server" } as const;
const ownProxy = { label: "API address", hint: "Only for your own proxy" } as const;
const login = {
  username: { label: "Username", hint: "Only if the server or a proxy requires a login" },
  password: { label: "Password" },
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
    purpose: "Email through Resend",
    setup: "Create an API key at resend.com and verify the sender's domain there.",
    fields: {
      apiKey: { label: "API key" },
      from: { label: "Sender", hint: "An address at the verified domain, or Name <address>" },
      to,
      apiBaseUrl: ownProxy,
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
      messageThreadId: { label: "Topic ID", hint: "Only for groups with topics" },
      apiBaseUrl: { label: "API address", hint: "Only for your own Bot API server" },
    },
  },
  webhook: {
    name: "Webhook",
    purpose: "An HTTP request to your own endpoint",
    setup: "Sonde sends JSON when an incident starts and when it ends. A 2xx status counts as delivered.",
    fields: {
      url: { label: "URL" },
      secret: { label: "Signing secret", hint: "If set, every request is signed so that you can verify it." },
      method: { label: "Method" },
      headers: {
        label: "Headers",
        hint: "Values of authorization, cookie, *-key, *-token and *-secret headers are stored encrypted and never shown again.",
      },
      bodyTemplate: { label: "Body", hint: "Text with variables in double braces. Default: Sonde's own JSON." },
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
    setup: "Add a group robot in WeCom and copy its webhook URL.",
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
    purpose: "Email through your own server",
    setup: "Get the server name and port from your email provider. Many providers require an app password.",
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
    setup: "In the channel's settings, under Integrations, create a webhook and copy its URL.",
    fields: { webhookUrl, threadId: { label: "Thread ID", hint: "Needed for forum channels" } },
  },
  ntfy: {
    name: "ntfy",
    purpose: "Push messages through an ntfy topic",
    setup:
      "Subscribe to the topic in the ntfy app. On ntfy.sh, anyone who knows the topic can read it: choose a name that's hard to guess.",
    fields: {
      topic: { label: "Topic" },
      serverUrl: { label: "Server" },
      token: { label: "Access token", hint: "Only for protected topics" },
    },
  },
  pagerduty: {
    name: "PagerDuty",
    purpose: "Incidents in a PagerDuty service",
    setup: "In the service, add an Events API v2 integration and copy its key.",
    fields: {
      routingKey: { label: "Integration key" },
      apiBaseUrl: { label: "API address", hint: "EU region: https://events.eu.pagerduty.com" },
    },
  },
  teams: {
    name: "Microsoft Teams",
    purpose: "A Teams channel, through a workflow",
    setup: "In the channel, add the workflow “Post to a channel when a webhook request is received”, and copy its URL.",
    fields: { webhookUrl },
  },
  matrix: {
    name: "Matrix",
    purpose: "A Matrix room",
    setup: "Create an account for Sonde, invite it to the room, and copy its access token.",
    fields: {
      homeserverUrl: { label: "Homeserver" },
      roomId: { label: "Room ID", hint: "In the room's settings, under Advanced" },
      accessToken: { label: "Access token" },
    },
  },
  gotify: {
    name: "Gotify",
    purpose: "An application on a Gotify server",
    setup: "In Gotify, create an application and copy its token.",
    fields: { serverUrl: { label: "Server" }, token: { label: "App token" } },
  },
  mattermost: {
    name: "Mattermost",
    purpose: "A channel on a Mattermost server",
    setup: "In Mattermost, under Integrations, add an incoming webhook for the channel and copy its URL.",
    fields: { webhookUrl },
  },
  rocketchat: {
    name: "Rocket.Chat",
    purpose: "A channel in a Rocket.Chat workspace",
    setup: "In the workspace's integrations, add an incoming webhook for the channel, enable it, and copy its URL.",
    fields: { webhookUrl },
  },
  googlechat: {
    name: "Google Chat",
    purpose: "A space in Google Chat",
    setup: "In the space's menu, under Apps & integrations, add a webhook and copy its URL.",
    fields: { webhookUrl },
  },
  zulip: {
    name: "Zulip",
    purpose: "A topic in a Zulip channel",
    setup:
      "In Zulip's personal settings, add an incoming webhook bot. If the channel is private, subscribe the bot to it.",
    fields: {
      serverUrl,
      botEmail: { label: "Bot email" },
      apiKey: { label: "Bot API key" },
      channel: { label: "Zulip channel" },
      topic: { label: "Topic" },
    },
  },
  pushover: {
    name: "Pushover",
    purpose: "Push messages to phones through Pushover",
    setup: "At pushover.net, copy your user key and create an application for its token.",
    fields: {
      userKey: { label: "User key", hint: "For a user or a delivery group" },
      apiToken: { label: "Application token" },
      device: { label: "Device", hint: "Default: all devices" },
      apiBaseUrl: ownProxy,
    },
  },
  bark: {
    name: "Bark",
    purpose: "Push messages to an iPhone or iPad",
    setup: "Open Bark on the device and copy the key from the address it shows: https://api.day.app/key/…",
    fields: { deviceKey: { label: "Device key" }, serverUrl },
  },
  serverchan: {
    name: "ServerChan",
    purpose: "Push messages to WeChat through ServerChan (Server 酱)",
    setup: "Log in at sct.ftqq.com or sc3.ft07.com and copy the SendKey.",
    fields: { sendKey: { label: "SendKey" }, apiBaseUrl: ownProxy },
  },
  pushdeer: {
    name: "PushDeer",
    purpose: "Push messages to devices with PushDeer",
    setup: "In the PushDeer app, add the device and copy a push key.",
    fields: { pushKey: { label: "Push key" }, serverUrl },
  },
  twilio: {
    name: "SMS (Twilio)",
    purpose: "Text messages through Twilio",
    setup: "In the Twilio console, copy the account's SID and token, and buy a number to send from.",
    fields: {
      accountSid: { label: "Account SID" },
      authToken: { label: "Auth token", hint: "Or the secret of the API key" },
      from: { label: "From", hint: "A number with its country code, or the SID of a messaging service" },
      to: { label: "To", hint: "A number with its country code" },
      apiKeySid: { label: "API key SID", hint: "Only if you use an API key instead of the account's token" },
      apiBaseUrl: ownProxy,
    },
  },
  signal: {
    name: "Signal",
    purpose: "People or groups, through your own signal-cli-rest-api",
    setup: "Run signal-cli-rest-api and register or link a number with it.",
    fields: {
      serverUrl,
      number: { label: "Registered number", hint: "With its country code" },
      recipients: { label: "Recipients", hint: "Numbers, usernames or group IDs, separated by commas" },
      ...login,
    },
  },
  line: {
    name: "LINE",
    purpose: "A person or group, through a LINE official account",
    setup:
      "In the LINE Developers console, open your Messaging API channel, issue a long-lived token, and copy the recipient's ID.",
    fields: {
      channelAccessToken: { label: "Channel access token" },
      to: { label: "Recipient ID", hint: "Begins with U, C or R" },
      apiBaseUrl: ownProxy,
    },
  },
  alertmanager: {
    name: "Alertmanager",
    purpose: "Alerts in Prometheus Alertmanager",
    setup:
      "Sonde opens one alert per incident and resolves it when the incident ends. Routes can match its labels severity, alertname and target_id.",
    fields: { serverUrl, ...login },
  },
  "web-push": {
    name: "Phone or browser",
    purpose: "Notifications on a person's own device",
    setup: "Each person enables it on their profile, under On call.",
    fields: {
      endpoint: { label: "Push address" },
      p256dh: { label: "Public key" },
      auth: { label: "Secret" },
    },
  },
  "twilio-voice": {
    name: "Phone call",
    purpose: "Calls to a person's phone through Twilio",
    setup: "Each person adds their number on their profile, under On call.",
    fields: {
      accountSid: { label: "Account SID" },
      authToken: { label: "Auth token" },
      from: { label: "From" },
      to: { label: "To" },
      apiKeySid: { label: "API key SID" },
      apiBaseUrl: ownProxy,
    },
  },
  apprise: {
    name: "Apprise API",
    purpose: "More than a hundred services, through your own Apprise API",
    setup: "Run Apprise API, save a configuration with your services there, and enter its key here.",
    fields: {
      serverUrl,
      configKey: { label: "Configuration key" },
      tag: { label: "Tag", hint: "Only services with this tag. Default: all" },
    },
  },
} as const satisfies TypeWords;
