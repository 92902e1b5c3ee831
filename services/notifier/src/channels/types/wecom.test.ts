import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OutgoingRequests } from "@sonde/kit/egress/requests";
import { hostileMessage, messageOf, sendOnce } from "../../testing/sending.ts";
import { start } from "../../testing/stand-ins/wecom.ts";
import { channel } from "./wecom.ts";

let standIn: Awaited<ReturnType<typeof start>>;
beforeAll(async () => void (standIn = await start()));
afterAll(() => standIn.stop());

const send = (message = messageOf("down"), changes: object = {}) =>
  sendOnce(channel, { ...standIn.config, ...changes }, message);
const shown = () => (standIn.accepted.at(-1)!.json as { markdown: { content: string } }).markdown.content;
const delivered = { outcome: "delivered", statusCode: 200, answer: "0 ok" };

describe("the message", () => {
  test.each(["down", "recovery", "offline", "threshold", "flapping", "test"] as const)(
    "for %s is accepted, and names Sonde, in both languages",
    async (kind) => {
      for (const language of ["en-US", "zh-CN"] as const) {
        expect(await send(messageOf(kind, { language, isTest: kind === "test" }))).toMatchObject(delivered);
        expect(shown()).toContain("Sonde");
      }
    },
  );

  test("has its own colour for good and bad, and its links", async () => {
    await send();
    expect(shown()).toContain('<font color="warning">🔴 Example shop is down</font>');
    expect(shown()).toContain("[Open the incident](https://sonde.example.com/incidents/m12)");
    await send(messageOf("recovery"));
    expect(shown()).toContain('<font color="info">🟢 Example shop is up again</font>');
  });

  test.each(["en-US", "zh-CN"] as const)(
    "stays within 4,096 bytes, with only its own complete tags, in %s",
    async (language) => {
      for (const count of [1, 1000]) {
        expect(await send(hostileMessage(language, count))).toMatchObject(delivered);
        const opened = shown().match(/<font color="(?:warning|info|comment)">/g) ?? [];
        expect(shown().match(/<\/font>/g)).toHaveLength(opened.length);
        expect(shown().match(/</g)).toHaveLength(2 * opened.length);
        expect(shown()).not.toMatch(/\]\(http:\/\/evil|\u202e|\ufffd/);
        expect(shown()).toContain("Sonde");
        expect(shown()).toContain("https://sonde.example.com/incidents/m12");
      }
    },
  );

  test("cuts a long text of a user within a limit in bytes", async () => {
    expect(await send({ ...messageOf("down"), text: "漢".repeat(6000) })).toMatchObject(delivered);
    expect(JSON.stringify(standIn.accepted.at(-1)?.json)).toMatch(/漢{100,}…/);
  });

  test("with several alerts counts those without room", async () => {
    expect(await send(messageOf("down", { count: 1000 }))).toMatchObject(delivered);
    expect(shown()).toMatch(/1,000 alerts/);
    expect(shown()).toMatch(/more/);
  });
});

describe("the response", () => {
  test("to a wrong key makes the channel dead, with WeCom's text but without Sonde's address", async () => {
    const webhookUrl = `${standIn.url}/cgi-bin/webhook/send?key=other`;
    const outcome = await send(undefined, { webhookUrl });
    expect(outcome).toEqual({ outcome: "broken", dead: true, statusCode: 200, answer: "93000 invalid webhook url" });
  });

  test("to a text that is too long refuses only this message", async () => {
    const body = JSON.stringify({ msgtype: "markdown", markdown: { content: "汉".repeat(1366) } });
    const { testEgress: egress } = await import("../../testing/egress.ts");
    const signal = AbortSignal.timeout(5000);
    const outcome = await channel.send({ body, config: standIn.config, key: "k", atMs: 0, egress, signal });
    expect(outcome).toMatchObject({ outcome: "refused", statusCode: 200 });
    expect(outcome.answer).toMatch(/^40058 .*4096$/);
  });

  test.each([
    ["throttle", { outcome: "retry", throttled: true, afterMs: 60_000, answer: "45009 api freq out of limit" }],
    ["busy", { outcome: "retry" }],
    ["removed", { outcome: "broken", dead: true }],
    ["garbage", { outcome: "retry", statusCode: 200 }],
    ["drop", { outcome: "retry" }],
  ] as const)("%s", async (scripted, expected) => {
    standIn.answerNext(scripted);
    expect(await send()).toMatchObject(expected);
  });
});

test("a response of maximum length, all blanks, is processed quickly", { timeout: 3_000 }, async () => {
  const text = JSON.stringify({ errcode: -1, errmsg: `${" ".repeat(65_000)}x` });
  const egress: OutgoingRequests = {
    request: async () => ({ statusCode: 200, headers: {}, text }),
    addressOf: async (host) => host,
  };
  const signal = new AbortController().signal;
  const sending = { body: "{}", config: standIn.config, key: "k", atMs: 0, egress, signal };
  expect(await channel.send(sending)).toEqual({ outcome: "retry", statusCode: 200, answer: "-1" });
});

test("channels with one bot share its budget, which is below WeCom's limit", async () => {
  const strict = await start({ enforceLimits: true });
  const [budget] = channel.budgets(strict.config);
  const [other] = channel.budgets({ webhookUrl: `${strict.config.webhookUrl}&x=1` });
  expect(other?.key).toBe(budget?.key);
  for (let index = 0; index < (budget?.requests ?? 0); index += 1)
    expect(await sendOnce(channel, strict.config, messageOf("down"))).toMatchObject(delivered);
  await strict.stop();
});
