import { deriveKeys } from "@sonde/kit/secret-keys";
import { AppError, unavailable } from "@sonde/kit/errors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type MailingBed, openMailing, publicUrl, tokenIn } from "../testing/mailing.ts";
import { handOverMails, upkeep } from "./hand-over.ts";
import { deleteAllOf } from "./mailings.ts";
import { composeQueued } from "./queued.ts";
import { confirmSubscription } from "../subscribers/subscribers.ts";

const hourMs = 3_600_000;

let bed: MailingBed;
beforeEach(async () => void (bed = await openMailing()));
afterEach(() => bed.db.destroy());

/** Sent mails, sorted, because several are sent at once: `reader@example.com: subject`. */
const sentMails = () =>
  bed.sent
    .filter(({ text }) => !text.includes("/status/confirm"))
    .map(({ to, subject }) => `${to}: ${subject}`)
    .sort();
const lastTo = (address: string) => bed.sent.findLast(({ to }) => to === address);

describe("an update of an announcement", () => {
  test("is mailed once to each subscriber, in their language, with an unsubscribe link", async () => {
    await bed.join("reader@example.com");
    await bed.join("leser@example.com", [], "zh-CN");
    await bed.ask("pending@example.com");
    await bed.run();
    const id = await bed.announce();
    await bed.run();
    await bed.pass(hourMs);
    expect(sentMails()).toEqual([
      "leser@example.com: [Example status] Payments fail：调查中",
      "reader@example.com: [Example status] Payments fail: Investigating",
    ]);
    const mail = lastTo("reader@example.com");
    expect(mail?.text).toContain("Affected: Payments");
    expect(mail?.text).toContain("We are looking at it.");
    expect(mail?.text).toContain(`https://status.example.com/status/incidents/p${id}?lang=en-US`);
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

  test("has a valid subject, however long its title is", async () => {
    await bed.join("reader@example.com");
    await bed.announce({ title: "\u{1f600}".repeat(200) });
    await bed.run();
    const { subject = "" } = lastTo("reader@example.com") ?? {};
    expect(subject).toMatch(/^\[Example status\] \u{1f600}{150}.*…$/u);
    expect([subject.length <= 400, subject.isWellFormed()]).toEqual([true, true]);
  });

  test("is only mailed to subscribers of one of its services, or of everything", async () => {
    await bed.join("shop@example.com", ["monitor:1"]);
    await bed.join("payments@example.com", ["monitor:2", "monitor:1"]);
    await bed.join("all@example.com");
    await bed.announce();
    await bed.run();
    expect(sentMails().map((line) => line.split(":")[0])).toEqual(["all@example.com", "payments@example.com"]);
  });

  test("about hidden targets is mailed if it is for the page, without names and not to subscribers of single services", async () => {
    await bed.join("shop@example.com", ["monitor:1"]);
    await bed.join("all@example.com");
    await bed.announce({ monitor_ids: [3], agent_ids: [1] });
    await bed.run();
    expect(sentMails()).toEqual([]);
    await bed.announce({ monitor_ids: [3], agent_ids: [1], pages: ["default"] });
    await bed.run();
    expect(sentMails()).toEqual(["all@example.com: [Example status] Payments fail: Investigating"]);
    expect(bed.sent.at(-1)?.text).not.toContain("Affected");
  });

  test("never contains a name that the page does not show", async () => {
    await bed.join("reader@example.com", ["monitor:1", "monitor:2"]);
    await bed.join("all@example.com", [], "zh-CN");
    await bed.announce({ monitor_ids: [1, 2, 3], agent_ids: [1] });
    await bed.run();
    expect(sentMails()).toHaveLength(2);
    expect(lastTo("all@example.com")?.text).toContain("Shop、Payments");
    const all = JSON.stringify([bed.sent, await bed.db("mailings").pluck("facts")]);
    expect(all).not.toContain("canary");
    expect(JSON.stringify(bed.sent)).not.toMatch(/monitor:3|agent:1/);
  });

  test("keeps the texts and names of when it was written, also when its mail is repeated", async () => {
    await bed.join("reader@example.com");
    const id = await bed.announce();
    await bed.run();
    const [, key = ""] = bed.queue.keys();
    await bed.db("announcements").where({ id }).update({ title: "Something else" });
    await bed.configure({ title: "Renamed", names: [{ type: "monitor", id: 2, name: "Renamed, too" }] });
    expect(bed.sent.at(-1)).toMatchObject((await composeQueued(bed.ctx, key))!);
  });

  test("is not mailed to later subscribers", async () => {
    await bed.announce();
    bed.clock.advance(1);
    await bed.join("late@example.com");
    await bed.run();
    expect(sentMails()).toEqual([]);
  });

  test("waits for names that are currently unavailable", async () => {
    await bed.join("reader@example.com");
    const { namesOf } = bed.ctx;
    bed.ctx.namesOf = () => Promise.resolve({ of: () => null });
    await bed.announce();
    await bed.pass(0);
    expect(sentMails()).toEqual([]);
    bed.ctx.namesOf = namesOf;
    await bed.pass(10_000);
    expect(bed.sent.at(-1)?.text).toContain("Affected: Payments");
  });

  test("on a page with mails off is never mailed", async () => {
    await bed.join("reader@example.com");
    await bed.configure({ subscriptions: { enabled: false, channelId: 5 } });
    await bed.announce();
    await bed.run();
    await upkeep(bed.ctx);
    await bed.configure();
    await bed.pass(hourMs);
    expect(sentMails()).toEqual([]);
  });
});

describe("a mail", () => {
  beforeEach(() => bed.join("reader@example.com"));

  test.each(["before", "after"])(
    "is handed over by another process under the same key if the first dies %s the notifier has it",
    async (when) => {
      await bed.announce();
      const { queueMails } = bed.ctx.sources.notifications;
      const dies = async (input: Parameters<typeof queueMails>[0]) => {
        if (when === "after") await queueMails(input);
        throw new Error("the process dies");
      };
      bed.ctx.sources.notifications.queueMails = dies as typeof queueMails;
      await expect(handOverMails(bed.ctx)).rejects.toThrow("dies");
      const before = [...bed.queue.keys()];
      expect(before).toHaveLength(when === "after" ? 2 : 1);
      await bed.send();
      bed.ctx.sources.notifications.queueMails = queueMails;
      await bed.run();
      await bed.pass(hourMs);
      expect(sentMails()).toHaveLength(1);
      expect(bed.queue.size).toBe(2);
      expect([...bed.queue.keys()].slice(0, before.length)).toEqual(before);
    },
  );

  test("waits a day for an unavailable notifier", async () => {
    bed.refuseWith(unavailable("notifications"));
    await bed.announce();
    await bed.run();
    await bed.pass(hourMs);
    await bed.announce({ title: "Search is slow" });
    await bed.pass(23.5 * hourMs);
    await upkeep(bed.ctx);
    bed.refuseWith(null);
    await bed.run();
    expect(sentMails()).toEqual(["reader@example.com: [Example status] Search is slow: Investigating"]);
  });

  test("with an update is sent before confirmations, however many strangers requested them", async () => {
    await bed.join("second@example.com");
    for (let n = 0; n < 20; n += 1) await bed.ask(`stranger${n}@example.com`);
    await bed.announce();
    bed.sent.length = 0;
    await bed.run();
    const kinds = bed.sent.map(({ text }) => (text.includes("/status/confirm") ? "confirmation" : "update"));
    expect(kinds).toEqual(["update", "update", ...Array.from({ length: 20 }, () => "confirmation")]);
  });

  test("does not invalidate the link of a later confirmation", async () => {
    await bed.join("reader@example.com");
    bed.clock.advance(hourMs);
    await bed.announce();
    await handOverMails(bed.ctx);
    await bed.ask("reader@example.com", ["monitor:1"]);
    await bed.run();
    await confirmSubscription(bed.ctx, tokenIn(bed.sent.findLast(({ text }) => text.includes("/status/confirm"))));
    expect(await bed.db("subscribers").pluck("services")).toEqual([["monitor:1"]]);
  });

  test("is handed over under one key by two concurrent processes", async () => {
    for (let at = 0; at < 20; at += 1) await bed.join(`reader${at}@example.com`);
    await bed.announce();
    await Promise.all([handOverMails(bed.ctx), handOverMails(bed.ctx)]);
    await bed.run();
    expect(sentMails()).toHaveLength(21);
    expect(new Set(sentMails()).size).toBe(21);
  });

  test.each<[string, (id: number) => Promise<unknown>]>([
    ["the announcement", (id) => deleteAllOf(bed.db, `announcement:${id}`)],
    ["the subscription", () => bed.db("subscribers").delete()],
    ["the page's subscription", () => bed.configure({ subscriptions: { enabled: false, channelId: 5 } })],
  ])("is not sent after %s was removed, although the notifier has it", async (_what, withdraw) => {
    const id = await bed.announce();
    await handOverMails(bed.ctx);
    await withdraw(id);
    await bed.send();
    expect(sentMails()).toEqual([]);
  });

  test("moves to the page's current channel", async () => {
    await bed.announce();
    await handOverMails(bed.ctx);
    await bed.configure({ subscriptions: { enabled: true, channelId: 9 } });
    await upkeep(bed.ctx);
    await bed.run();
    expect(bed.sent.slice(1)).toMatchObject([{ channelId: 9 }]);
  });

  test("waits until PUBLIC_URL is set", async () => {
    await bed.announce();
    await handOverMails(bed.ctx);
    const [, key = ""] = bed.queue.keys();
    bed.ctx.publicUrl = null;
    await expect(composeQueued(bed.ctx, key)).rejects.toMatchObject({ code: "impossible" });
    bed.ctx.publicUrl = publicUrl;
    await bed.send();
    expect(sentMails()).toHaveLength(1);
  });
});

test("confirmations wait while the notifier accepts none, at most 500, and updates do not wait", async () => {
  await bed.join("reader@example.com");
  const { queueMails } = bed.ctx.sources.notifications;
  bed.ctx.sources.notifications.queueMails = ((input: Parameters<typeof queueMails>[0]) =>
    input.mails.some(({ kind }) => kind === "confirmation")
      ? Promise.reject(new AppError("too_many", "Too many requests, please try again later"))
      : queueMails(input)) as typeof queueMails;
  for (let n = 0; n < 500; n += 1) await bed.ask(`stranger${n}@example.com`);
  await bed.announce();
  await bed.run();
  expect(sentMails()).toHaveLength(1);
  await expect(bed.ask("one-more@example.com")).rejects.toMatchObject({ code: "too_many" });
  bed.ctx.sources.notifications.queueMails = queueMails;
  await bed.run();
  await bed.ask("one-more@example.com");
});

test("a thousand subscribers get a row each, and an interrupted fan-out continues", async () => {
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
  await expect(handOverMails(bed.ctx)).rejects.toThrow("Connection terminated");
  expect(await db("mails").where({ rank: 1 })).toHaveLength(500);
  bed.ctx.db = db;
  await handOverMails(bed.ctx);
  const rows = await db("mails").where({ rank: 1 }).pluck<number[]>("subscriber_id");
  expect([rows.length, new Set(rows).size]).toEqual([1200, 1200]);
});

test("settled mailings are deleted after thirty days, waiting ones are not", async () => {
  await bed.join("reader@example.com");
  await bed.announce();
  await bed.run();
  bed.clock.advance(30 * 24 * hourMs + 1);
  await bed.announce({ title: "New" });
  await upkeep(bed.ctx);
  expect(await bed.db("mailings").pluck("kind")).toEqual(["update"]);
  await bed.run();
  expect(sentMails()).toHaveLength(2);
});

test("links stay valid after the installation's key changed, in old and new mails", async () => {
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
