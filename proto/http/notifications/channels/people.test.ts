import { describe, expect, test } from "vitest";
import { type ChannelTypeName, channelTypeOf } from "../channel-types.ts";
import { channelConfig } from "../channels.ts";
import { secretMask } from "../../secrets.ts";

const valid: Partial<Record<ChannelTypeName, Record<string, unknown>>> = {
  resend: { apiKey: "re_1", from: "Sonde <alerts@example.com>", to: "a@example.com, b@example.com" },
  smtp: { host: "smtp.example.com", from: "alerts@example.com", to: "a@example.com" },
  slack: { webhookUrl: "https://hooks.slack.com/services/T/B/x" },
  discord: { webhookUrl: "https://discord.com/api/webhooks/1/x", threadId: "123456789" },
  telegram: { botToken: `123456789:${"A".repeat(35)}`, chatId: "-1001234567890" },
  ntfy: { topic: "sonde-alerts" },
  matrix: { homeserverUrl: "https://m.example.com", accessToken: "syt_x", roomId: "!abc:example.com" },
  gotify: { serverUrl: "https://gotify.example.com/sub", token: "A" },
  mattermost: { webhookUrl: "https://mattermost.example.com/hooks/x" },
  rocketchat: { webhookUrl: "https://chat.example.com/hooks/x/y" },
  googlechat: { webhookUrl: "https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t" },
  zulip: { serverUrl: "https://z.example.com", botEmail: "bot@example.com", apiKey: "k", channel: "alerts" },
  pushover: { userKey: "u", apiToken: "t" },
  bark: { deviceKey: "k" },
  serverchan: { sendKey: "SCT1TAbc" },
  pushdeer: { pushKey: "PDU1T" },
  twilio: { accountSid: `AC${"0".repeat(32)}`, authToken: "t", from: "+15005550006", to: "+15558675310" },
  signal: { serverUrl: "http://signal:8080", number: "+491701234567", recipients: "+491707654321, group.YWJj, ada.42" },
  line: { channelAccessToken: "t", to: `C${"0".repeat(32)}` },
  alertmanager: { serverUrl: "http://alertmanager:9093", username: "sonde", password: "p" },
  apprise: { serverUrl: "http://apprise:8000", configKey: "c0ffee" },
};

/** Returns the first error of a changed configuration: path and message. */
function fault(type: ChannelTypeName, changes: Record<string, unknown> = {}): string {
  const { error } = channelConfig(type).safeParse({ ...valid[type], ...changes });
  const [issue] = error?.issues ?? [];
  return issue === undefined ? "" : `${issue.path.join(".")}: ${issue.message}`;
}

describe.each(Object.keys(valid) as ChannelTypeName[])("a channel of type %s", (type) => {
  test("takes a configuration, and its secrets masked", () => {
    expect(fault(type)).toBe("");
    const config = channelConfig(type).parse(valid[type]);
    const secrets = channelTypeOf(type).secrets(config as never);
    for (const { path } of secrets) expect(fault(type, { [String(path[0])]: secretMask })).toBe("");
  });

  test("names each field that is missing, and one that it does not know", () => {
    const config = valid[type] ?? {};
    const { fields } = channelTypeOf(type);
    for (const name of Object.keys(config)) {
      const mayBeAbsent = channelConfig(type).safeParse({ ...config, [name]: undefined }).success;
      expect(mayBeAbsent || fault(type, { [name]: undefined }).startsWith(name)).toBe(true);
    }
    expect(Object.keys(fields)).toEqual(expect.arrayContaining(channelTypeOf(type).form.map(({ name }) => name)));
    expect(channelConfig(type).safeParse({ ...config, extra: 1 }).error?.issues[0]).toMatchObject({ keys: ["extra"] });
  });
});

test.each([
  [
    "resend",
    { to: Array.from({ length: 51 }, (_, n) => `a${n}@b.co`).join(",") },
    "to: At most {max} recipients are allowed",
  ],
  ["resend", { to: "a@example.com, b" }, "to: Please enter a valid email address"],
  ["resend", { from: "Sonde" }, "from: Enter the sender as an address or as Name <address>"],
  ["resend", { from: "Sonde <a@b.co>\r\nBcc: x@y.zz" }, "from: Control and invisible characters are not allowed"],
  ["smtp", { host: "a b" }, "host: Please enter a host name or an IP address"],
  ["smtp", { port: 0 }, "port: Enter a port from 1 to 65535"],
  ["slack", { webhookUrl: "ftp://x.example" }, "webhookUrl: Please enter a full http or https address"],
  ["discord", { threadId: "x" }, "threadId: This is not a valid ID"],
  ["telegram", { botToken: "x" }, "botToken: This is not a valid bot token"],
  ["telegram", { chatId: "alerts" }, "chatId: This is not a valid chat ID"],
  ["ntfy", { topic: "a/b" }, "topic: This is not a valid topic"],
  ["matrix", { roomId: "#alerts:example.com" }, "roomId: This is not a valid room ID"],
  ["gotify", { serverUrl: "gotify" }, "serverUrl: Please enter a full http or https address"],
  ["zulip", { botEmail: "bot" }, "botEmail: Please enter a valid email address"],
  ["serverchan", { sendKey: "https://sctapi.ftqq.com" }, "sendKey: This is not a valid SendKey"],
  ["serverchan", { sendKey: "sctp.evil.example/t" }, "sendKey: This is not a valid SendKey"],
  ["twilio", { accountSid: "AC1" }, "accountSid: This is not a valid ID"],
  ["twilio", { from: "a name that is long" }, "from: This is not a valid sender"],
  ["twilio", { to: "0170 1234567" }, "to: This is not a valid phone number"],
  ["signal", { number: "01701234567" }, "number: This is not a valid phone number"],
  ["signal", { recipients: "Ada" }, "recipients: Enter phone numbers, usernames or group IDs, separated by commas"],
  ["line", { to: "@ada" }, "to: This is not a valid ID"],
  ["apprise", { configKey: "a/../b" }, "configKey: This value is not valid"],
] as const)("%s refuses %o", (type, changes, expected) => {
  expect(fault(type, changes)).toBe(expected);
});

test.each(["MG" + "0".repeat(32), "Sonde", "12345"])("an SMS may be from %s", (from) => {
  expect(fault("twilio", { from })).toBe("");
});

test.each([
  ["bark", "serverUrl"],
  ["pushdeer", "serverUrl"],
  ["zulip", "serverUrl"],
  ["signal", "serverUrl"],
  ["alertmanager", "serverUrl"],
  ["apprise", "serverUrl"],
  ["pushover", "apiBaseUrl"],
  ["serverchan", "apiBaseUrl"],
  ["twilio", "apiBaseUrl"],
  ["line", "apiBaseUrl"],
] as const)("another address of %s is another recipient of its secrets, and one that is dialled", (type, field) => {
  const { audience, hosts } = channelTypeOf(type);
  const config = channelConfig(type).parse(valid[type]);
  const moved = { ...config, [field]: "http://10.0.0.1:8000/x" };
  expect(audience(moved as never)).toBe("http://10.0.0.1:8000");
  expect(audience(moved as never)).not.toBe(audience(config as never));
  expect(hosts(moved as never)).toEqual([{ path: field, value: "10.0.0.1" }]);
});

test("a chat of Telegram is a number, its text, or the name of a public channel", () => {
  for (const chatId of [-1001234567890, "4711", "@alerts"]) expect(fault("telegram", { chatId })).toBe("");
});

test("a room of Matrix has an id with or without its server", () => {
  expect(fault("matrix", { roomId: "!HhZ7cPKqXWgT1hBoyd6xUJeMTH6gHLEVlXyVjlrUjkQ" })).toBe("");
});
