import { channelConfig } from "@sonde/proto/http/notifications/channels";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostileMessage, messageOf, sendOnce } from "../../../testing/sending.ts";
import { start } from "../../../testing/stand-ins/chat/teams.ts";
import { channel } from "./teams.ts";

let standIn: Awaited<ReturnType<typeof start>>;
beforeAll(async () => void (standIn = await start()));
afterAll(() => standIn.stop());

type Card = {
  body: { inlines: { text: string; color?: string; selectAction?: { url: string } }[] }[];
  actions?: { url: string; title: string }[];
};
const send = (message = messageOf("down"), changes: object = {}) =>
  sendOnce(channel, { ...standIn.config, ...changes }, message);
const shown = () => (standIn.accepted.at(-1)!.json as { attachments: { content: Card }[] }).attachments[0]!.content;
const runs = () => shown().body.flatMap(({ inlines }) => inlines);
const delivered = { outcome: "delivered", statusCode: 202, answer: "Accepted" };

describe("the card", () => {
  test.each(["down", "recovery", "offline", "threshold", "flapping", "test"] as const)(
    "for %s is valid and names Sonde, in both languages",
    async (kind) => {
      for (const language of ["en-US", "zh-CN"] as const) {
        expect(await send(messageOf(kind, { language, isTest: kind === "test" }))).toMatchObject(delivered);
        expect(runs().at(-1)?.text).toContain("Sonde");
      }
    },
  );

  test("has a colour by tone, and buttons", async () => {
    await send();
    expect(runs()[0]).toMatchObject({ text: "🔴 Example shop is down", color: "attention" });
    expect(shown().actions?.map(({ title }) => title)).toEqual(["Open the incident", "Acknowledge"]);
    await send(messageOf("recovery"));
    expect(runs()[0]).toMatchObject({ color: "good" });
  });

  test("of several alerts lists each with its link", async () => {
    expect(await send(messageOf("down", { count: 5 }))).toMatchObject(delivered);
    const links = runs().flatMap(({ selectAction }) => (selectAction === undefined ? [] : [selectAction.url]));
    expect(links).toEqual([12, 13, 14, 15, 16].map((id) => `https://sonde.example.com/incidents/m${id}`));
  });

  test("cuts a long text of a user within a limit in bytes", async () => {
    expect(await send({ ...messageOf("down"), text: "漢".repeat(6000) })).toMatchObject(delivered);
    expect(JSON.stringify(standIn.accepted.at(-1)?.json)).toMatch(/漢{100,}…/);
  });

  test.each(["en-US", "zh-CN"] as const)("stays within 28 KB for any text, in %s", async (language) => {
    for (const count of [1, 1000]) {
      expect(await send(hostileMessage(language, count))).toMatchObject(delivered);
      expect(standIn.accepted.at(-1)?.text).not.toMatch(/\u202e|\ufffd/);
    }
    expect(runs().some(({ text }) => text.includes("9"))).toBe(true);
  });
});

describe("the response", () => {
  test("to a wrong signature breaks the channel", async () => {
    const webhookUrl = `${standIn.url}/workflows/8f2e/triggers/manual/paths/invoke?sig=other`;
    const outcome = await send(undefined, { webhookUrl });
    expect(outcome).toMatchObject({ outcome: "broken", statusCode: 401 });
    expect(outcome.answer).toContain("DirectApiAuthorizationRequired");
  });

  test.each([
    ["throttle", { outcome: "retry", throttled: true, afterMs: 11_000 }],
    ["off", { outcome: "broken", statusCode: 400 }],
    ["gone", { outcome: "broken", statusCode: 404 }],
    ["failing", { outcome: "retry", statusCode: 502 }],
    ["garbage", { outcome: "retry", statusCode: 200 }],
    ["drop", { outcome: "retry" }],
  ] as const)("%s", async (scripted, expected) => {
    standIn.answerNext(scripted);
    expect(await send()).toMatchObject(expected);
  });
});

test("rejects an Office connector when a channel is saved", () => {
  const { error } = channelConfig("teams").safeParse({ webhookUrl: "https://acme.webhook.office.com/webhookb2/1" });
  expect(error?.issues[0]?.message).toContain("retired");
});
