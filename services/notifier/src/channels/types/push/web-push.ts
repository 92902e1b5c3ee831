import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { type SendOutcome, sender } from "../../channel.ts";
import { plainText } from "../../layout.ts";
import { answerText, byStatus, requestProvider } from "../../outcome.ts";
import { encryptPush } from "../../push/encrypt.ts";
import { vapidHeader } from "../../push/vapid.ts";
import { cut, firstThatFits } from "../../text.ts";
import type { ChannelMessage, Tone } from "../../../messages/message.ts";
import { textsOf } from "../../../messages/values.ts";

/** Push services accept 4,096 bytes after encryption. */
const maxBytes = 3000;
const maxTitleBytes = 250;
/** An alert that is later than this is of no use as a notification. */
const keepSeconds = 24 * 3600;

/** RFC 8030, section 5.3: a phone that saves power receives only `high` at once. */
const urgencies: Readonly<Record<Tone, string>> = { bad: "high", good: "normal", info: "high" };

/** Push messages to a person's browser (RFC 8030), encrypted for it (RFC 8291). */
export const channel = sender({
  type: "web-push",
  reader: "people",
  budgets: () => [],

  // Read by web/public/push-worker.js.
  compose: (message) => {
    const { title, language: lang, openIncidents: badge, tone } = message;
    const [first] = message.alerts;
    const { links, answers } = textsOf(lang);
    const isOne = message.alerts.length === 1 && !message.isTest;
    return firstThatFits([1500, 700, 300, 100, 0], maxBytes, (bodyBytes) =>
      JSON.stringify({
        title: cut(title, maxTitleBytes, { unit: "bytes" }),
        body: bodyOf(message, bodyBytes),
        // A recovery replaces the notification of its outage.
        tag: isOne ? first?.incidentId : message.key,
        url: message.acknowledgeUrl ?? message.links[0]?.url,
        lang,
        badge,
        urgency: urgencies[tone],
        words: message.acknowledgeUrl && { acknowledge: links.acknowledge, ...answers },
      }),
    );
  },

  async send({ body, config, atMs, pushIdentity, ...sending }) {
    const { endpoint, ...keys } = config;
    const { urgency, ...shown } = JSON.parse(body) as { urgency: string };
    let encrypted: Buffer;
    try {
      encrypted = encryptPush(JSON.stringify(shown), keys);
    } catch {
      return { outcome: "broken", dead: true, answer: "The device's key is not valid" };
    }
    const headers = {
      "content-type": "application/octet-stream",
      "content-encoding": "aes128gcm",
      ttl: String(keepSeconds),
      urgency,
      authorization: vapidHeader(await pushIdentity!(), new URL(endpoint).origin, atMs),
    };
    return requestProvider(sending, { method: "POST", url: endpoint, headers, body: encrypted }, read);
  },
});

/** Without the fields, which a notification has no room for. */
const bodyOf = (message: ChannelMessage, max: number): string =>
  message.entries.length === 0
    ? cut(message.text, max, { unit: "bytes" })
    : plainText({ ...message, links: [], footer: "" }, max, "bytes");

/** The browser removed the subscription (404, 410), so the device is dead. */
function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  if (statusCode === 201 || statusCode === 202) return { statusCode, outcome: "delivered", answer: "ok" };
  if (statusCode === 404 || statusCode === 410) {
    const said = answerText(answer.text) || "The browser no longer accepts notifications";
    return { statusCode, outcome: "broken", dead: true, answer: said };
  }
  return byStatus(answer);
}
