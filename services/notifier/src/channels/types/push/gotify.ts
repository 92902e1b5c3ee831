import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { firstLink, plainText } from "../../layout.ts";
import { below, byStatus, deliveredAs, jsonOf, post, textsIn } from "../../outcome.ts";
import { cut } from "../../text.ts";
import type { Tone } from "../../../messages/message.ts";

// Gotify documents no limits; longer texts are unreadable on a phone.
const maxMessage = 4000;
const maxTitle = 250;

// In the Gotify app, 8 and above pop up, 4 to 7 make a sound.
const priorities: Readonly<Record<Tone, number>> = { bad: 8, good: 5, info: 4 };

/** Gotify (gotify.net/docs/pushmsg, gotify.net/docs/msgextras). Without replies, a recovery is a separate message. */
export const channel = sender({
  type: "gotify",
  reader: "people",
  budgets: () => [],

  compose: (message) => {
    const url = firstLink(message);
    return JSON.stringify({
      title: cut(message.title, maxTitle),
      message: plainText(message, maxMessage, "characters"),
      priority: priorities[message.tone],
      extras: {
        "client::display": { contentType: "text/plain" },
        ...(url === undefined ? {} : { "client::notification": { click: { url } } }),
      },
    });
  },

  send: (sending) =>
    post(sending, below(sending.config.serverUrl, "/message"), read, {
      headers: { "x-gotify-key": sending.config.token },
    }),
});

function read(answer: HttpAnswer): SendOutcome {
  const { id, error, errorDescription } = jsonOf(answer);
  return deliveredAs(answer, id) ?? byStatus(answer, textsIn(error, errorDescription) || answer.text);
}
