import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { firstLink, plainText } from "../../layout.ts";
import { below, byStatus, deliveredAs, jsonOf, post, textIn } from "../../outcome.ts";
import { cut } from "../../text.ts";
import type { ChannelMessage, Tone } from "../../../messages/message.ts";
import { textsOf } from "../../../messages/values.ts";

// A message over 4,096 bytes becomes an attachment, and push services limit a notification to 4,096 bytes in total.
const maxMessageBytes = 3000;
const maxTitleBytes = 250;
const maxActions = 3;

// docs.ntfy.sh/publish/#message-priority: 4 pops up and vibrates, 3 is the default.
const priorities: Readonly<Record<Tone, number>> = { bad: 4, good: 3, info: 3 };
const tags: Readonly<Record<Tone, string>> = {
  bad: "rotating_light",
  good: "white_check_mark",
  info: "information_source",
};

/** docs.ntfy.sh/publish/#publish-as-json. No replies, and replacing a notification would hide the outage. */
export const channel = sender({
  type: "ntfy",
  reader: "people",

  // A visitor (an IP address) has 60 requests, refilled by one each 5 s (docs.ntfy.sh/config/#rate-limiting).
  budgets: ({ serverUrl }) => [{ key: new URL(serverUrl).origin, requests: 60, perMs: 300_000 }],

  // The topic is not stored with the body, because anyone who knows it can read and write it.
  compose: (message) =>
    JSON.stringify({
      title: cut(message.title, maxTitleBytes, { unit: "bytes" }),
      message: plainText(message, maxMessageBytes, "bytes", { link: () => "" }),
      priority: priorities[message.tone],
      tags: [tags[message.tone]],
      // What happened and why, without a login.
      click: message.acknowledgeUrl ?? firstLink(message),
      actions: actionsOf(message),
    }),

  send: (sending) => {
    const { serverUrl, topic, token } = sending.config;
    return post(sending, below(serverUrl, "/"), read, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      fields: { topic },
    });
  },
});

/** docs.ntfy.sh/publish/#action-buttons. The app sends `http` actions itself, so a tap acknowledges without a browser. */
function actionsOf({ links, acknowledgeUrl, language }: ChannelMessage): object[] {
  const views = links
    .filter(({ url }) => url !== acknowledgeUrl)
    .map(({ label, url }) => ({ action: "view", label: cut(label, 60), url }));
  if (acknowledgeUrl === undefined) return views.slice(0, maxActions);
  const { searchParams } = new URL(acknowledgeUrl);
  const { links: labels, answers } = textsOf(language);
  const tap = (label: string, path: string) => ({
    action: "http",
    label,
    url: new URL(`api/incidents/acknowledge-link${path}`, acknowledgeUrl).href,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: searchParams.get("token") }),
    clear: true,
  });
  return [tap(labels.acknowledge, ""), tap(answers.snooze, "/snooze"), ...views].slice(0, maxActions);
}

function read(answer: HttpAnswer): SendOutcome {
  const { id, event, error } = jsonOf(answer);
  return deliveredAs(answer, event === "message" ? id : undefined) ?? byStatus(answer, textIn(error) || answer.text);
}
