import type { KumaRow } from "@sonde/proto/http/import";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { plainLine } from "@sonde/proto/http/text";
import { type DraftChannel, type RefusedObject, whyUnstorable } from "../shapes.ts";
import { readHeaders } from "./http.ts";
import { truncate } from "./monitor.ts";
import { flag, idOf, jsonObject, text } from "./rows.ts";

const without = (given: string | undefined, standard: string) =>
  given === undefined || given.replace(/\/$/, "") === standard ? undefined : given;

/** By type of Uptime Kuma (server/notification-providers). */
const types: Readonly<Record<string, (given: KumaSettings) => ReadChannel>> = {
  slack: (given) => ({ type: "slack", config: { webhookUrl: textField(given, "slackwebhookURL") } }),
  discord: (given) => ({
    type: "discord",
    config: { webhookUrl: textField(given, "discordWebhookUrl"), threadId: textField(given, "threadId") },
  }),
  telegram: (given) => {
    const thread = Number(textField(given, "telegramMessageThreadID") ?? Number.NaN);
    return {
      type: "telegram",
      config: {
        botToken: textField(given, "telegramBotToken"),
        chatId: textField(given, "telegramChatID"),
        messageThreadId: Number.isInteger(thread) && thread > 0 ? thread : undefined,
        apiBaseUrl: without(textField(given, "telegramServerUrl"), "https://api.telegram.org"),
      },
    };
  },
  DingDing: (given) => ({
    type: "dingtalk",
    config: { webhookUrl: textField(given, "webHookUrl"), secret: textField(given, "secretKey") },
  }),
  WeCom: (given) => {
    const key = textField(given, "weComBotKey");
    const address = `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${encodeURIComponent(key ?? "")}`;
    return { type: "wecom", config: { webhookUrl: key && address } };
  },
  Feishu: (given) => ({ type: "feishu", config: { webhookUrl: textField(given, "feishuWebHookUrl") } }),
  ntfy: (given) => {
    if (
      textField(given, "ntfyAuthenticationMethod") === "usernamePassword" ||
      textField(given, "ntfyusername") !== undefined
    ) {
      return { refused: { text: "It logs in with a username and password; Sonde needs an access token" } };
    }
    const config = { serverUrl: textField(given, "ntfyserverurl"), topic: textField(given, "ntfytopic") };
    return { type: "ntfy", config: { ...config, token: textField(given, "ntfyaccesstoken") } };
  },
  PagerDuty: (given) => {
    const url = textField(given, "pagerdutyIntegrationUrl");
    const origin = url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;
    return {
      type: "pagerduty",
      config: {
        routingKey: textField(given, "pagerdutyIntegrationKey"),
        apiBaseUrl: without(origin, "https://events.pagerduty.com"),
      },
    };
  },
  teams: (given) => ({ type: "teams", config: { webhookUrl: textField(given, "webhookUrl") } }),
  matrix: (given) => ({
    type: "matrix",
    config: {
      homeserverUrl: textField(given, "homeserverUrl"),
      roomId: textField(given, "internalRoomId"),
      accessToken: textField(given, "accessToken"),
    },
  }),
  gotify: (given) => ({
    type: "gotify",
    config: { serverUrl: textField(given, "gotifyserverurl"), token: textField(given, "gotifyapplicationToken") },
  }),
  mattermost: (given) => ({
    type: "mattermost",
    config: { webhookUrl: textField(given, "mattermostWebhookUrl") },
    notes: otherChannel(given, "mattermostchannel"),
  }),
  "rocket.chat": (given) => ({
    type: "rocketchat",
    config: { webhookUrl: textField(given, "rocketwebhookURL") },
    notes: otherChannel(given, "rocketchannel"),
  }),
  GoogleChat: (given) => ({ type: "googlechat", config: { webhookUrl: textField(given, "googleChatWebhookURL") } }),
  pushover: (given) => ({
    type: "pushover",
    config: {
      userKey: textField(given, "pushoveruserkey"),
      apiToken: textField(given, "pushoverapptoken"),
      device: textField(given, "pushoverdevice"),
    },
  }),
  Bark: (given) => {
    const [, serverUrl, deviceKey] = /^(.*)\/([^/?#]+)\/?$/.exec(textField(given, "barkEndpoint") ?? "") ?? [];
    return { type: "bark", config: { serverUrl, deviceKey } };
  },
  ServerChan: (given) => ({ type: "serverchan", config: { sendKey: textField(given, "serverChanSendKey") } }),
  PushDeer: (given) => ({
    type: "pushdeer",
    config: { pushKey: textField(given, "pushdeerKey"), serverUrl: textField(given, "pushdeerServer") },
  }),
  twilio: (given) => ({
    type: "twilio",
    config: {
      accountSid: textField(given, "twilioAccountSID"),
      apiKeySid: textField(given, "twilioApiKey"),
      authToken: textField(given, "twilioAuthToken"),
      from: textField(given, "twilioFromNumber") ?? textField(given, "twilioMessagingServiceSID"),
      to: textField(given, "twilioToNumber"),
    },
  }),
  signal: (given) => ({
    type: "signal",
    config: {
      serverUrl: textField(given, "signalURL")?.replace(/\/v[12]\/send\/?$/, ""),
      number: textField(given, "signalNumber"),
      recipients: textField(given, "signalRecipients"),
    },
  }),
  line: (given) => ({
    type: "line",
    config: { channelAccessToken: textField(given, "lineChannelAccessToken"), to: textField(given, "lineUserID") },
  }),
  apprise: () => ({ refused: { text: "It runs Apprise directly; Sonde needs the address of an Apprise API" } }),
  webhook: readWebhook,
  smtp: readMail,
  Resend: readResend,
};

export function readChannel(row: KumaRow): DraftChannel | RefusedObject {
  const given = jsonObject(text(row, "config"));
  const type = given === null ? "" : (textField(given, "type") ?? "");
  const name = truncate(text(row, "name").trim() || (given && textField(given, "name")) || type, 100);
  const refuse = (why: TranslatableText): RefusedObject => ({ type: "channel", name: plainLine(name), why });
  const unstorable = whyUnstorable({ ...row, ...given });
  if (unstorable !== null) return refuse(unstorable);
  if (given === null) return refuse({ text: "Its settings cannot be read" });
  const read = Object.hasOwn(types, type) ? types[type]?.(given) : undefined;
  if (read === undefined) {
    return refuse({
      text: "Sonde does not support this type of channel ({type})",
      params: { type: type.slice(0, 40) },
    });
  }
  if ("refused" in read) return refuse(read.refused);
  const config = Object.fromEntries(Object.entries(read.config).filter(([, value]) => value !== undefined));
  const common = { key: idOf(row, "id"), name, enabled: flag(row, "active", true), missing: [] };
  const priority = Object.keys(given).find((name) => /^(?:ntfy|gotify|pagerduty|pushover)priority$/i.test(name));
  const notes = [...(read.notes ?? [])];
  const value = priority === undefined ? undefined : textField(given, priority);
  if (value !== undefined)
    notes.push({ text: "Priority {priority} is not imported", params: { priority: value.slice(0, 40) } });
  return { ...common, type: read.type, config, notes };
}

const ownWords: TranslatableText = { text: "Uses Sonde's own message texts" };
/** The webhook's own channel is used, since a server may refuse another. */
function otherChannel(given: KumaSettings, name: string): TranslatableText[] {
  const channel = textField(given, name);
  if (channel === undefined) return [];
  return [{ text: "Posts to its webhook's channel, not to {channel}", params: { channel: channel.slice(0, 100) } }];
}

const methods = ["POST", "PUT", "PATCH"];

/** The body is Sonde's. */
function readWebhook(given: KumaSettings): ReadChannel {
  const method = (textField(given, "httpMethod") ?? "POST").toUpperCase();
  if (!methods.includes(method)) {
    return {
      refused: {
        text: "It sends {method} requests, which Sonde does not support",
        params: { method: method.slice(0, 20) },
      },
    };
  }
  const headers = readHeaders(textField(given, "webhookAdditionalHeaders") ?? "");
  if (headers === null) return { refused: { text: "Its headers cannot be read" } };
  const kept = headers.filter(({ name }) => name.toLowerCase() !== "content-type");
  return { type: "webhook", config: { url: textField(given, "webhookURL"), method, headers: kept }, notes: [ownWords] };
}

/** Sonde has no CC or BCC: recipients in CC become normal ones, those in BCC are dropped. */
function readMail(given: KumaSettings): ReadChannel {
  const notes: TranslatableText[] = [];
  if (textField(given, "smtpBCC") !== undefined) notes.push({ text: "BCC recipients are not imported" });
  if (given["smtpIgnoreTLSError"] === true) notes.push({ text: "The server's certificate must be valid" });
  const to = [textField(given, "smtpTo"), textField(given, "smtpCC")].filter((part) => part !== undefined);
  return {
    type: "smtp",
    config: {
      host: textField(given, "smtpHost"),
      port: Number(textField(given, "smtpPort") ?? 587),
      security: given["smtpSecure"] === true ? "tls" : given["smtpIgnoreSTARTTLS"] === true ? "none" : "starttls",
      username: textField(given, "smtpUsername"),
      password: textField(given, "smtpPassword"),
      from: textField(given, "smtpFrom")?.replace(/^"([^"]*)"\s*</, "$1 <"),
      to: to.length === 0 ? undefined : to.join(", "),
    },
    notes,
  };
}

function readResend(given: KumaSettings): ReadChannel {
  const [address, name] = [textField(given, "resendFromEmail"), textField(given, "resendFromName")];
  return {
    type: "resend",
    config: {
      apiKey: textField(given, "resendApiKey"),
      from: address !== undefined && name !== undefined ? `${name} <${address}>` : address,
      to: textField(given, "resendToEmail"),
    },
  };
}

type ReadChannel =
  | { type: ChannelTypeName; config: Record<string, unknown>; notes?: TranslatableText[] }
  | { refused: TranslatableText };
/** Flat JSON, each field prefixed with its type. */
type KumaSettings = Record<string, unknown>;

function textField(given: KumaSettings, name: string): string | undefined {
  const value = given[name];
  const read = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return read === "" ? undefined : read;
}
