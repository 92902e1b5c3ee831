import { afterEach, expect, test } from "vitest";
import { testEgress } from "../../../testing/egress.ts";
import * as messages from "../../../testing/messages.ts";
import { start } from "../../../testing/stand-ins/chat/discord.ts";
import { channel } from "./discord.ts";

let standIn: Awaited<ReturnType<typeof start>>;
afterEach(() => standIn.stop());

async function deliver(message = messages.message(), change: (url: string) => object = () => ({})) {
  const config = { ...standIn.config, ...change(standIn.config.webhookUrl) };
  const body = channel.compose(message, config, "123");
  const signal = new AbortController().signal;
  return channel.send({ body, config, key: message.key, atMs: Date.now(), egress: testEgress, signal });
}
type Embed = {
  title: string;
  url: string;
  color: number;
  description: string;
  footer: { text: string };
  timestamp: string;
};
const sent = () => standIn.accepted.at(-1)?.json as { embeds: [Embed]; allowed_mentions: object };

test("an alert is an embed with its colour, link and time, and mentions nobody", async () => {
  standIn = await start();
  expect(await deliver()).toMatchObject({ outcome: "delivered", reference: "1400000000000000001" });
  const [embed] = sent().embeds;
  expect(embed).toMatchObject({
    title: "🔴 Shop API is down",
    url: messages.message().links[0]?.url,
    timestamp: "2026-11-22T08:35:12.000Z",
    footer: { text: "Sonde · 2026-11-22 08:35:12 UTC" },
  });
  expect(embed.description).toContain("**Since**: 2026");
  expect(embed.description).toContain("[Acknowledge](https://sonde.example.com/acknowledge?token=");
  expect(sent().allowed_mentions).toEqual({ parse: [] });
  await deliver(messages.recovery());
  expect(sent().embeds[0].color).not.toBe(embed.color);
});

test("asks Discord to wait until the message is stored, in the configured thread", async () => {
  standIn = await start();
  await deliver(messages.message(), (webhookUrl) => ({ webhookUrl: `${webhookUrl}?x=1`, threadId: "12345" }));
  const { query } = standIn.requests[0] ?? {};
  expect(Object.fromEntries(query ?? [])).toEqual({ x: "1", wait: "true", thread_id: "12345" });
});

test("a name that is an address gets a link next to it", async () => {
  standIn = await start();
  await deliver(messages.several(2, () => ({ title: "https://a.example", url: "https://sonde.example.com/i(1)" })));
  expect(sent().embeds[0].description).toContain("🔴 **https://a.example** [↗](https://sonde.example.com/i%281%29)");
});

test("waits for the fraction of a second in the body, or as the proxy's header says", async () => {
  standIn = await start();
  standIn.answerNext("throttle", "cloudflare");
  expect(await deliver()).toMatchObject({ outcome: "retry", throttled: true, afterMs: 1337 });
  expect(await deliver()).toMatchObject({ outcome: "retry", throttled: true, afterMs: 600_000 });
});

test("external text cannot format or link", async () => {
  standIn = await start();
  const evil = messages.hostileTexts["markdown"] ?? "";
  await deliver(messages.message({ title: evil, text: evil, fields: [], links: [] }));
  const [{ title, description }] = sent().embeds;
  for (const text of [title, description]) {
    expect(text).toContain("example");
    // After a backslash a character is literal; any other would format.
    const live = text.replaceAll(/\\[\W_]/g, "").replaceAll(/https:\/\/[\w./]+/g, "");
    expect(live).not.toMatch(/[*_~`|<>[\]]|^\s*[#-]/m);
  }
});
