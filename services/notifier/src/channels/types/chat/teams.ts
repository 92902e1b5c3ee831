import type { ChannelMessage } from "../../../messages/message.ts";
import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { icons, moreIn, oneLine } from "../../layout.ts";
import { byStatus, jsonOf, objectIn, post, textIn, textsIn } from "../../outcome.ts";
import { cut, firstThatFits } from "../../text.ts";

/** The limit is 28 KB. */
const maxBytes = 26_000;
const colors = { bad: "attention", good: "good", info: "accent" } as const;

/**
 * A Teams workflow that posts what its webhook receives: an Adaptive Card 1.4 as a message attachment. Uses text runs,
 * in which Markdown has no effect.
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
export const channel = sender({
  type: "teams",
  reader: "people",
  // The limit is about four requests a second.
  budgets: ({ webhookUrl }) => [{ key: `teams ${webhookUrl}`, requests: 3, perMs: 1000 }],
  compose: (message) =>
    firstThatFits(sizes, maxBytes, ({ entries, maxLength }) =>
      JSON.stringify(attached(cardOf(message, entries, maxLength))),
    ),
  send: (sending) => post(sending, sending.config.webhookUrl, read),
});

/** Tried in order until the card fits: maximum number of entries, and maximum characters of a text. */
const sizes = [
  { entries: 30, maxLength: 4000 },
  { entries: 20, maxLength: 1500 },
  { entries: 20, maxLength: 200 },
  { entries: 10, maxLength: 150 },
  { entries: 5, maxLength: 100 },
  { entries: 3, maxLength: 100 },
];

const attached = (content: object) => ({
  type: "message",
  attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
});

function cardOf(message: ChannelMessage, maxEntries: number, maxLength: number): object {
  const { tone, title, text, fields, entries, links, footer } = message;
  const rest = entries.length - maxEntries;
  const lines = text === "" ? [] : cut(text, maxLength).split("\n");
  return {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    fallbackText: cut(title, 250),
    msteams: { width: "Full" },
    body: [
      block([{ text: `${icons[tone]} ${cut(title, 250)}`, weight: "bolder", size: "large", color: colors[tone] }]),
      ...lines.filter((line) => line !== "").map((line) => block([{ text: line }])),
      ...fields.map(({ label, value }) =>
        block([
          { text: `${cut(label, 80)}: `, weight: "bolder" },
          { text: cut(oneLine(value), Math.min(maxLength, 500)) },
        ]),
      ),
      ...entries.slice(0, maxEntries).map((entry) =>
        block([
          {
            text: `${icons[entry.tone]} ${cut(entry.title, Math.min(maxLength, 200))}`,
            weight: "bolder",
            ...opens(entry.url),
          },
          ...(entry.text === "" ? [] : [{ text: ` ${cut(oneLine(entry.text), Math.min(maxLength, 300))}` }]),
        ]),
      ),
      ...(rest > 0 ? [block([{ text: moreIn(message)(rest) }])] : []),
      block([{ text: footer, isSubtle: true, size: "small" }]),
    ],
    ...(links.length > 0 && { actions: links.map(({ label, url }) => ({ ...openUrl(url), title: cut(label, 80) })) }),
  };
}

type Run = { text: string; [property: string]: unknown };

const block = (runs: readonly Run[]) => ({
  type: "RichTextBlock",
  inlines: runs.map((run) => ({ type: "TextRun", ...run })),
});
const openUrl = (url: string) => ({ type: "Action.OpenUrl", url });
const opens = (url: string | undefined) => (url === undefined ? {} : { selectAction: openUrl(url) });

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { code, message } = objectIn(jsonOf(answer)["error"]);
  const text = textsIn(code, message) || answer.text;
  // 202: the workflow was started. A workflow with a response action may return 200 with an empty body.
  const isTaken = statusCode === 202 || (statusCode === 200 && ["", "1"].includes(answer.text.trim()));
  if (isTaken) return { outcome: "delivered", statusCode, answer: "Accepted" };
  const isSwitchedOffOrDeleted = /NotEnabled|NotFound|Disabled/i.test(textIn(code));
  return byStatus(answer, text, isSwitchedOffOrDeleted);
}
