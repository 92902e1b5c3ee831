import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import { unpackReport, verifyReport } from "@sonde/proto/http/report-proof";
import { reportInput } from "@sonde/proto/http/reports";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { openTestContext } from "../testing/context.ts";
import { addMailChannel, newWorld, reportContext, weekly, type World } from "../testing/reports.ts";
import { insertChannel } from "../testing/rows.ts";
import type { ReportContext } from "./context.ts";
import { writeReportNotice } from "./mails.ts";
import { makeDue } from "./make.ts";
import { recipientLink } from "./recipients.ts";
import { createReport, getReport, listReports, readReport, removeReport, sendNow, updateReport } from "./reports.ts";

// A Saturday.
const saturdayMs = Date.parse("2026-11-28T12:00:00Z");
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const weekEndMs = Date.parse("2026-11-29T23:00:00Z");

const clock: FakeClock = fakeClock();
let ctx: Context;
let world: World;
let reports: ReportContext;
beforeAll(async () => void (ctx = await openTestContext(clock)));
afterAll(() => ctx.db.destroy());
beforeEach(async () => {
  until(saturdayMs);
  for (const table of ["reports", "report_confirmations", "messages", "channels"]) await ctx.db(table).delete();
  world = newWorld();
  reports = reportContext(ctx, world);
});

const until = (atMs: number) => clock.step(atMs - clock.now());
const makeAll = async () => {
  while ((await makeDue(reports)) > 0);
};
type Mailed = { to: string; subject: string; text: string; html: string; headers: Record<string, string> };
const mails = async (): Promise<Mailed[]> => {
  const rows = await ctx.db("messages").whereNotNull("mailKind").orderBy("id").pluck<string[]>("body");
  return rows.map((body) => JSON.parse(body) as Mailed);
};
const linkIn = ({ text }: { text: string }, path: string) =>
  new RegExp(`https://sonde\\.example\\.com(${path}\\S*)`).exec(text)?.[1] ?? "";
const tokenIn = (link: string) => new URL(link, "https://x").searchParams.get("token") ?? "";

describe("definitions", () => {
  test("are created, changed and deleted", async () => {
    const made = await createReport(reports, weekly());
    expect(made).toMatchObject({
      name: "Shop",
      targets: [{ name: "Checkout" }, { name: "Search" }, { type: "agent", id: 5, name: "web-1" }],
      every: "week",
      recipients: [],
      nextAt: new Date(weekEndMs + 5 * minuteMs).toISOString(),
      issues: [],
    });
    const changed = await updateReport(reports, made.id, { tag: "shop", every: "day", timeZone: "UTC" });
    expect(changed).toMatchObject({ tag: "shop", nextAt: "2026-11-29T00:05:00.000Z" });
    expect(changed.targets).toBeUndefined();
    const { reports: listed, total, publicKey } = await listReports(reports, { page: 1, pageSize: 50, search: "sho" });
    expect([listed, total]).toEqual([[changed], 1]);
    expect(publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----/);
    await removeReport(reports, made.id);
    await expect(getReport(reports, made.id)).rejects.toMatchObject({ code: "not_found" });
  });

  test("cannot lose their scope, but can lose their channel", async () => {
    const channelId = await insertChannel(ctx.db, { type: "ntfy" });
    const { id } = await createReport(reports, weekly({ channelId }));
    await expect(updateReport(reports, id, { targets: null })).rejects.toMatchObject({
      code: "impossible",
      details: [{ path: "targets" }],
    });
    expect((await updateReport(reports, id, { channelId: null })).channelId).toBeUndefined();
  });

  test.each([
    [
      "a monitor",
      {
        targets: [
          { type: "monitor" as const, id: 1 },
          { type: "monitor" as const, id: 99 },
        ],
      },
      "targets.1.id",
    ],
    ["an agent", { targets: [{ type: "agent" as const, id: 1 }] }, "targets.0.id"],
    ["a page", { targets: undefined, pageId: "missing" }, "pageId"],
    ["a channel", { channelId: 99 }, "channelId"],
    ["a channel that can send mail", { recipients: ["a@example.com"] }, "recipients"],
  ])("%s that does not exist is refused with its path", async (_what, given, path) => {
    await expect(createReport(reports, weekly(given))).rejects.toMatchObject({
      code: "impossible",
      details: [{ path }],
    });
  });

  test("a channel for machines is refused", async () => {
    const channelId = await insertChannel(ctx.db, { type: "pagerduty" });
    await expect(createReport(reports, weekly({ channelId }))).rejects.toMatchObject({
      details: [{ path: "channelId" }],
    });
  });

  test.each([
    [{ targets: undefined }, "targets"],
    [{ tag: "shop" }, "targets"],
    [{ every: "hour" }, "every"],
    [{ recipients: ["nobody"] }, "recipients.0"],
    [{ timeZone: "Mars/Olympus" }, "timeZone"],
  ])("the input %j is invalid", (given, path) => {
    const { error } = reportInput.safeParse({ ...weekly(), ...given });
    expect(error?.issues[0]?.path.join(".")).toBe(path);
  });
});

describe("a report", () => {
  test("is made once, five minutes after its period, and never changes", async () => {
    world.outages = [
      { of: "monitor:1", fromMs: weekEndMs - 50 * hourMs, toMs: weekEndMs - 50 * hourMs + 33 * minuteMs },
      { of: "agent:5", fromMs: weekEndMs - 5 * hourMs, toMs: undefined },
      // Before the period.
      { of: "monitor:2", fromMs: weekEndMs - 9 * dayMs, toMs: weekEndMs - 8 * dayMs },
    ];
    const { id } = await createReport(reports, weekly());
    until(weekEndMs + 4 * minuteMs);
    expect(await makeDue(reports)).toBe(0);
    until(weekEndMs + 5 * minuteMs);
    await makeAll();
    const { issues, nextAt } = await getReport(reports, id);
    expect(issues).toMatchObject([{ period: "2026-W48", from: "2026-11-22T23:00:00.000Z", sent: 0 }]);
    expect(Date.parse(nextAt)).toBe(weekEndMs + 7 * dayMs + 5 * minuteMs);
    const { document } = await readReport(reports, { id, period: "2026-W48", format: "html" });
    const { publicKey } = await listReports(reports, { page: 1, pageSize: 1 });
    const { data, problem } = verifyReport(document, publicKey);
    expect(problem).toBeUndefined();
    expect(data!.targets).toMatchObject([
      { name: "Checkout", incidents: 1, longestMinutes: 33, before: { seen: 10_080, up: 10_080 } },
      { name: "Search", incidents: 0, before: { up: 10_080 - 1440 } },
      { name: "web-1", incidents: 1, longestMinutes: 300 },
    ]);
    expect(data!.incidents).toMatchObject([{ name: "Checkout", minutes: 33, cause: "Timed out" }, { name: "web-1" }]);
    expect(data!.incidents[1]?.until).toBeUndefined();
    expect(document).toContain("2 of 3 services were down");
    expect(document).toContain("web-1 was down longest: 5 hours on Sunday.");
    world.outages = [];
    until(weekEndMs + hourMs);
    await makeAll();
    expect((await readReport(reports, { id, period: "2026-W48", format: "html" })).document).toBe(document);
    const csv = await readReport(reports, { id, period: "2026-W48", format: "csv" });
    expect(csv.document.split("\r\n")).toHaveLength(1 + 3 * 7 + 1);
  });

  test("continues the chain of the one before, and only the last missed period is made", async () => {
    const { id } = await createReport(reports, weekly({ every: "day", timeZone: "UTC" }));
    until(Date.parse("2026-11-29T00:10:00Z"));
    await makeAll();
    // No notifier runs for three days.
    until(Date.parse("2026-12-02T09:00:00Z"));
    await makeAll();
    const { issues } = await getReport(reports, id);
    expect(issues.map(({ period }) => period)).toEqual(["2026-12-01", "2026-11-28"]);
    const dataOf = async (period: string) =>
      unpackReport((await readReport(reports, { id, period, format: "html" })).document);
    expect((await dataOf("2026-12-01")).previous).toBe((await dataOf("2026-11-28")).hashes.at(-1));
  });

  test.each(["listMonitors", "listAgents", "countSlots", "agentDays", "listIncidents", "people"])(
    "waits while %s is unavailable",
    async (method) => {
      const mail = await addMailChannel(ctx);
      world.users = ["ada@example.com"];
      const { id } = await createReport(reports, weekly({ recipients: ["ada@example.com"], channelId: mail }));
      world.unavailable.add(method);
      until(weekEndMs + 5 * minuteMs);
      await makeAll();
      expect(await ctx.db("report_issues")).toEqual([]);
      expect(await mails()).toEqual([]);
      world.unavailable.clear();
      expect(await makeDue(reports)).toBe(0);
      clock.step(minuteMs);
      await makeAll();
      expect((await getReport(reports, id)).issues).toMatchObject([{ period: "2026-W48", sent: 1 }]);
      expect(await mails()).toHaveLength(1);
    },
  );

  test("counts days that are no longer stored as unknown, and is refused if all are", async () => {
    world.retainedFromMs = weekEndMs - 3 * dayMs;
    const { id } = await createReport(reports, weekly());
    until(weekEndMs + 5 * minuteMs);
    await makeAll();
    const { document } = await readReport(reports, { id, period: "2026-W48", format: "html" });
    expect(unpackReport(document).targets[0]?.counts).toMatchObject({
      seen: [0, 0, 0, 0, 1440, 1440, 1440],
      monitoredMinutes: [1440, 1440, 1440, 1440, 1440, 1440, 1440],
    });
    await expect(sendNow(reports, { id, period: "2026-W01" })).rejects.toMatchObject({
      code: "impossible",
      details: [{ path: "period", message: "Results of this period are no longer stored" }],
    });
  });

  test("of a page has its targets and names, and no causes; of a tag, all that have it", async () => {
    world.page = { slug: "shop", monitors: [2, 1], agents: [], names: [{ type: "monitor", id: 1, name: "Kasse" }] };
    world.outages = [
      { of: "monitor:1", fromMs: weekEndMs - hourMs, toMs: weekEndMs, cause: "secret.internal refused" },
    ];
    const page = await createReport(reports, weekly({ targets: undefined, pageId: "shop" }));
    const tag = await createReport(reports, weekly({ targets: undefined, tag: "shop", language: "zh-CN" }));
    until(weekEndMs + 5 * minuteMs);
    await makeAll();
    const ofPage = (await readReport(reports, { id: page.id, period: "2026-W48", format: "html" })).document;
    expect(unpackReport(ofPage).targets.map(({ name }) => name)).toEqual(["Search", "Kasse"]);
    expect(ofPage).not.toContain("secret.internal");
    const ofTag = (await readReport(reports, { id: tag.id, period: "2026-W48", format: "html" })).document;
    expect(unpackReport(ofTag).targets.map(({ name }) => name)).toEqual(["Checkout", "Search", "web-1"]);
    expect(ofTag).toContain("3 个服务中有 1 个发生中断：Checkout，星期日共1小时。");
  });

  test("keeps the newest 24", async () => {
    const { id } = await createReport(reports, weekly({ every: "day", timeZone: "UTC" }));
    for (let day = 0; day < 26; day++) {
      clock.step(dayMs);
      await makeAll();
    }
    const { issues } = await getReport(reports, id);
    expect([issues.length, issues[0]?.period, issues.at(-1)?.period]).toEqual([24, "2026-12-23", "2026-11-30"]);
  });
});

describe("sending now", () => {
  test("makes a correction if the report exists", async () => {
    const { id } = await createReport(reports, weekly());
    expect((await sendNow(reports, { id })).issues.map(({ period }) => period)).toEqual(["2026-W47"]);
    const { issues } = await sendNow(reports, { id, period: "2026-W47.2" });
    expect(issues.map(({ period }) => period)).toEqual(["2026-W47.2", "2026-W47"]);
    const { document } = await readReport(reports, { id, period: "2026-W47.2", format: "html" });
    expect(document).toContain("This is a correction");
  });

  test.each([
    ["2026-W48", "This period can be reported from {at}"],
    ["2027-W01", "This period can be reported from {at}"],
    ["2026-11", "Enter a period such as {example}"],
    ["2026-W60", "Enter a period such as {example}"],
  ])("%s is refused: %s", async (period, message) => {
    const { id } = await createReport(reports, weekly());
    const details = [{ path: "period", message }];
    await expect(sendNow(reports, { id, period })).rejects.toMatchObject({ code: "impossible", details });
  });

  test("is limited to ten a day", async () => {
    const { id } = await createReport(reports, weekly());
    for (let time = 0; time < 10; time++) await sendNow(reports, { id });
    await expect(sendNow(reports, { id })).rejects.toMatchObject({ code: "too_many" });
  });
});

describe("recipients", () => {
  beforeEach(async () => {
    await addMailChannel(ctx);
    world.users = ["ada@example.com"];
  });

  test("with an account need not confirm; others receive reports once they have", async () => {
    const recipients = ["Ada@example.com", "customer@example.org"];
    const made = await createReport(reports, weekly({ recipients }));
    const isConfirmed = async () => (await getReport(reports, made.id)).recipients.map((one) => one.isConfirmed);
    expect(await isConfirmed()).toEqual([true, false]);
    const [asked] = await mails();
    expect(asked).toMatchObject({ to: "customer@example.org" });
    expect(asked!.headers["List-Unsubscribe"]).toBeUndefined();
    const token = tokenIn(linkIn(asked!, "/api/reports/recipients"));
    // A mail scanner opens the link.
    expect((await recipientLink(reports, { token, confirms: false })).document).toContain('<form method="post">');
    expect(await isConfirmed()).toEqual([true, false]);
    expect((await sendNow(reports, { id: made.id })).issues[0]?.sent).toBe(1);
    await recipientLink(reports, { token, confirms: true });
    expect(await isConfirmed()).toEqual([true, true]);
    expect((await sendNow(reports, { id: made.id })).issues[0]?.sent).toBe(2);
    expect((await mails()).map(({ to }) => to)).toEqual([
      "customer@example.org",
      "ada@example.com",
      "ada@example.com",
      "customer@example.org",
    ]);
  });

  test("read a short mail with the summary, a link that needs no session, and one to unsubscribe", async () => {
    world.outages = [{ of: "monitor:1", fromMs: weekEndMs - 50 * hourMs, toMs: weekEndMs - 49 * hourMs }];
    const { id } = await createReport(reports, weekly({ recipients: ["ada@example.com"] }));
    until(weekEndMs + 5 * minuteMs);
    await makeAll();
    const [mail] = await mails();
    expect(mail!.subject).toBe("Weekly report: Shop (2026-W48)");
    expect(mail!.text).toContain("1 of 3 services was down: Checkout, 1 hour on Friday.");
    expect(mail!.text).toContain("Checkout: down 1 hour, uptime 99.404%");
    const path = linkIn(mail!, "/api/reports/\\d+/");
    expect(path).toBe((await getReport(reports, id)).issues[0]?.link);
    const read = { id, period: "2026-W48", format: "html" } as const;
    await expect(readReport(reports, { ...read, token: tokenIn(path) })).resolves.toBeDefined();
    await expect(readReport(reports, { ...read, token: "x" })).rejects.toMatchObject({ code: "not_found" });
    await expect(readReport(reports, { ...read, period: "2026-W47", token: tokenIn(path) })).rejects.toMatchObject({
      code: "not_found",
    });
    const unsubscribe =
      /^<https:\/\/sonde\.example\.com(\S+)>$/.exec(mail!.headers["List-Unsubscribe"] ?? "")?.[1] ?? "";
    expect(mail!.headers["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
    await recipientLink(reports, { token: tokenIn(unsubscribe), confirms: true });
    await sendNow(reports, { id });
    expect(await mails()).toHaveLength(1);
    expect((await getReport(reports, id)).recipients).toEqual([{ address: "ada@example.com", isConfirmed: false }]);
  });

  test("must confirm if only their user says that the address is theirs", async () => {
    world.users.push("new@example.com");
    const { recipients } = await createReport(reports, weekly({ recipients: ["new@example.com"] }));
    expect(recipients).toEqual([{ address: "new@example.com", isConfirmed: false }]);
    expect(await mails()).toMatchObject([{ to: "new@example.com", subject: "Confirm that you want reports: Shop" }]);
  });

  test("who lose their account, or are removed, receive nothing", async () => {
    world.users.push("bob@example.com");
    const { id } = await createReport(reports, weekly({ recipients: ["ada@example.com", "bob@example.com"] }));
    world.users = ["bob@example.com"];
    await updateReport(reports, id, { recipients: ["ada@example.com"] });
    await sendNow(reports, { id });
    expect(await mails()).toEqual([]);
  });

  test("cannot be mailed again and again by adding and removing them", async () => {
    const { id } = await createReport(reports, weekly());
    for (const tag of ["", "+a", "+b", "+c"]) {
      await updateReport(reports, id, { recipients: [`stranger${tag}@example.org`] });
      await updateReport(reports, id, { recipients: [] });
    }
    expect(await mails()).toHaveLength(1);
    for (let time = 0; time < 5; time++) {
      clock.step(11 * minuteMs);
      await updateReport(reports, id, { recipients: ["stranger@example.org"] });
      await updateReport(reports, id, { recipients: [] });
    }
    expect(await mails()).toHaveLength(3);
  });

  test("without an account are limited to a hundred a day in total", async () => {
    const addresses = (count: number, host: string) => Array.from({ length: count }, (_, at) => `a${at}@${host}`);
    await createReport(reports, weekly({ recipients: addresses(50, "one.example") }));
    await createReport(reports, weekly({ recipients: addresses(50, "two.example") }));
    const more = createReport(reports, weekly({ recipients: ["b@three.example"] }));
    await expect(more).rejects.toMatchObject({ code: "too_many" });
    expect((await listReports(reports, { page: 1, pageSize: 10 })).total).toBe(2);
    clock.step(dayMs + minuteMs);
    await createReport(reports, weekly({ recipients: ["b@three.example"] }));
  });

  test.each(["", "1", "1.confirm.x", "1.end.x", "1.other.x", "999999999999.end.x"])(
    "the token %j is refused",
    async (token) => {
      await createReport(reports, weekly({ recipients: ["customer@example.org"] }));
      await expect(recipientLink(reports, { token, confirms: true })).rejects.toMatchObject({ code: "invalid" });
    },
  );

  test("cannot confirm after a week", async () => {
    await createReport(reports, weekly({ recipients: ["customer@example.org"] }));
    const token = tokenIn(linkIn((await mails())[0]!, "/api/reports/recipients"));
    clock.step(7 * dayMs + minuteMs);
    await expect(recipientLink(reports, { token, confirms: true })).rejects.toMatchObject({ code: "invalid" });
  });
});

test("a digest goes to a chat channel as a message with what was down", async () => {
  const channelId = await insertChannel(ctx.db, { type: "ntfy" });
  const fromMs = Date.parse("2026-11-27T03:05:00Z");
  world.outages = [{ of: "monitor:1", fromMs, toMs: fromMs + 33 * minuteMs }];
  const { id } = await createReport(reports, weekly({ every: "day", timeZone: "UTC", channelId }));
  await sendNow(reports, { id });
  const [row] = await ctx.db("messages").whereNotNull("notice");
  expect(row).toMatchObject({
    channelId,
    notice: { kind: "report", reportId: id, period: "2026-11-27" },
    status: "pending",
  });
  const message = await writeReportNotice(reports, row.notice as never, row.key as string);
  expect(message).toMatchObject({
    title: "Daily report: Shop (2026-11-27)",
    tone: "bad",
    fields: [{ label: "Checkout", value: "since 03:05, 33 minutes\nTimed out" }],
    links: [{ label: "Read the report" }],
  });
  expect(message!.text).toMatch(/^1 of 3 services was down: Checkout, 33 minutes\. /);
  await removeReport(reports, id);
  expect(await writeReportNotice(reports, row.notice as never, "k")).toBeUndefined();
});
