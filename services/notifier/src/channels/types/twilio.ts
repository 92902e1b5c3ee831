import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { firstLink, plainText } from "../layout.ts";
import { basicAuth, below, byStatus, deliveredAs, jsonOf, postForm, textIn } from "../outcome.ts";

/** A text has 1,600 characters; each 153, or 67 where it has others than those of GSM, are paid for. */
const maxText = 600;
/** Of the sender, the recipient or the account: twilio.com/docs/api/errors. */
const channelIsWrong = new Set([
  20003, 20404, 21211, 21212, 21408, 21606, 21608, 21610, 21612, 21614, 21659, 21660, 21705,
]);

/**
 * SMS by Twilio (twilio.com/docs/messaging/api/message-resource): a form. 201 with a `sid` is taken into its queue;
 * refusals have a `code`. It has no replies: a recovery is a separate message.
 */
export const channel = sender({
  type: "twilio",
  reader: "people",
  budgets: () => [],
  compose: (message) => {
    const first = firstLink(message);
    // One link: the one that acknowledges is long, and an SMS is paid for by its length.
    const link = (_label: string, url: string) => (url === first ? url : "");
    return JSON.stringify({ text: plainText(message, maxText, "characters", { title: (title) => title, link }) });
  },
  send: ({ body, config, ...sending }) => {
    const { accountSid, authToken, apiKeySid, from, to, apiBaseUrl = "https://api.twilio.com" } = config;
    const { text } = JSON.parse(body) as { text: string };
    const by = from.startsWith("MG") && from.length === 34 ? "MessagingServiceSid" : "From";
    const url = below(apiBaseUrl, `/2010-04-01/Accounts/${accountSid}/Messages.json`);
    const form = { To: to, [by]: from, Body: text };
    return postForm(sending, url, form, basicAuth(apiKeySid ?? accountSid, authToken), read);
  },
});

function read(answer: HttpAnswer): SendOutcome {
  const { sid, code, message } = jsonOf(answer);
  const delivered = deliveredAs(answer, sid, answer.statusCode === 201);
  if (delivered !== undefined) return delivered;
  if (typeof code !== "number") return byStatus(answer);
  return byStatus(answer, `${code}: ${textIn(message)}`, channelIsWrong.has(code));
}
