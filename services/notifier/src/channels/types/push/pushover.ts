import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { firstLink, plainText } from "../../layout.ts";
import { below, byStatus, deliveredAs, jsonOf, post, textsIn } from "../../outcome.ts";
import { cut } from "../../text.ts";
import type { ChannelMessage, Tone } from "../../../messages/message.ts";

const [maxMessage, maxTitle, maxUrl, maxUrlTitle] = [1024, 250, 512, 100];

/** 1 bypasses the recipient's quiet hours. 2 would repeat until it is confirmed in Pushover. */
const priorities: Readonly<Record<Tone, number>> = { bad: 1, good: 0, info: 0 };

/** pushover.net/api. Accepted: 200 with `status` 1. Every 4xx is permanent, except 429 (monthly quota). */
export const channel = sender({
  type: "pushover",
  reader: "people",
  budgets: () => [],
  compose: (message) =>
    JSON.stringify({
      title: cut(message.title, maxTitle),
      message: plainText(message, maxMessage, "characters", { link: () => "" }),
      priority: priorities[message.tone],
      ...linkOf(message),
    }),
  send: (sending) => {
    const { apiBaseUrl = "https://api.pushover.net", apiToken, userKey, device } = sending.config;
    return post(sending, below(apiBaseUrl, "/1/messages.json"), read, {
      fields: { token: apiToken, user: userKey, device },
    });
  },
});

function linkOf(message: ChannelMessage): object {
  const url = firstLink(message);
  if (url === undefined || url.length > maxUrl) return {};
  const [link] = message.links;
  return { url, ...(link !== undefined && { url_title: cut(link.label, maxUrlTitle) }) };
}

function read(answer: HttpAnswer): SendOutcome {
  const { status, request, errors, token, user, device } = jsonOf(answer);
  const reply = textsIn(...(Array.isArray(errors) ? errors : [])) || answer.text;
  // The response marks the unknown key or device by its field.
  const isBroken = [token, user, device].includes("invalid");
  return deliveredAs(answer, status === 1 ? request : undefined) ?? byStatus(answer, reply, isBroken);
}
