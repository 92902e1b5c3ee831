import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { firstLink, icons, layOut } from "../../layout.ts";
import { byStatus, deliveredAs, jsonOf, post, textIn, throttledOutcome, answerText } from "../../outcome.ts";
import { cut, escapeDiscord, markdownLink } from "../../text.ts";
import type { ChannelMessage, Tone } from "../../../messages/message.ts";

// docs.discord.com/developers/resources/message#embed-object-embed-limits. Fields are rendered into the description,
// which has more room.
const maxTitle = 256;
const maxDescription = 4096;
const maxFooter = 2048;

const colors: Readonly<Record<Tone, number>> = { bad: 0xd92d20, good: 0x16a34a, info: 0x2563eb };

/** docs.discord.com/developers/resources/webhook#execute-webhook. No replies, and an edit would hide the outage. */
export const channel = sender({
  type: "discord",
  reader: "people",

  budgets: ({ webhookUrl }) => [
    { key: webhookUrl, requests: 5, perMs: 2000 },
    { key: `${webhookUrl} minute`, requests: 30, perMs: 60_000 },
  ],

  compose: (message) =>
    JSON.stringify({
      embeds: [embedOf(message)],
      // Disables all mentions.
      allowed_mentions: { parse: [] },
    }),

  send: (sending) => {
    const { webhookUrl, threadId } = sending.config;
    const url = new URL(webhookUrl);
    // Without it, Discord reports no error if the message is not saved.
    url.searchParams.set("wait", "true");
    if (threadId !== undefined) url.searchParams.set("thread_id", threadId);
    return post(sending, url.href, read);
  },
});

function embedOf(message: ChannelMessage) {
  const title = cut(message.title, maxTitle - 3, { unit: "utf16", escape: escapeDiscord });
  return {
    title: `${icons[message.tone]} ${title}`,
    url: firstLink(message),
    color: colors[message.tone],
    description: layOut(message, {
      // Stays below 6,000 characters in total with title and footer.
      max: maxDescription - 300,
      unit: "utf16",
      escape: escapeDiscord,
      field: (label, value) => `**${label}**: ${value}`,
      // Not a link on the name: Discord shows links whose text is an address as source.
      entry: (icon, name, text, url) =>
        `${icon} **${name}** ${url === undefined ? "" : markdownLink("↗", url)}\n${text}`.trim(),
      link: markdownLink,
      footer: () => "",
    }),
    footer: { text: cut(message.footer, maxFooter, { unit: "utf16" }) },
    timestamp: new Date(message.atMs).toISOString(),
  };
}

/** Error codes about the webhook or its channel (docs.discord.com/developers/topics/opcodes-and-status-codes). */
const needsThread = new Set([220_001, 220_002, 220_003, 160_005, 50_083]);

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { id, code, message, retry_after: retryAfter } = jsonOf(answer);
  const delivered = deliveredAs(answer, id);
  if (delivered !== undefined) return delivered;
  const said = textIn(message) || answer.text;
  if (statusCode === 429) {
    return throttledOutcome(answer, said, typeof retryAfter === "number" ? Math.ceil(retryAfter * 1000) : undefined);
  }
  // `dead`, because Discord bans an address that keeps calling a deleted webhook (10,000 invalid requests in ten
  // minutes).
  const broken = { statusCode, outcome: "broken", answer: answerText(said) } as const;
  if ([401, 403, 404].includes(statusCode)) return { ...broken, dead: true };
  if (statusCode === 400 && needsThread.has(Number(code))) return broken;
  return byStatus(answer, said);
}
