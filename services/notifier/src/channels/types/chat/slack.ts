import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { icons, moreIn, oneLine, plainText } from "../../layout.ts";
import { byStatus, post, answerText } from "../../outcome.ts";
import { cut, escapeSlack } from "../../text.ts";
import type { ChannelMessage } from "../../../messages/message.ts";

// Limits: docs.slack.dev/reference/block-kit/blocks. All blocks together may have about 13,200 characters.
const maxHeader = 150;
const maxText = 3000;
const maxFieldsEach = 10;
const maxFields = 20;
const maxValue = 200;
const maxEntries = 30;
const maxEntryText = 150;

/** docs.slack.dev/messaging/sending-messages-using-incoming-webhooks. Webhooks return no `ts` to reply to. */
export const channel = sender({
  type: "slack",
  reader: "people",

  // One request a second per webhook (docs.slack.dev/apis/web-api/rate-limits).
  budgets: ({ webhookUrl }) => [{ key: webhookUrl, requests: 1, perMs: 1000 }],

  compose: (message) =>
    JSON.stringify({
      // Shown in push notifications and by clients without blocks.
      text: cut(`${icons[message.tone]} ${message.title} – ${oneLine(plainText(message, 1000, "utf16"))}`, maxText, {
        unit: "utf16",
        escape: escapeSlack,
      }),
      mrkdwn: false,
      blocks: blocksOf(message),
      unfurl_links: false,
      unfurl_media: false,
    }),

  send: (sending) => post(sending, sending.config.webhookUrl, read),
});

/** Uses text that Slack does not parse, so names cannot format, mention or link. */
function blocksOf(message: ChannelMessage): object[] {
  const header = { type: "header", text: plain(`${icons[message.tone]} ${message.title}`, maxHeader) };
  const fields = message.fields
    .slice(0, maxFields / 2)
    .flatMap(({ label, value }) => [
      { type: "mrkdwn", text: `*${cut(label, 80, { unit: "utf16", escape: escapeSlack })}*` },
      plain(value, maxValue),
    ]);
  const sections = [fields.slice(0, maxFieldsEach), fields.slice(maxFieldsEach)];
  return [
    header,
    ...(message.text === "" ? [] : [richText([text(cut(message.text, maxText, { unit: "utf16" }))])]),
    ...sections.filter((part) => part.length > 0).map((part) => ({ type: "section", fields: part })),
    ...(message.entries.length === 0 ? [] : [richText(entriesOf(message))]),
    ...(message.links.length === 0 ? [] : [richText(linksOf(message))]),
    { type: "context", elements: [plain(message.footer, 300)] },
  ];
}

function entriesOf(message: ChannelMessage): object[] {
  const { entries } = message;
  const shown = entries.slice(0, maxEntries);
  const elements = shown.flatMap(({ tone, title, text: why, url }, index) => [
    text(`${index === 0 ? "" : "\n"}${icons[tone]} `),
    bold(cut(title, maxEntryText, { unit: "utf16" }), url),
    ...(why === "" ? [] : [text(`\n${cut(oneLine(why), maxEntryText, { unit: "utf16" })}`)]),
  ]);
  const left = entries.length - shown.length;
  return left === 0 ? elements : [...elements, text(`\n${moreIn(message)(left)}`)];
}

const linksOf = ({ links }: ChannelMessage) =>
  links.flatMap(({ label, url }, index) => [...(index === 0 ? [] : [text("   ")]), { type: "link", url, text: label }]);

const richText = (elements: object[]) => ({ type: "rich_text", elements: [{ type: "rich_text_section", elements }] });
const text = (content: string) => ({ type: "text", text: content });
const bold = (content: string, url?: string) => ({
  ...(url === undefined ? { type: "text" } : { type: "link", url }),
  text: content,
  style: { bold: true },
});
const plain = (content: string, max: number) => ({
  type: "plain_text",
  text: cut(content, max, { unit: "utf16" }) || "–",
  emoji: false,
});

/** Errors about the channel, with any status. `invalid_payload` and similar ones concern one message. */
const channelIsWrong =
  /^(no_service|no_service_id|no_team|no_active_hooks|team_disabled|token_revoked|invalid_token|channel_not_found|channel_is_archived|action_prohibited|user_not_found|posting_to_.*_denied)/;

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode, text: reply } = answer;
  if (statusCode === 200 && reply.trim() === "ok") return { statusCode, outcome: "delivered", answer: "ok" };
  if (channelIsWrong.test(reply.trim())) return { statusCode, outcome: "broken", answer: answerText(reply) };
  return byStatus(answer);
}
