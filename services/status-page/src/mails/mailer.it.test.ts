import type { MailRequest } from "@sonde/proto/rpc/notifications";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { AppError, unavailable } from "@sonde/kit/errors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { delivered, type MailingBed, openMailing, publicUrl, tokenIn } from "../testing/mailing.ts";
import { readConfig } from "../pages/settings.ts";
import { attempt, claimMails } from "./attempt.ts";
import { fanOut } from "./fan-out.ts";
import { createMailing, upkeep } from "./mailer.ts";
import { confirmSubscription } from "../subscribers/subscribers.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let bed: MailingBed;
beforeEach(async () => void (bed = await openMailing()));
afterEach(() => bed.db.destroy());

/** Sent mails, sorted, since several are sent at once: `reader@example.com: subject`. */
const told = () =>
  bed.sent
    .filter(({ text }) => !text.includes("/status/confirm"))
    .map(({ to, subject }) => `${to}: ${subject}`)
    .sort();
const lastTo = (address: string) => bed.sent.findLast(({ to }) => to === address);
const statuses = async () =>
  (await bed.db("mails").where({ rank: 1 }).orderBy("id").pluck<string[]>("status")).join(" ");

describe("an update of an announcement", () => {
  test("is mailed once to each subscriber, in their language, with what ends the subscription", async () => {
    await bed.join("reader@example.com");
    await bed.join("leser@example.com", [], "zh-CN");
    await bed.ask("pending@example.com");
    await bed.run();
    const id = await bed.announce();
    await bed.run();
    await bed.pass(hourMs);
    expect(told()).toEqual([
      "leser@example.com: [Example status] Payments fail：调查中",
      "reader@example.com: [Example status] Payments fail: Investigating",
    ]);
    const mail = lastTo("reader@example.com");
    expect(mail?.text).toContain("Affected: Payments");
    expect(mail?.text).toContain("We are looking at it.");
    expect(mail?.text).toContain(`https://status.example.com/status/incidents/p${id}`);
    expect(mail?.html).toContain("<strong>looking</strong>");
    expect(mail?.headers).toEqual([
      { name: "Auto-Submitted", value: "auto-generated" },
      { name: "X-Auto-Response-Suppress", value: "All" },
      {
        name: "List-Unsubscribe",
        value: expect.stringMatching(
          /^<https:\/\/status\.example\.com\/status\/unsubscribe\?token=[\w-]{43}&lang=en-US>$/,
        ) as string,
      },
      { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" },
    ]);
    expect(new Set(bed.sent.map(({ key }) => key)).size).toBe(bed.sent.length);
  });

  test("has a subject that can be sent, however long its title is", async () => {
    await bed.join("reader@example.com");
    await bed.announce({ title: "\u{1f600}".repeat(200) });
    await bed.run();
    const { subject = "" } = lastTo("reader@example.com") ?? {};
    expect(subject).toMatch(/^\[Example status\] \u{1f600}{150}.*…$/u);
    expect([subject.length <= 400, subject.isWellFormed()]).toEqual([true, true]);
  });

  test("goes to those alone who are told of one of its services, or of everything", async () => {
    await bed.join("shop@example.com", ["monitor:1"]);
    await bed.join("payments@example.com", ["monitor:2", "monitor:1"]);
    await bed.join("all@example.com");
    await bed.announce();
    await bed.run();
    expect(told().map((line) => line.split(":")[0])).toEqual(["all@example.com", "payments@example.com"]);
  });

  test("of what the page does not show is mailed where it is for the page, without names, to no service's subscribers", async () => {
    await bed.join("shop@example.com", ["monitor:1"]);
    await bed.join("all@example.com");
    await bed.announce({ monitor_ids: [3], agent_ids: [1] });
    await bed.run();
    expect(told()).toEqual([]);
    await bed.announce({ monitor_ids: [3], agent_ids: [1], pages: ["default"] });
    await bed.run();
    expect(told()).toEqual(["all@example.com: [Example status] Payments fail: Investigating"]);
    expect(bed.sent.at(-1)?.text).not.toContain("Affected");
  });

  test("never tells a name that the page does not show", async () => {
    await bed.join("reader@example.com", ["monitor:1", "monitor:2"]);
    await bed.join("all@example.com", [], "zh-CN");
    await bed.announce({ monitor_ids: [1, 2, 3], agent_ids: [1] });
    await bed.run();
    expect(told()).toHaveLength(2);
    expect(lastTo("all@example.com")?.text).toContain("Shop、Payments");
    const all = JSON.stringify([bed.sent, await bed.db("mailings").pluck("facts")]);
    expect(all).not.toContain("canary");
    expect(JSON.stringify(bed.sent)).not.toMatch(/monitor:3|agent:1/);
  });

  test("has the words and names of when it was written, whatever changes before its mail is sent again", async () => {
    await bed.join("reader@example.com");
    bed.answerWith(() => ({ outcome: "retry", answer: "4.2.0 later" }));
    const id = await bed.announce();
    await bed.run();
    await bed.db("announcements").where({ id }).update({ title: "Something else" });
    await bed.configure({ title: "Renamed", names: [{ type: "monitor", id: 2, name: "Renamed, too" }] });
    bed.answerWith(() => delivered);
    await bed.pass(minuteMs);
    const [first, second] = bed.sent.slice(-2);
    expect(second).toEqual(first);
  });

  test("is not told to who subscribes after it", async () => {
    await bed.announce();
    bed.clock.advance(1);
    await bed.join("late@example.com");
    await bed.run();
    expect(told()).toEqual([]);
  });

  test("waits for names that nobody can tell at the moment", async () => {
    await bed.join("reader@example.com");
    const { namesOf } = bed.ctx;
    bed.ctx.namesOf = () => Promise.resolve({ of: () => null });
    await bed.announce();
    await bed.pass(0);
    expect(told()).toEqual([]);
    bed.ctx.namesOf = namesOf;
    await bed.pass(10_000);
    expect(bed.sent.at(-1)?.text).toContain("Affected: Payments");
  });

  test("of a page with mails switched off is mailed to nobody, then or later", async () => {
    await bed.join("reader@example.com");
    await bed.configure({ subscriptions: { enabled: false, channelId: 5 } });
    await bed.announce();
    await bed.run();
    await upkeep(bed.ctx);
    await bed.configure();
    await bed.pass(hourMs);
    expect(told()).toEqual([]);
  });
});

describe("a mail", () => {
  beforeEach(() => bed.join("reader@example.com"));

  test.each(["before it was sent", "after it was sent"])(
    "whose sender dies %s is sent under the same key by another, and recorded once",
    async (when) => {
      await bed.announce();
      // The process hangs for ever where it would call the notifier, or read its answer.
      const dead = createMailing(
        {
          ...bed.ctx,
          sources: {
            notifications: {
              sendMail: async (mail: MailRequest) => {
                if (when === "after it was sent") await bed.ctx.sources.notifications.sendMail(mail);
                return new Promise(() => {});
              },
            },
          } as unknown as typeof bed.ctx.sources,
        },
        () => {},
      );
      await dead.look();
      await expect.poll(() => told().length).toBe(when === "after it was sent" ? 1 : 0);
      const before = bed.sent.length;
      await bed.pass(30_000);
      // It counts as in progress.
      expect(bed.sent).toHaveLength(before);
      await bed.pass(31_000);
      expect(await statuses()).toBe("delivered");
      const keys = bed.sent.slice(1).map(({ key }) => key);
      expect(keys).toEqual(Array(before).fill(keys[0]));
      await bed.pass(hourMs);
      expect(bed.sent).toHaveLength(before + 1);
    },
  );

  test("that may be taken later is tried with growing waits, for a day", async () => {
    bed.answerWith(() => ({ outcome: "retry", answer: "4.2.0 Greylisted" }));
    await bed.announce();
    const atMs: number[] = [];
    for (let passed = 0; passed < 25 * 60; passed += 5) {
      const before = bed.sent.length;
      await bed.mailing.look();
      await bed.mailing.idle();
      if (bed.sent.length > before) atMs.push(bed.clock.now());
      bed.clock.advance(5 * minuteMs);
    }
    const waits = atMs.slice(1).map((at, index) => at - (atMs[index] ?? 0));
    expect(Math.max(...waits)).toBeLessThanOrEqual(20 * minuteMs);
    expect(waits.at(-1)).toBeGreaterThanOrEqual(15 * minuteMs);
    expect(waits.length).toBeLessThan(120);
    await upkeep(bed.ctx);
    expect(await bed.db("mails").where({ rank: 1 }).first()).toMatchObject({
      status: "failed",
      answer: "Given up: it could not be sent within 24 hours",
    });
  });

  test("that is refused is not sent again", async () => {
    bed.answerWith(() => ({ outcome: "refused", answer: "550 no such user" }));
    await bed.announce();
    await bed.run();
    await bed.pass(hourMs);
    expect(told()).toHaveLength(1);
    expect(await bed.db("mails").where({ rank: 1 }).first()).toMatchObject({
      status: "failed",
      answer: "550 no such user",
    });
  });

  test("that a limit kept from leaving is sent when the provider allows it, and no other before", async () => {
    await bed.join("second@example.com");
    await bed.join("third@example.com");
    let throttles = 3;
    bed.answerWith(() =>
      throttles-- > 0 ? { outcome: "retry", answer: "429", throttled: true, retryAfterMs: 600_000 } : delivered,
    );
    await bed.announce();
    await bed.run();
    expect(told()).toHaveLength(3);
    await bed.pass(599_000);
    expect(told()).toHaveLength(3);
    for (let rounds = 0; rounds < 5; rounds += 1) await bed.pass(1_000);
    expect(told()).toHaveLength(6);
    expect(await statuses()).toBe("delivered delivered delivered");
  });

  test.each([
    ["is refused", { outcome: "broken", answer: "535 login" } as const],
    ["is away", unavailable("notifications")],
    ["was deleted", new AppError("not_found", "Notification channel does not exist")],
  ])("waits, and all others with it, while its channel %s", async (_what, answer) => {
    for (let at = 0; at < 20; at += 1) await bed.join(`reader${at}@example.com`);
    bed.answerWith(() => answer);
    await bed.announce();
    const before = bed.sent.length;
    await bed.run();
    expect(bed.sent.length - before).toBeLessThanOrEqual(8);
    const after = bed.sent.length;
    await bed.pass(1_000);
    expect(bed.sent).toHaveLength(after);
    bed.answerWith(() => delivered);
    for (let rounds = 0; rounds < 20; rounds += 1) await bed.pass(minuteMs);
    expect(await bed.db("mails").where({ status: "pending" })).toEqual([]);
    expect(new Set(told()).size).toBe(21);
  });

  test("that tells of something leaves before confirmations, however many strangers asked for those", async () => {
    await bed.join("second@example.com");
    for (let n = 0; n < 20; n += 1) await bed.ask(`stranger${n}@example.com`);
    await bed.announce();
    const config = await readConfig(bed.ctx);
    while (await fanOut(bed.ctx, { slug: "default", config }));
    const nowMs = bed.clock.now();
    const [first] = await claimMails(bed.db, { page: "default", limit: 1, nowMs, lostAtMs: nowMs + minuteMs });
    expect(first).toMatchObject({ email: expect.stringMatching(/^(?:reader|second)@/), facts: { kind: "update" } });
  });

  test("leaves the link of a confirmation alone that was asked for since it was claimed", async () => {
    await bed.join("reader@example.com");
    bed.clock.advance(hourMs);
    await bed.announce();
    const config = await readConfig(bed.ctx);
    while (await fanOut(bed.ctx, { slug: "default", config }));
    const nowMs = bed.clock.now();
    const [claimed] = await claimMails(bed.db, { page: "default", limit: 1, nowMs, lostAtMs: nowMs + minuteMs });
    await bed.ask("reader@example.com", ["monitor:1"]);
    await bed.run();
    const token = tokenIn(lastTo("reader@example.com"));
    await attempt(bed.ctx, { channelId: 5, pageUrl: `${publicUrl}/status` }, claimed!);
    await confirmSubscription(bed.ctx, token);
    expect(await bed.db("subscribers").pluck("services")).toEqual([["monitor:1"]]);
  });

  test("of two senders at once is sent by one of them", async () => {
    for (let at = 0; at < 20; at += 1) await bed.join(`reader${at}@example.com`);
    await bed.announce();
    const other = createMailing(bed.ctx, () => {});
    for (let rounds = 0; rounds < 4; rounds += 1) {
      await Promise.all([bed.mailing.look(), other.look()]);
      await Promise.all([bed.mailing.idle(), other.idle()]);
    }
    expect(told()).toHaveLength(21);
    expect(new Set(told()).size).toBe(21);
  });
});

test("a thousand subscribers get a row each, and a fan-out that was cut off goes on where it was", async () => {
  await bed.db.raw(
    `insert into subscribers (email, email_key, services, language, confirm_hash, confirm_salt, confirm_until_ms,
       unsubscribe_hash, unsubscribe_salt, created_at_ms, asked_at_ms, confirmed_at_ms)
     select n || '@example.org', n || '@example.org', '{}', 'en-US', sha256(n::text::bytea), '', n,
       sha256(n::text::bytea), '', 0, '{}', 1
     from generate_series(1, 1200) as n`,
  );
  await bed.announce();
  let statements = 0;
  const { db } = bed.ctx;
  // The database becomes unavailable after the first chunk.
  bed.ctx.db = new Proxy(db, {
    get: (target, name, receiver) => {
      if (name === "transaction" && ++statements > 1) throw new Error("Connection terminated unexpectedly");
      return Reflect.get(target, name, receiver);
    },
  });
  const dies = createMailing(bed.ctx, () => {});
  await expect(dies.look()).rejects.toThrow("Connection terminated");
  expect(await db("mails").where({ rank: 1 })).toHaveLength(500);
  bed.ctx.db = db;
  await bed.mailing.look();
  await bed.mailing.idle();
  const rows = await db("mails").where({ rank: 1 }).pluck<number[]>("subscriber_id");
  expect([rows.length, new Set(rows).size]).toEqual([1200, 1200]);
});

test("settled mailings are forgotten after thirty days, those that wait are not", async () => {
  await bed.join("reader@example.com");
  await bed.announce();
  await bed.run();
  bed.clock.advance(30 * 24 * hourMs + 1);
  await bed.announce({ title: "New" });
  await upkeep(bed.ctx);
  expect(await bed.db("mailings").pluck("kind")).toEqual(["update"]);
  await bed.run();
  expect(told()).toHaveLength(2);
});

test("links hold after the key of the installation was changed, in mails from before and from then on", async () => {
  await bed.join("reader@example.com");
  await bed.join("other@example.com");
  await bed.announce();
  await bed.run();
  const before = lastTo("other@example.com")?.headers.find(({ name }) => name === "List-Unsubscribe")?.value ?? "";
  const { secretBox } = await import("@sonde/kit/secrets");
  bed.ctx.secrets = secretBox(deriveKeys(Buffer.alloc(32, 9).toString("base64")));
  await bed.announce({ title: "New" });
  await bed.run();
  const url = lastTo("reader@example.com")?.headers.find(({ name }) => name === "List-Unsubscribe")?.value ?? "";
  const { unsubscribe } = await import("../subscribers/subscribers.ts");
  await unsubscribe(bed.ctx, /token=([\w-]{43})/.exec(url)?.[1] ?? "");
  expect(await bed.db("subscribers").pluck("email")).toEqual(["other@example.com"]);
  await unsubscribe(bed.ctx, /token=([\w-]{43})/.exec(before)?.[1] ?? "");
  expect(await bed.db("subscribers")).toEqual([]);
});
