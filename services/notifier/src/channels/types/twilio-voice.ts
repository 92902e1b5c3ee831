import { canCall } from "@sonde/proto/http/notifications/channels/twilio-voice";
import { wordsOf } from "../../calls/words.ts";
import type { AlertFacts } from "../../alerts/incident.ts";
import type { ChannelMessage } from "../../messages/message.ts";
import { sender } from "../channel.ts";
import { basicAuth, below, postForm } from "../outcome.ts";
import { cut } from "../text.ts";
import { channel as sms, readTwilio } from "./twilio.ts";

/** About a minute of speech. */
const maxText = 900;
const maxEntries = 3;
/** Shorter than mailboxes usually wait. */
const ringSeconds = "25";
const dayMs = 86_400_000;

/**
 * Calls through Twilio (twilio.com/docs/voice/api/call-resource), which then requests what to say from the gateway. The
 * end of an incident and messages about none are SMS, because nobody wants to be called about them.
 */
export const channel = sender({
  type: "twilio-voice",
  reader: "people",
  budgets: () => [],
  compose: (message, config) =>
    message.tone === "good" || message.alerts.length === 0
      ? sms.compose(message, config, undefined)
      : JSON.stringify({ say: speechOf(message), language: message.language }),

  async send({ startCall, ...sending }) {
    const { key, body, config } = sending;
    if (!canCall(config)) return { outcome: "broken", answer: "Calls need a phone number and the account's token" };
    if (!("say" in (JSON.parse(body) as object))) {
      const outcome = await sms.send(sending);
      // A number without SMS can still call.
      return outcome.outcome === "broken" ? { ...outcome, outcome: "refused" } : outcome;
    }
    const urlOf = await startCall!(key);
    if (typeof urlOf === "string") return { outcome: "refused", answer: urlOf };
    const { accountSid, authToken, from, to, apiBaseUrl = "https://api.twilio.com" } = config;
    const url = below(apiBaseUrl, `/2010-04-01/Accounts/${accountSid}/Calls.json`);
    const form = { To: to, From: from, Url: urlOf("answer"), StatusCallback: urlOf("ended"), Timeout: ringSeconds };
    return postForm(sending, url, form, basicAuth(accountSid, authToken), readTwilio);
  },
});

/** What happened, since when, and how severe it is. */
function speechOf({ language, title, text, entries, alerts, atMs, isTest }: ChannelMessage): string {
  const words = wordsOf(language);
  const [first] = alerts as [AlertFacts, ...AlertFacts[]];
  const isOne = entries.length === 0 && !isTest && first.drill === undefined;
  const details = isOne
    ? [words.since(timeOf(first, atMs, language)), first.severity ? words.severity(first.severity) : ""]
    : [entries.length > 0 ? text : "", ...entries.slice(0, maxEntries).map((entry) => entry.title)];
  const said = [words.hello, title, ...details].filter((part) => part !== "").join(words.end);
  return `${cut(said, maxText)}${words.end}${isTest ? words.confirm : words.acknowledge}`;
}

function timeOf({ openedAtMs, timeZone = "UTC" }: AlertFacts, nowMs: number, language: string): string {
  const dateStyle = nowMs - openedAtMs < dayMs ? undefined : "long";
  return new Intl.DateTimeFormat(language, { timeStyle: "short", dateStyle, timeZone }).format(openedAtMs);
}
