import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostileMessage, messageOf, sendOnce } from "../../testing/sending.ts";
import { start } from "../../testing/stand-ins/feishu.ts";
import { channel } from "./feishu.ts";

let standIn: Awaited<ReturnType<typeof start>>;
beforeAll(async () => void (standIn = await start()));
afterAll(() => standIn.stop());

type Card = {
  header: { title: { content: string }; template: string };
  body: { elements: { tag: string; content?: string; behaviors?: { default_url: string }[] }[] };
};
const send = (message = messageOf("down"), changes: object = {}, atMs?: number) =>
  sendOnce(channel, { ...standIn.config, ...changes }, message, { atMs });
const shown = () => (standIn.accepted.at(-1)!.json as { card: Card }).card;
const markdown = () => shown().body.elements[0]?.content ?? "";
const delivered = { outcome: "delivered", statusCode: 200, answer: "0 success" };

describe("the card", () => {
  test.each(["down", "recovery", "offline", "threshold", "flapping", "test"] as const)(
    "for %s has only properties that Feishu knows, in both languages",
    async (kind) => {
      for (const language of ["en-US", "zh-CN"] as const)
        expect(await send(messageOf(kind, { language, isTest: kind === "test" }))).toMatchObject(delivered);
    },
  );

  test("is red, then green, with buttons", async () => {
    await send();
    expect(shown().header).toMatchObject({ template: "red", title: { content: "🔴 Example shop is down" } });
    const buttons = shown().body.elements.filter(({ tag }) => tag === "button");
    expect(buttons.map(({ behaviors }) => behaviors?.[0]?.default_url)).toEqual([
      "https://sonde.example.com/incidents/m12",
      "https://sonde.example.com/acknowledge?token=v1.abc",
    ]);
    await send(messageOf("recovery"));
    expect(shown().header.template).toBe("green");
  });

  test("with several alerts lists them with links", async () => {
    expect(await send(messageOf("down", { count: 5 }))).toMatchObject(delivered);
    expect(markdown().match(/\[Example shop is down\]\(https:\/\/sonde.example.com\/incidents\/m1\d\)/g)).toHaveLength(
      5,
    );
  });

  test("cuts a long text of a user within a limit in bytes", async () => {
    expect(await send({ ...messageOf("down"), text: "漢".repeat(6000) })).toMatchObject(delivered);
    expect(JSON.stringify(standIn.accepted.at(-1)?.json)).toMatch(/漢{100,}…/);
  });

  test.each(["en-US", "zh-CN"] as const)("stays within 20 KB, with only its own tags, in %s", async (language) => {
    for (const count of [1, 1000]) {
      expect(await send(hostileMessage(language, count))).toMatchObject(delivered);
      expect(markdown().replace(/<font color='grey'>|<\/font>/g, "")).not.toMatch(/</);
      expect(markdown().match(/<\/font>/g)).toHaveLength(1);
      expect(markdown()).not.toMatch(/\]\(http:\/\/evil|\u202e|\ufffd/);
      expect(markdown()).not.toMatch(/&#\d*(?:$|[^\d;])/);
    }
  });
});

describe("the signature", () => {
  test("uses the time of the attempt", async () => {
    expect(await send(undefined, {}, Date.now() - 30 * 60_000)).toMatchObject(delivered);
    const late = await send(undefined, {}, Date.now() - 2 * 3_600_000);
    expect(late).toMatchObject({ outcome: "broken", answer: expect.stringMatching(/^19021 /) });
  });

  test("with another secret, or missing, breaks the channel", async () => {
    for (const secret of ["other", undefined])
      expect(await send(undefined, { secret })).toMatchObject({ outcome: "broken", statusCode: 200 });
  });

  test("is not stored", () => {
    expect(channel.compose(messageOf("down"), standIn.config, undefined)).not.toMatch(/timestamp|sign"|feishu-secret/);
  });
});

describe("the response", () => {
  test("for an unknown webhook makes the channel dead", async () => {
    const webhookUrl = `${standIn.url}/open-apis/bot/v2/hook/other`;
    expect(await send(undefined, { webhookUrl })).toMatchObject({ outcome: "broken", dead: true });
  });

  test.each([
    ["throttle", { outcome: "retry", throttled: true, afterMs: 12_000, statusCode: 429 }],
    ["overload", { outcome: "retry", throttled: true, afterMs: 60_000, statusCode: 200 }],
    ["address", { outcome: "broken", answer: "19022 Ip Not Allowed" }],
    ["old", { outcome: "delivered" }],
    ["oldRefusal", { outcome: "broken" }],
    ["garbage", { outcome: "retry", statusCode: 200 }],
    ["drop", { outcome: "retry" }],
  ] as const)("%s", async (scripted, expected) => {
    standIn.answerNext(scripted);
    expect(await send()).toMatchObject(expected);
  });

  test.each([
    ["a missing keyword", 19024, "broken"],
    ["an invalid body", 9499, "refused"],
    ["an invalid card", 11246, "refused"],
    ["an unknown code", 424242, "retry"],
  ] as const)("%s", async (_what, code, outcome) => {
    standIn.answerNext({ status: 200, body: { code, msg: "said" } });
    expect(await send()).toEqual({ outcome, statusCode: 200, answer: `${code} said` });
  });
});

test("budgets of a bot are below Feishu's limits, with either host", () => {
  const budgets = channel.budgets({ webhookUrl: "https://open.feishu.cn/open-apis/bot/v2/hook/abc" });
  expect(budgets.map(({ requests, perMs }) => [requests < (perMs === 1000 ? 5 : 100), perMs])).toEqual([
    [true, 1000],
    [true, 60_000],
  ]);
  expect(channel.budgets({ webhookUrl: "https://open.larksuite.com/open-apis/bot/v2/hook/abc" })).toEqual(budgets);
});
