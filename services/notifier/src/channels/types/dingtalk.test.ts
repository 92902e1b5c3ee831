import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostileMessage, messageOf, sendOnce } from "../../testing/sending.ts";
import { start } from "../../testing/stand-ins/dingtalk.ts";
import { channel } from "./dingtalk.ts";

let standIn: Awaited<ReturnType<typeof start>>;
beforeAll(async () => void (standIn = await start()));
afterAll(() => standIn.stop());

const send = (message = messageOf("down"), changes: object = {}, atMs?: number) =>
  sendOnce(channel, { ...standIn.config, ...changes }, message, { atMs });
const shown = () => (standIn.accepted.at(-1)!.json as { markdown: { title: string; text: string } }).markdown;
const delivered = { outcome: "delivered", statusCode: 200, answer: "0 ok" };

describe("the message", () => {
  test.each(["down", "recovery", "offline", "threshold", "flapping", "test"] as const)(
    "for %s is accepted by a bot that requires a signature and a keyword",
    async (kind) => {
      for (const language of ["en-US", "zh-CN"] as const)
        expect(await send(messageOf(kind, { language, isTest: kind === "test" }))).toMatchObject(delivered);
    },
  );

  test("shows its title as preview, and links to the incident and to its acknowledgement", async () => {
    await send();
    expect(shown().title).toBe("🔴 Example shop is down");
    expect(shown().text).toContain("[Open the incident](https://sonde.example.com/incidents/m12)");
    expect(shown().text).toContain("[Acknowledge](https://sonde.example.com/acknowledge?token=v1.abc)");
  });

  test("with several alerts lists them with their causes", async () => {
    expect(await send(messageOf("down", { count: 5 }))).toMatchObject(delivered);
    expect(shown().title).toContain("5 alerts");
    expect(
      shown().text.match(/\[Example shop is down\]\(https:\/\/sonde.example.com\/incidents\/m1\d\)/g),
    ).toHaveLength(5);
  });

  test("cuts a long text of a user within a limit in bytes", async () => {
    expect(await send({ ...messageOf("down"), text: "漢".repeat(6000) })).toMatchObject(delivered);
    expect(JSON.stringify(standIn.accepted.at(-1)?.json)).toMatch(/漢{100,}…/);
  });

  test.each(["en-US", "zh-CN"] as const)(
    "stays within 20,000 bytes and shows texts unchanged, in %s",
    async (language) => {
      for (const count of [1, 1000]) {
        expect(await send(hostileMessage(language, count))).toMatchObject(delivered);
        const { text } = shown();
        expect(text).not.toMatch(/<font|<b>|\]\(http:\/\/evil|<@all>|\u202e|\ufffd/);
        expect(text.isWellFormed()).toBe(true);
      }
    },
  );
});

describe("the signature", () => {
  test("uses the time of the attempt", async () => {
    expect(await send(undefined, {}, Date.now() - 30 * 60_000)).toMatchObject(delivered);
    expect(await send(undefined, {}, Date.now() - 2 * 3_600_000)).toMatchObject({
      outcome: "broken",
      answer: "310000 invalid timestamp",
    });
  });

  test("with another secret, or missing, breaks the channel with DingTalk's text", async () => {
    for (const secret of ["SECother", undefined])
      expect(await send(undefined, { secret })).toEqual({
        outcome: "broken",
        statusCode: 200,
        answer: "310000 sign not match",
      });
  });

  test("and the token are not stored", () => {
    expect(channel.compose(messageOf("down"), standIn.config, undefined)).not.toMatch(/0f1e2d3c4b5a|SEC0123/);
  });
});

test("a missing keyword breaks the channel", async () => {
  const sending = { config: standIn.config, key: "k", atMs: Date.now(), signal: AbortSignal.timeout(5000) };
  const body = JSON.stringify({ msgtype: "markdown", markdown: { title: "x", text: "x" } });
  const { testEgress } = await import("../../testing/egress.ts");
  expect(await channel.send({ ...sending, body, egress: testEgress })).toMatchObject({
    outcome: "broken",
    answer: "310000 keywords not in content",
  });
});

describe("the response", () => {
  const tenMinutes = 600_000;

  test.each(["throttle", "punished"] as const)(
    "%s causes a delay longer than the block of ten minutes",
    async (scripted) => {
      standIn.answerNext(scripted);
      const outcome = await send();
      expect(outcome).toMatchObject({ outcome: "retry", throttled: true });
      expect(outcome).toSatisfy(({ afterMs }: { afterMs: number }) => afterMs > tenMinutes);
    },
  );

  test.each([
    ["busy", { outcome: "retry" }],
    ["unknown", { outcome: "retry" }],
    ["gone", { outcome: "broken", dead: true, answer: "300001 token is not exist" }],
    ["dismissed", { outcome: "broken", dead: true }],
    ["stopped", { outcome: "broken" }],
    ["ip", { outcome: "broken", answer: "310000 ip 203.0.113.7 not in whitelist" }],
    ["unsafe", { outcome: "refused" }],
    ["garbage", { outcome: "retry", statusCode: 200 }],
    ["drop", { outcome: "retry" }],
    ["reset", { outcome: "retry" }],
  ] as const)("%s", async (scripted, expected) => {
    standIn.answerNext(scripted);
    expect(await send()).toMatchObject(expected);
  });
});

test("channels with one bot share its budget, which is below DingTalk's limit", async () => {
  const strict = await start({ enforceLimits: true });
  const { webhookUrl } = strict.config;
  const [budget] = channel.budgets(strict.config);
  const [other] = channel.budgets({ webhookUrl: `${webhookUrl}&name=copy`, secret: "another" });
  expect(other?.key).toBe(budget?.key);
  expect(budget?.perMs).toBe(60_000);
  for (let index = 0; index < (budget?.requests ?? 0); index += 1)
    expect(await sendOnce(channel, strict.config, messageOf("down"))).toMatchObject(delivered);
  await strict.stop();
});
