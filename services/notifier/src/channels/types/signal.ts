import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { plainText } from "../layout.ts";
import { basicAuth, below, byStatus, deliveredAs, jsonOf, post, textIn, throttledOutcome } from "../outcome.ts";

/** Signal turns a longer text into an attachment. */
const maxBytes = 1900;
/** Signal does not know the sender or a recipient. */
const numberIsWrong =
  /not registered|unregistered|invalid (?:number|phone|account|group)|specified account does not exist|not a member/i;

/**
 * Signal through signal-cli-rest-api (bbernhard.github.io/signal-cli-rest-api, POST /v2/send). Sent: 201 with a
 * `timestamp`; errors have an `error`, mostly with status 400. The API has no authentication: credentials are for a
 * proxy in front of it.
 */
export const channel = sender({
  type: "signal",
  reader: "people",
  budgets: () => [],
  compose: (message) => JSON.stringify({ message: plainText(message, maxBytes, "bytes", { title: (title) => title }) }),
  send: (sending) => {
    const { serverUrl, number, recipients, username, password } = sending.config;
    return post(sending, below(serverUrl, "/v2/send"), read, {
      headers: username === undefined && password === undefined ? {} : basicAuth(username ?? "", password ?? ""),
      fields: { number, recipients: recipients.split(",").map((one) => one.trim()) },
    });
  },
});

function read(answer: HttpAnswer): SendOutcome {
  const { timestamp, error } = jsonOf(answer);
  const delivered = deliveredAs(answer, timestamp, answer.statusCode === 201);
  if (delivered !== undefined) return delivered;
  const reply = textIn(error) || answer.text;
  if (/rate ?limit/i.test(reply)) return throttledOutcome(answer, reply);
  return byStatus(answer, reply, numberIsWrong.test(textIn(error)));
}
