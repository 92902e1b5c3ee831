import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { firstLink, icons, layOut } from "../../layout.ts";
import { byStatus, deliveredAs, jsonOf, post, textIn, throttledOutcome, answerText } from "../../outcome.ts";
import { cut, escapeDiscord, markdownLink } from "../../text.ts";
import type { ChannelMessage, Tone } from "../../../messages/message.ts";

// docs.discord.com/developers/resources/message#embed-object-embed-limits. Fields stay in the description: it holds more.
const maxTitle = 256;
const maxDescription = 4096;
const maxFooter = 2048;

const colors: Readonly<Record<Tone, number>> = { bad: 0xd92d20, good: 0x16a34a, info: 0x2563eb };

/**
 * Discord webhooks (docs.discord.com/developers/resources/webhook#execute-webhook). They can neither reply to a message
 * nor return its address for a link, and an edit would hide the outage: a recovery is a separate message.
 */
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
    // Without it an unsaved message reports no error.
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
      // More than this remains of 6,000 in sum without title and footer.
      max: maxDescription - 300,
      unit: "utf16",
      escape: escapeDiscord,
      field: (label, value) => `**${label}**: ${value}`,
      // A name that is an address itself would not become a link: Discord shows such links as source.
      entry: (icon, name, text, url) =>
        `${icon} **${name}** ${url === undefined ? "" : markdownLink("↗", url)}\n${text}`.trim(),
      link: markdownLink,
      footer: () => "",
    }),
    footer: { text: cut(message.footer, maxFooter, { unit: "utf16" }) },
    timestamp: new Date(message.atMs).toISOString(),
  };
}

/** Codes that concern the webhook or its channel (docs.discord.com/developers/topics/opcodes-and-status-codes). */
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
  // Discord bans an address that continues to call a deleted webhook (10,000 invalid requests in ten minutes).
  const broken = { statusCode, outcome: "broken", answer: answerText(said) } as const;
  if ([401, 403, 404].includes(statusCode)) return { ...broken, dead: true };
  if (statusCode === 400 && needsThread.has(Number(code))) return broken;
  return byStatus(answer, said);
}
