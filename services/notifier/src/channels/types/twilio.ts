import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { firstLink, plainText } from "../layout.ts";
import { basicAuth, below, byStatus, deliveredAs, jsonOf, postForm, textIn } from "../outcome.ts";

/** The limit is 1,600 characters. SMS are billed per 153 characters, or per 67 with characters outside GSM 7-bit. */
const maxText = 600;
/** Errors about the sender, the recipient or the account: twilio.com/docs/api/errors. */
const channelIsWrong = new Set([
  20003, 20404, 21211, 21212, 21214, 21215, 21219, 21408, 21606, 21608, 21610, 21612, 21614, 21659, 21660, 21705,
]);

/** twilio.com/docs/messaging/api/message-resource. Accepted: 201 with a `sid`; errors have a `code`. */
export const channel = sender({
  type: "twilio",
  reader: "people",
  budgets: () => [],
  compose: (message) => {
    const first = firstLink(message);
    // One link only: the acknowledge link is long, and SMS are billed by length.
    const link = (_label: string, url: string) => (url === first ? url : "");
    return JSON.stringify({ text: plainText(message, maxText, "characters", { title: (title) => title, link }) });
  },
  send: ({ body, config, ...sending }) => {
    const { accountSid, authToken, apiKeySid, from, to, apiBaseUrl = "https://api.twilio.com" } = config;
    const { text } = JSON.parse(body) as { text: string };
    const by = from.startsWith("MG") && from.length === 34 ? "MessagingServiceSid" : "From";
    const url = below(apiBaseUrl, `/2010-04-01/Accounts/${accountSid}/Messages.json`);
    const form = { To: to, [by]: from, Body: text };
    return postForm(sending, url, form, basicAuth(apiKeySid ?? accountSid, authToken), readTwilio);
  },
});

/** Accepted messages and calls have a `sid`. */
export function readTwilio(answer: HttpAnswer): SendOutcome {
  const { sid, code, message } = jsonOf(answer);
  const delivered = deliveredAs(answer, sid, answer.statusCode === 201);
  if (delivered !== undefined) return delivered;
  if (typeof code !== "number") return byStatus(answer);
  return byStatus(answer, `${code}: ${textIn(message)}`, channelIsWrong.has(code));
}
