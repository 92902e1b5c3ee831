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
};

/** The first fault of a changed configuration: its path and message. */
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
  ["resend", { to: Array.from({ length: 51 }, (_, n) => `a${n}@b.co`).join(",") }, "to: At most {max} recipients"],
  ["resend", { to: "a@example.com, b" }, "to: Please enter a valid email address"],
  ["resend", { from: "Sonde" }, "from: Give the sender as an address, or as Name <address>"],
  ["resend", { from: "Sonde <a@b.co>\r\nBcc: x@y.zz" }, "from: Control and invisible characters are not allowed here"],
  ["smtp", { host: "a b" }, "host: Please enter a host name or an IP address"],
  ["smtp", { port: 0 }, "port: The port is a whole number from 1 to 65535"],
  ["slack", { webhookUrl: "ftp://x.example" }, "webhookUrl: Please enter a full http or https address"],
  ["discord", { threadId: "x" }, "threadId: This is not a valid id"],
  ["telegram", { botToken: "x" }, "botToken: This is not a valid bot token"],
  ["telegram", { chatId: "alerts" }, "chatId: This is not a valid chat id"],
  ["ntfy", { topic: "a/b" }, "topic: This is not a valid topic"],
  ["matrix", { roomId: "#alerts:example.com" }, "roomId: This is not a valid room id"],
  ["gotify", { serverUrl: "gotify" }, "serverUrl: Please enter a full http or https address"],
] as const)("%s refuses %o", (type, changes, expected) => {
  expect(fault(type, changes)).toBe(expected);
});

test("a chat of Telegram is a number, its text, or the name of a public channel", () => {
  for (const chatId of [-1001234567890, "4711", "@alerts"]) expect(fault("telegram", { chatId })).toBe("");
});

test("a room of Matrix has an id with or without its server", () => {
  expect(fault("matrix", { roomId: "!HhZ7cPKqXWgT1hBoyd6xUJeMTH6gHLEVlXyVjlrUjkQ" })).toBe("");
});
