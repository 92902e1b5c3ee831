import { channelConfig } from "@sonde/proto/http/notifications/channels";
import { expect, test } from "vitest";
import { readChannel } from "./channels.ts";

const read = (config: object) => readChannel({ id: 3, name: "ops", config: JSON.stringify(config) });

test.each([
  ["mattermost", { mattermostWebhookUrl: "https://m.example/hooks/1" }, { webhookUrl: "https://m.example/hooks/1" }],
  [
    "rocketchat",
    { type: "rocket.chat", rocketwebhookURL: "https://r.example/1" },
    { webhookUrl: "https://r.example/1" },
  ],
  [
    "googlechat",
    { type: "GoogleChat", googleChatWebhookURL: "https://g.example/1" },
    { webhookUrl: "https://g.example/1" },
  ],
  [
    "pushover",
    { pushoveruserkey: "u", pushoverapptoken: "t", pushoverdevice: "phone" },
    { userKey: "u", apiToken: "t", device: "phone" },
  ],
  [
    "bark",
    { type: "Bark", barkEndpoint: "https://api.day.app/k3y/" },
    { serverUrl: "https://api.day.app", deviceKey: "k3y" },
  ],
  ["serverchan", { type: "ServerChan", serverChanSendKey: "SCT1" }, { sendKey: "SCT1" }],
  ["pushdeer", { type: "PushDeer", pushdeerKey: "PDU1", pushdeerServer: "" }, { pushKey: "PDU1" }],
  [
    "twilio",
    {
      twilioAccountSID: `AC${"0".repeat(32)}`,
      twilioApiKey: "",
      twilioAuthToken: "t",
      twilioFromNumber: "+15005550006",
      twilioToNumber: "+15558675310",
    },
    { accountSid: `AC${"0".repeat(32)}`, authToken: "t", from: "+15005550006", to: "+15558675310" },
  ],
  [
    "signal",
    { signalURL: "http://signal:8080/v2/send", signalNumber: "+491701234567", signalRecipients: "+491707654321" },
    { serverUrl: "http://signal:8080", number: "+491701234567", recipients: "+491707654321" },
  ],
  [
    "line",
    { lineChannelAccessToken: "t", lineUserID: `U${"0".repeat(32)}` },
    { channelAccessToken: "t", to: `U${"0".repeat(32)}` },
  ],
] as const)("a channel of type %s is imported completely", (type, config, expected) => {
  expect(read({ type, ...config })).toMatchObject({ type, config: expected, notes: [] });
  expect(channelConfig(type).safeParse(expected).error).toBeUndefined();
});

test("a channel override of the webhook is reported", () => {
  const config = { type: "mattermost", mattermostWebhookUrl: "https://m.example/1", mattermostchannel: "ops" };
  const text = "Posts to its webhook's channel, not to {channel}";
  expect(read(config)).toMatchObject({ notes: [{ text, params: { channel: "ops" } }] });
});

test("Apprise without an API is not imported", () => {
  expect(read({ type: "apprise", appriseURL: "ntfy://x" })).toMatchObject({
    why: { text: "It runs Apprise directly; Sonde needs the address of an Apprise API" },
  });
});
