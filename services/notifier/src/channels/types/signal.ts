import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { plainText } from "../layout.ts";
import { basicAuth, below, byStatus, deliveredAs, jsonOf, post, textIn, throttledOutcome } from "../outcome.ts";

/** A longer text becomes an attachment. */
const maxBytes = 1900;
/** The sender or a recipient is unknown to Signal. */
const numberIsWrong =
  /not registered|unregistered|invalid (?:number|phone|account|group)|specified account does not exist|not a member/i;

/**
 * Signal, through signal-cli-rest-api (bbernhard.github.io/signal-cli-rest-api, POST /v2/send). 201 with a `timestamp`
 * is sent; a refusal has an `error`, mostly with status 400. It has no login of its own: that is of a proxy before it.
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
  const said = textIn(error) || answer.text;
  if (/rate ?limit/i.test(said)) return throttledOutcome(answer, said);
  return byStatus(answer, said, numberIsWrong.test(textIn(error)));
}
