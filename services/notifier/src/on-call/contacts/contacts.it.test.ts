import { contactsInput } from "@sonde/proto/http/on-call/contacts";
import { fakeClock } from "@sonde/kit/time/clock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { z } from "zod";
import { findChannel, listChannels, lockToSend, removeChannel } from "../../channels/channels.ts";
import type { Context } from "../../context.ts";
import { openTestContext } from "../../testing/context.ts";
import { insertChannel } from "../../testing/rows.ts";
import { forgetContacts, getContacts, putContacts, testContact } from "./contacts.ts";

let ctx: Context;
let mail: number;
let bot: number;
beforeEach(async () => {
  ctx = await openTestContext(fakeClock());
  const smtp = { host: "mx.example.com", from: "sonde@example.com", to: "ops@example.com" };
  mail = await insertChannel(ctx.db, { type: "smtp", config: JSON.stringify(smtp) });
  bot = await insertChannel(ctx.db, { type: "telegram", config: JSON.stringify({ botToken: "t", chatId: "-1" }) });
});
afterEach(() => ctx.db.destroy());

const ada = { id: 1, name: "Ada", email: "ada@example.com" };
type Rules = z.input<typeof contactsInput>["rules"];
const rule = (via: Rules[number]["via"], given: Partial<Rules[number]> = {}): Rules[number] => ({
  urgency: "high",
  after: 0,
  via,
  ...given,
});
const put = (rules: Rules, user = ada, given: object = {}) =>
  putContacts(ctx, user, contactsInput.parse({ timeZone: "Europe/Berlin", rules, ...given }));
const own = (userId = 1) => ctx.db("channels").where({ userId }).orderBy("id");

test("each address becomes a channel of its user, which lists of channels leave out", async () => {
  const night = { start: "22:00", end: "07:00" };
  const saved = await put(
    [
      rule("mail"),
      rule("mail", { to: "home@example.com", after: 5 }),
      rule("telegram", { to: "4711" }),
      rule("ntfy", { to: "https://ntfy.example.com/ada" }),
      rule("webhook", { to: "https://example.com/secret", urgency: "low" }),
      rule("channel", { channel: bot, after: 10 }),
    ],
    ada,
    { night, language: "zh-CN", handoff: false },
  );
  expect(saved).toMatchObject({ timeZone: "Europe/Berlin", night, language: "zh-CN", handoff: false });
  expect(saved.rules.map(({ via, to, channel }) => [via, to, channel])).toEqual([
    ["mail", undefined, mail],
    ["mail", "home@example.com", mail],
    ["telegram", "4711", bot],
    ["ntfy", "https://ntfy.example.com/ada", undefined],
    ["webhook", "••••••", undefined],
    ["channel", undefined, bot],
  ]);
  expect((await own()).map(({ name, type, throughId }) => [name, type, throughId])).toEqual([
    ["Ada · mail", "smtp", mail],
    ["Ada · mail", "smtp", mail],
    ["Ada · telegram", "telegram", bot],
    ["Ada · ntfy", "ntfy", null],
    ["Ada · webhook", "webhook", null],
  ]);
  expect(JSON.stringify(await own())).not.toContain("example.com/secret");
  expect((await listChannels(ctx.db)).map(({ id }) => id)).toEqual([mail, bot]);
});

describe("a phone call", () => {
  const twilio = (given: object) =>
    insertChannel(ctx.db, { type: "twilio", config: JSON.stringify({ authToken: "t", to: "+15550000000", ...given }) });
  const call = [rule("voice", { to: "+15558675310" })];

  test("is made by a Twilio channel that can call, in the name of the user", async () => {
    await twilio({ from: "MG0123456789abcdef0123456789abcdef" });
    await twilio({ from: "+15005550006", apiKeySid: "SK0123456789abcdef0123456789abcdef" });
    await expect(put(call)).rejects.toMatchObject({
      code: "impossible",
      details: [{ path: "rules.0.via", message: expect.stringContaining("No Twilio channel can call") }],
    });
    const caller = await twilio({ from: "+15005550006" });
    const saved = await put(call);
    expect(saved.rules).toMatchObject([{ via: "voice", to: "+15558675310", channel: caller }]);
    const [channel] = await own();
    expect(channel).toMatchObject({ name: "Ada · call", type: "twilio-voice", throughId: caller });
    expect((await lockToSend(ctx.db, channel.id))?.config).toMatchObject({ from: "+15005550006", to: "+15558675310" });
    await put([rule("voice", { to: "+15558675310", after: 5 }), rule("sms", { to: "+15558675310" })]);
    expect((await own()).map(({ name }) => name)).toEqual(["Ada · call", "Ada · sms"]);
  });

  test("needs PUBLIC_URL, a channel and a number", async () => {
    const refused = (message: string) => ({ details: [{ message: expect.stringContaining(message) }] });
    await expect(put(call)).rejects.toMatchObject(refused("No enabled channel can send"));
    await twilio({ from: "+15005550006" });
    await expect(put([rule("voice", { to: "911" })])).rejects.toMatchObject(refused("not a valid phone number"));
    ctx = { ...ctx, publicUrl: null };
    await expect(put(call)).rejects.toMatchObject(refused("Calls need PUBLIC_URL"));
  });
});

test("unchanged addresses keep their channels, also masked ones, and removed ones are deleted", async () => {
  const saved = await put([
    rule("webhook", { to: "https://example.com/one" }),
    rule("webhook", { to: "https://example.com/two" }),
    rule("telegram", { to: "4711" }),
  ]);
  const rules = saved.rules.map(({ via, to, channel }) => rule(via, { to, channel }));
  const [first, second, chat] = await own();
  await put([rules[2]!, { ...rules[0]!, after: 5 }]);
  expect((await own()).map(({ id }) => id)).toEqual([first.id, chat.id]);
  await put([rule("telegram", { to: "4712" })]);
  expect((await own()).map(({ id }) => id).filter((id) => [first.id, second.id, chat.id].includes(id))).toEqual([]);
});

test("the account of the team's channel sends to the address of the user", async () => {
  await put([rule("mail", { to: "home@example.com" })]);
  const [{ id }] = await own();
  const ready = await ctx.db.transaction((trx) => lockToSend(trx, id));
  expect(ready).toMatchObject({ enabled: true, config: { host: "mx.example.com", to: "home@example.com" } });
  await ctx.db("channels").where({ id: mail }).update({ enabled: false });
  expect(await ctx.db.transaction((trx) => lockToSend(trx, id))).toMatchObject({ enabled: false });
});

test.each<[string, Rules[number], string]>([
  ["an address that is no mail address", rule("mail", { to: "ada" }), "rules.0.to"],
  ["several mail addresses", rule("mail", { to: "a@example.com,b@example.com" }), "rules.0.to"],
  ["a chat that is no id", rule("telegram", { to: "a chat" }), "rules.0.to"],
  ["a URL that is no URL", rule("webhook", { to: "ftp://example.com" }), "rules.0.to"],
  ["a forbidden host", rule("webhook", { to: "http://169.254.169.254/" }), "rules.0.to"],
  ["a forbidden server", rule("ntfy", { to: "http://169.254.169.254/topic" }), "rules.0.to"],
  ["no address", rule("telegram"), "rules.0.to"],
  ["no channel that sends", rule("sms", { to: "+15550001" }), "rules.0.via"],
  ["an unknown channel", rule("channel", { channel: 999 }), "rules.0.channel"],
  ["push without a device", rule("push"), "rules.0.via"],
])("rejects %s", async (_, given, path) => {
  await expect(put([given])).rejects.toMatchObject({ details: [{ path }] });
  expect(await own()).toEqual([]);
});

describe("other users", () => {
  test("cannot see, change or test a user's channel", async () => {
    await put([rule("telegram", { to: "4711" })]);
    const [{ id }] = await own();
    await expect(findChannel(ctx.db, id)).rejects.toMatchObject({ code: "not_found" });
    await expect(findChannel(ctx.db, id, 2)).rejects.toMatchObject({ code: "not_found" });
    await expect(removeChannel(ctx, { id })).rejects.toMatchObject({ code: "not_found" });
    await expect(put([rule("channel", { channel: id })], { ...ada, id: 2 })).rejects.toMatchObject({
      code: "impossible",
    });
    expect((await getContacts(ctx, 2)).rules).toEqual([]);
  });
});

test("contacts of deleted users are deleted, and no others", async () => {
  await put([rule("telegram", { to: "4711" })]);
  await put([rule("telegram", { to: "4712" })], { ...ada, id: 2 });
  await put([rule("telegram", { to: "4713" })], { ...ada, id: 3 });
  // Auth has not answered for the third one.
  await forgetContacts(
    ctx.db,
    async () =>
      new Map([
        [1, { ...ada, isDisabled: true }],
        [2, null],
      ]),
  );
  expect(await ctx.db("contacts").orderBy("user_id").pluck("user_id")).toEqual([1, 3]);
  expect([await own(), await own(2), await own(3)].map(({ length }) => length)).toEqual([1, 0, 1]);
});

test("a test goes to the channel of the rule", async () => {
  await put([rule("telegram", { to: "4711" }), rule("channel", { channel: bot })]);
  const [{ id }] = await own();
  const tested: unknown[] = [];
  const test = async (request: unknown) => (tested.push(request), {}) as never;
  for (const index of [0, 1]) await testContact(ctx, test, { userId: 1, rule: index, language: "en-US" });
  expect(tested).toMatchObject([
    { id, userId: 1 },
    { id: bot, userId: null },
  ]);
  await expect(testContact(ctx, test, { userId: 1, rule: 2, language: "en-US" })).rejects.toMatchObject({
    code: "invalid",
  });
});

test("a test of push reaches all devices, and returns the one that failed", async () => {
  const devices = await Promise.all([1, 2, 3].map(() => insertChannel(ctx.db, { type: "web-push", userId: 1 })));
  await put([rule("push")]);
  const tested: number[] = [];
  const test = async ({ id }: { id: number }) => {
    tested.push(id);
    return { id, status: id === devices[1] ? "failed" : "delivered" } as never;
  };
  const request = { userId: 1, rule: 0, language: "en-US" } as const;
  expect(await testContact(ctx, test, request)).toMatchObject({ id: devices[1] });
  expect(new Set(tested)).toEqual(new Set(devices));
});
