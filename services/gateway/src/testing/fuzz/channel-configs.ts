import type { TeamChannelTypeName } from "@sonde/proto/http/notifications/channel-types";

/** Returns a valid configuration of each channel type that reaches no real service. Rules between fields are not in the schema. */
export const channelConfigs = (targetUrl: string): Record<TeamChannelTypeName, Record<string, unknown>> => {
  const robot = { webhookUrl: targetUrl };
  return {
    resend: { apiKey: "re_x", from: "Sonde <sonde@example.com>", to: "ops@example.com", apiBaseUrl: targetUrl },
    slack: robot,
    telegram: { botToken: `123456789:${"A".repeat(35)}`, chatId: "-100123", apiBaseUrl: targetUrl },
    webhook: { url: targetUrl, secret: "a secret", headers: [{ name: "X-Token", value: "x" }] },
    dingtalk: { ...robot, secret: "SEC" },
    wecom: robot,
    feishu: robot,
    smtp: { host: "localhost", port: 1, security: "none", from: "sonde@example.com", to: "ops@example.com" },
    discord: { ...robot, threadId: "123456" },
    ntfy: { serverUrl: targetUrl, topic: "sonde" },
    pagerduty: { routingKey: "R0", apiBaseUrl: targetUrl },
    teams: robot,
    matrix: { homeserverUrl: targetUrl, accessToken: "x", roomId: "!abc:example.com" },
    gotify: { serverUrl: targetUrl, token: "x" },
    mattermost: robot,
    rocketchat: robot,
    googlechat: robot,
    zulip: { serverUrl: targetUrl, botEmail: "bot@example.com", apiKey: "x", channel: "alerts" },
    pushover: { userKey: "u", apiToken: "x", apiBaseUrl: targetUrl },
    bark: { serverUrl: targetUrl, deviceKey: "x" },
    serverchan: { sendKey: "SCT1x", apiBaseUrl: targetUrl },
    pushdeer: { serverUrl: targetUrl, pushKey: "x" },
    twilio: {
      accountSid: `AC${"0".repeat(32)}`,
      authToken: "x",
      from: "+15005550006",
      to: "+15558675310",
      apiBaseUrl: targetUrl,
    },
    signal: { serverUrl: targetUrl, number: "+491701234567", recipients: "+491707654321" },
    line: { channelAccessToken: "x", to: `U${"0".repeat(32)}`, apiBaseUrl: targetUrl },
    alertmanager: { serverUrl: targetUrl },
    apprise: { serverUrl: targetUrl, configKey: "x" },
  };
};
