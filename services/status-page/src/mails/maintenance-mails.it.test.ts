import { afterEach, beforeEach, expect, test } from "vitest";
import { deleteMaintenance } from "../maintenance/maintenance.ts";
import { type MaintenanceBed, hourMs, openBed } from "../maintenance/testing/bed.ts";
import { type MailingBed, openMailing } from "../testing/mailing.ts";
import { queueBegunMailings } from "./mailings.ts";

const minuteMs = 60_000;
let windows: MaintenanceBed;
let mails: MailingBed;
beforeEach(async () => {
  windows = await openBed();
  mails = await openMailing({}, windows);
  await mails.join("reader@example.com");
});
afterEach(() => windows.ctx.db.destroy());

const sentMails = () => mails.sent.slice(1).map(({ subject }) => subject.replace("[Example status] ", ""));
const pass = async (durationMs: number) => {
  windows.clock.advance(durationMs);
  await queueBegunMailings(windows.ctx.db, windows.clock.now());
  await mails.run();
};

test("planned maintenance is mailed when it is created, with times in its own zone, and again when it begins", async () => {
  await windows.plan({
    start: 2,
    end: 4,
    monitors: [1, 3],
    agents: [1],
    note: "New **disks**",
    timeZone: "Asia/Tokyo",
  });
  await pass(0);
  expect(sentMails()).toEqual(["Scheduled maintenance: Upgrade"]);
  const mail = mails.sent.at(-1);
  expect(mail?.text).toContain("Time: Mar 1, 2026, 11:00 PM (Asia/Tokyo) – Mar 2, 2026, 1:00 AM (Asia/Tokyo)");
  expect(mail?.text).toContain("Affected: Shop\n");
  expect(mail?.text).toContain("New disks");
  expect(mail?.html).toContain("New <strong>disks</strong>");
  await pass(hourMs);
  expect(sentMails()).toHaveLength(1);
  await pass(hourMs);
  await pass(minuteMs);
  await pass(2 * hourMs);
  expect(sentMails()).toEqual(["Scheduled maintenance: Upgrade", "Maintenance started: Upgrade"]);
  expect(JSON.stringify(mails.sent)).not.toContain("canary");
});

test("repeated moves are mailed once in ten minutes, and the last plan in any case", async () => {
  const { id } = await windows.plan({ start: 2, end: 4 });
  await pass(0);
  for (let hour = 3; hour < 8; hour += 1) {
    await windows.change(id, { start: hour, end: hour + 1 });
    await pass(minuteMs);
  }
  expect(sentMails()).toHaveLength(1);
  await pass(5 * minuteMs);
  expect(sentMails()).toHaveLength(2);
  expect(mails.sent.at(-1)?.text).toContain("Mar 1, 2026, 7:00 PM (UTC)");
  await pass(hourMs);
  expect(sentMails()).toHaveLength(2);
});

test("neither private windows, other changes nor withdrawn plans are mailed", async () => {
  await windows.plan({ start: 1, end: 2, public: false });
  const { id } = await windows.plan({ start: 5, end: 6 });
  await pass(minuteMs);
  await windows.change(id, { note: "More words", monitors: [2] });
  await windows.change(id, { start: 7, end: 8 });
  await deleteMaintenance(windows.ctx, id);
  await pass(20 * minuteMs);
  await pass(8 * hourMs);
  expect(sentMails()).toEqual(["Scheduled maintenance: Upgrade"]);
});

test("maintenance that begins at once is mailed as started, and not again when its targets change", async () => {
  const { id } = await windows.plan({ start: 0, end: 3 });
  await pass(minuteMs);
  await windows.change(id, { monitors: [2] });
  await pass(minuteMs);
  expect(sentMails()).toEqual(["Maintenance started: Upgrade"]);
});

test("each occurrence of a recurring window is mailed when it begins; the plan says that it recurs", async () => {
  await windows.plan({ start: 1, end: 2, rrule: "FREQ=DAILY;COUNT=2" });
  await pass(0);
  expect(mails.sent.at(-1)?.text).toContain("This maintenance recurs");
  await pass(hourMs);
  await pass(24 * hourMs);
  await pass(24 * hourMs);
  expect(sentMails().filter((subject) => subject.includes("started"))).toHaveLength(2);
});
