import { expect, test } from "vitest";
import * as messages from "../../../testing/messages.ts";
import { start } from "../../../testing/stand-ins/chat/slack.ts";
import { testEgress } from "../../../testing/egress.ts";
import { channel } from "./slack.ts";

const config = { webhookUrl: "https://hooks.slack.com/services/T/B/x" };
type Element = { type: string; text?: string | { text: string }; url?: string; elements?: Element[] };
type Block = {
  type: string;
  text?: { type: string; text: string };
  fields?: { type: string; text: string }[];
  elements?: Element[];
};
const composed = (message = messages.message()) =>
  JSON.parse(channel.compose(message, config, "ts")) as { text: string; blocks: Block[] };
const inner = (block: Block | undefined) => block?.elements?.[0]?.elements ?? [];

test("shows title, text, fields, links and footer, each in a block", () => {
  const { blocks } = composed();
  expect(blocks.map(({ type }) => type)).toEqual(["header", "rich_text", "section", "rich_text", "context"]);
  expect(blocks[0]?.text?.text).toBe("🔴 Shop API is down");
  expect(inner(blocks[1])).toEqual([{ type: "text", text: "The connection was refused" }]);
  expect(blocks[2]?.fields?.map(({ text }) => text)).toEqual([
    "*Since*",
    "2026-11-22 08:35:12 UTC",
    "*Address*",
    "https://shop.example.com/",
  ]);
  expect(inner(blocks[3]).filter(({ type }) => type === "link")).toEqual(
    messages.message().links.map(({ label, url }) => ({ type: "link", url, text: label })),
  );
});

test("puts external text only where Slack does not parse it, and escapes it in the fallback text", () => {
  const evil = "<!channel> *b* & <https://evil.example|x>";
  const { text, blocks } = composed(
    messages.message({ title: evil, text: evil, fields: [{ label: evil, value: evil }] }),
  );
  expect(text).not.toMatch(/<|&(?!amp;|lt;|gt;)/);
  const parsed = JSON.stringify(blocks, (_key, value: unknown) => {
    const { type, text: content } = (value ?? {}) as { type?: string; text?: unknown };
    return type === "mrkdwn" ? { type, text: String(content).replace(/&(amp|lt|gt);/g, "") } : value;
  });
  const mrkdwn = [...parsed.matchAll(/"mrkdwn","text":"([^"]*)"/g)].map(([, content]) => content);
  expect(mrkdwn).toHaveLength(1);
  expect(mrkdwn[0]).not.toMatch(/[<>&]/);
});

test("lists thirty alerts and counts the others", () => {
  const { blocks } = composed(messages.several(100));
  const elements = inner(blocks[1]);
  expect(elements.filter(({ type }) => type === "link")).toHaveLength(30);
  expect(elements.at(-1)?.text).toBe("\n… and 70 more");
});

test("is delivered only if both the status and `ok` say so, and waits as Retry-After says", async () => {
  const standIn = await start();
  const send = () => {
    const body = channel.compose(messages.message(), standIn.config, undefined);
    const signal = new AbortController().signal;
    return channel.send({ body, config: standIn.config, key: "k", atMs: 0, egress: testEgress, signal });
  };
  standIn.answerNext(
    { status: 200, body: "ok\n" },
    { status: 200, body: "not ok" },
    { status: 500, body: "ok" },
    "throttle",
  );
  expect(await send()).toMatchObject({ outcome: "delivered" });
  expect(await send()).toMatchObject({ outcome: "retry", answer: "not ok" });
  expect(await send()).toMatchObject({ outcome: "retry" });
  expect(await send()).toMatchObject({ outcome: "retry", throttled: true, afterMs: 1000 });
  await standIn.stop();
});
