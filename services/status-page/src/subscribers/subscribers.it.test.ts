import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type MailingBed, openMailing, tokenIn } from "../testing/mailing.ts";
import { handOverMails, upkeep } from "../mails/hand-over.ts";
import { confirmSubscription, deleteSubscriber, listSubscribers, unsubscribe } from "./subscribers.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let bed: MailingBed;
beforeEach(async () => void (bed = await openMailing()));
afterEach(() => bed.db.destroy());

const list = async (search = "") => (await listSubscribers(bed.ctx, { page: 1, pageSize: 50, search })).subscribers;
const confirm = (token: string) => confirmSubscription(bed.ctx, token);
const unsubscribeUrl = (mail: { headers: { name: string; value: string }[] } | undefined) =>
  mail?.headers.find(({ name }) => name === "List-Unsubscribe")?.value ?? "";

describe("an address that requests a subscription", () => {
  test("is mailed a link, and is a subscriber after confirming", async () => {
    await bed.ask("Reader@Example.com", ["monitor:1"], "zh-CN");
    expect(bed.due()).toBe(1);
    await bed.run();
    const [mail] = bed.sent;
    expect(mail).toMatchObject({ to: "Reader@Example.com", channelId: 5, subject: "[Example status] 确认订阅" });
    expect(mail?.text).toContain("Shop");
    expect(mail?.headers.map(({ name }) => name)).not.toContain("List-Unsubscribe");
    expect(await list()).toMatchObject([{ status: "pending" }]);
    await confirm(tokenIn(mail));
    expect(await list()).toMatchObject([
      {
        email: "Reader@Example.com",
        services: ["monitor:1"],
        language: "zh-CN",
        confirmedAt: new Date(bed.clock.now()).toISOString(),
      },
    ]);
  });

  test("can confirm twice, within two days", async () => {
    await bed.ask("a@example.com");
    await bed.ask("b@example.com");
    await bed.run();
    const [first, second] = bed.sent.map(tokenIn);
    await confirm(first ?? "");
    await confirm(first ?? "");
    bed.clock.advance(48 * hourMs);
    await expect(confirm(second ?? "")).rejects.toMatchObject({ code: "invalid" });
  });

  test("is deleted if it is not confirmed within two days", async () => {
    await bed.join("stays@example.com");
    await bed.ask("goes@example.com");
    await bed.run();
    bed.clock.advance(48 * hourMs - 1);
    await upkeep(bed.ctx);
    expect(await list()).toHaveLength(2);
    bed.clock.advance(1);
    await upkeep(bed.ctx);
    expect(await list()).toMatchObject([{ email: "stays@example.com" }]);
  });

  test.each([
    ["pending", "ask"],
    ["confirmed", "join"],
  ] as const)("is mailed at most every ten minutes and three times a day while %s", async (_status, begin) => {
    await bed[begin]("reader@example.com");
    await bed.run();
    const mailsAfter = async (durationMs: number) => {
      await bed.pass(durationMs);
      await bed.ask("READER@example.com");
      await bed.run();
      return bed.sent.length;
    };
    expect(await mailsAfter(10 * minuteMs - 1)).toBe(1);
    expect(await mailsAfter(1)).toBe(2);
    expect(await mailsAfter(hourMs)).toBe(3);
    expect(await mailsAfter(hourMs)).toBe(3);
    // A day after the first one.
    expect(await mailsAfter(22 * hourMs - 10 * minuteMs - 1)).toBe(3);
    expect(await mailsAfter(1)).toBe(4);
    expect(await list()).toHaveLength(1);
  });

  test("must be a valid address, and cannot request hidden targets", async () => {
    await expect(bed.ask("nobody")).rejects.toMatchObject({ code: "invalid", details: [{ path: "email" }] });
    // Hidden and unknown targets get the same error.
    for (const service of ["monitor:3", "monitor:999"]) {
      await expect(bed.ask("reader@example.com", ["monitor:1", service])).rejects.toMatchObject({
        code: "impossible",
        details: [{ path: "services.1", message: "This is not shown on the page" }],
      });
    }
    expect(await list()).toEqual([]);
  });

  test("is rejected if mails cannot be sent", async () => {
    const refused = { code: "impossible" };
    await bed.configure({ subscriptions: { enabled: false, channelId: 5 } });
    await expect(bed.ask("reader@example.com")).rejects.toMatchObject(refused);
    await bed.configure({ subscriptions: { enabled: true, channelId: null } });
    await expect(bed.ask("reader@example.com")).rejects.toMatchObject(refused);
    await bed.configure();
    bed.ctx.publicUrl = null;
    await expect(bed.ask("reader@example.com")).rejects.toMatchObject(refused);
  });

  test("changes a confirmed subscription only after another confirmation", async () => {
    await bed.join("reader@example.com", ["monitor:1"]);
    await bed.pass(10 * minuteMs);
    await bed.ask("reader@example.com", ["monitor:2"], "zh-CN");
    await bed.run();
    expect(await list()).toMatchObject([{ services: ["monitor:1"], language: "en-US" }]);
    await confirm(tokenIn(bed.sent.at(-1)));
    expect(await list()).toMatchObject([{ services: ["monitor:2"], language: "zh-CN" }]);
  });

  test("invalidates its first link by requesting a second", async () => {
    await bed.ask("reader@example.com", ["monitor:1"]);
    await bed.pass(10 * minuteMs);
    await bed.ask("reader@example.com", ["monitor:2"]);
    await bed.run();
    const [first, second] = bed.sent.map(tokenIn);
    await expect(confirm(first ?? "")).rejects.toMatchObject({ code: "invalid" });
    await confirm(second ?? "");
    expect(await list()).toMatchObject([{ services: ["monitor:2"] }]);
  });
});

describe("a mailbox", () => {
  test.each([
    ["Reader@Example.com", "reader+news@example.com", "READER+1+2@EXAMPLE.com"],
    ["a.reader@gmail.com", "areader+x@googlemail.com", "A.Rea.Der@Gmail.com"],
  ])("counts once for all spellings: %s", async (...addresses) => {
    for (const email of addresses) await bed.ask(email);
    await bed.run();
    expect(bed.sent).toHaveLength(1);
    for (const email of [...addresses, ...addresses]) {
      await bed.pass(10 * minuteMs);
      await bed.ask(email);
      await bed.run();
    }
    expect(bed.sent).toHaveLength(3);
    expect(await list()).toHaveLength(1);
  });

  test("differs if dots differ outside Gmail, or the host differs", async () => {
    for (const email of ["a.b@example.com", "ab@example.com", "ab@example.org"]) await bed.ask(email);
    await bed.run();
    expect(bed.sent.map(({ to }) => to).sort()).toEqual(["a.b@example.com", "ab@example.com", "ab@example.org"]);
  });

  test("is mailed under its newest address until one confirms", async () => {
    await bed.ask("reader+mistyped@example.com");
    await bed.pass(10 * minuteMs);
    await bed.ask("reader@example.com");
    await bed.run();
    expect(bed.sent.map(({ to }) => to)).toEqual(["reader+mistyped@example.com", "reader@example.com"]);
    await confirm(tokenIn(bed.sent.at(-1)));
    await bed.pass(10 * minuteMs);
    await bed.ask("reader+later@example.com");
    await bed.run();
    expect(bed.sent.at(-1)?.to).toBe("reader@example.com");
    expect(await list()).toMatchObject([{ email: "reader@example.com" }]);
  });

  test("with two existing subscriptions keeps both, without further mails", async () => {
    await bed.join("reader@example.com");
    await bed.db("subscribers").update({ email: "reader+old@example.com", email_key: "reader+old@example.com" });
    await bed.db.raw(
      `insert into subscribers (email, email_key, services, language, confirm_hash, confirm_salt, confirm_until_ms,
         unsubscribe_hash, unsubscribe_salt, created_at_ms, asked_at_ms, confirmed_at_ms)
       select 'reader@example.com', 'reader@example.com', '{}', 'en-US', '1', '', 1, '1', '', 0, '{}', 1`,
    );
    await bed.ask("reader@example.com");
    await bed.run();
    expect(bed.sent).toHaveLength(1);
    await bed.pass(10 * minuteMs);
    await bed.ask("reader@example.com");
    await bed.run();
    expect(bed.sent.at(-1)?.to).toBe("reader@example.com");
    expect(await list()).toHaveLength(2);
  });
});

describe("ten thousand subscribers", () => {
  const fill = (columns: string) =>
    bed.db.raw(
      `insert into subscribers (email, email_key, services, language, confirm_hash, confirm_salt, confirm_until_ms,
         unsubscribe_hash, unsubscribe_salt, created_at_ms, asked_at_ms, confirmed_at_ms)
       select n || '@example.org', n || '@example.org', '{}', 'en-US', sha256(n::text::bytea), '', n,
         sha256(n::text::bytea), '', 0, '{}', ${columns}
       from generate_series(1, 10000) as n`,
    );

  test("are the maximum, with the same response for everyone", async () => {
    await fill("1");
    for (const email of ["1@example.org", "new@example.org"]) {
      await expect(bed.ask(email)).rejects.toMatchObject({ code: "impossible" });
    }
  });

  test("with unconfirmed ones make room by deleting the oldest of those", async () => {
    await fill("case when n < 3 then null else 1 end");
    await bed.ask("new@example.org");
    expect((await list()).length).toBe(50);
    const pending = await bed.db("subscribers").whereNull("confirmed_at_ms").orderBy("id").pluck<string[]>("email");
    expect(pending).toEqual(["2@example.org", "new@example.org"]);
  });
});

test("a mail's link unsubscribes, and can be used twice", async () => {
  await bed.join("reader@example.com");
  await bed.join("other@example.com");
  await bed.announce();
  await bed.run();
  const mail = bed.sent.findLast(({ to }) => to === "reader@example.com");
  const token = /token=([\w-]{43})/.exec(unsubscribeUrl(mail))?.[1] ?? "";
  await unsubscribe(bed.ctx, token);
  await unsubscribe(bed.ctx, token);
  await unsubscribe(bed.ctx, "no token of ours");
  expect(await list()).toMatchObject([{ email: "other@example.com" }]);
});

test("tokens are not stored in the database", async () => {
  await bed.join("reader@example.com");
  await bed.announce();
  await bed.run();
  const tokens = [tokenIn(bed.sent[0]), /token=([\w-]{43})/.exec(unsubscribeUrl(bed.sent[1]))?.[1] ?? ""];
  expect(tokens.map(({ length }) => length)).toEqual([43, 43]);
  const tables = await Promise.all(["subscribers", "mailings", "mails"].map((table) => bed.db(table)));
  const kept = JSON.stringify(tables);
  for (const token of tokens) {
    expect(kept).not.toContain(token);
    expect(kept).not.toContain(JSON.stringify(Buffer.from(token, "base64url")).slice(1, -1));
  }
});

test("subscribers can be found by part of their address, and deleted with their waiting mails", async () => {
  await bed.join("reader@example.com");
  await bed.join("Other@Example.com");
  expect(await list("OTHER")).toMatchObject([{ email: "Other@Example.com" }]);
  expect(await list("%")).toEqual([]);
  expect(await list("oth\0er")).toMatchObject([{ email: "Other@Example.com" }]);
  await bed.announce();
  await handOverMails(bed.ctx);
  const id = (await list("other"))[0]?.id ?? 0;
  await deleteSubscriber(bed.ctx, id);
  await expect(deleteSubscriber(bed.ctx, id)).rejects.toMatchObject({ code: "not_found" });
  bed.sent.length = 0;
  await bed.send();
  expect(bed.sent.map(({ to }) => to)).toEqual(["reader@example.com"]);
});
