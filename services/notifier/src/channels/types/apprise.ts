import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { plainText } from "../layout.ts";
import { below, byStatus, jsonOf, post, textIn } from "../outcome.ts";
import { cut } from "../text.ts";
import type { Tone } from "../../messages/message.ts";

/** The services it forwards to apply their own limits. */
const maxText = 4000;
const types: Readonly<Record<Tone, string>> = { bad: "failure", good: "success", info: "info" };

/** Apprise API (github.com/caronc/apprise-api): 200 all accepted, 424 not all, 204 unknown key. */
export const channel = sender({
  type: "apprise",
  reader: "people",
  budgets: () => [],
  compose: (message) =>
    JSON.stringify({
      title: cut(message.title, 250),
      body: plainText(message, maxText, "characters"),
      type: types[message.tone],
      format: "text",
    }),
  send: (sending) => {
    const { serverUrl, configKey, tag } = sending.config;
    return post(sending, below(serverUrl, `/notify/${encodeURIComponent(configKey)}`), read, {
      // Otherwise it returns its log as HTML.
      headers: { accept: "application/json" },
      fields: { tag },
    });
  },
});

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { error, details } = jsonOf(answer);
  if (statusCode === 200 && error === null && Array.isArray(details)) {
    return { outcome: "delivered", statusCode, answer: "ok" };
  }
  if (statusCode === 204) return { outcome: "broken", statusCode, answer: "No configuration has this key" };
  const outcome = byStatus(answer, textIn(error) || answer.text);
  return statusCode === 424 ? { ...outcome, outcome: "retry" } : outcome;
}
