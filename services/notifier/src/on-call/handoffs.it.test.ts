import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { channelOf } from "../channels/registry.ts";
import { changeOf, type DecidingBed, minuteMs, noonMs, openBed } from "../testing/bed.ts";
import { openTables, uniqueSchema } from "../testing/rows.ts";
import { type NoticeContext, writeNotice } from "./handoff-message.ts";
import { planHandoff } from "./handoffs.ts";
import { languageOfPerson, type Notice, pruneNotices } from "./notices.ts";

const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let bed: DecidingBed;
beforeEach(async () => {
  bed = await openBed();
  for (const [id, name] of [
    [1, "Ada"],
    [2, "Ben"],
    [3, "Eve"],
  ] as const)
    bed.person(id, { name, email: `${name}@example.com` });
});
afterEach(() => bed.db.destroy());

type Rotation = { members?: number[]; every?: object; time?: string; from?: string };

/** Users 1 and 2 change at noon each day; user 1 has just begun. */
async function schedule({ members = [1, 2], every = { n: 1, unit: "day" }, time = "12:00", from }: Rotation = {}) {
  const layer = { members, every, handoff: { time }, from: from ?? "2026-05-04" };
  const value = JSON.stringify({ timeZone: "UTC", layers: [layer] });
  const row = { name: "Ops", value, createdAtMs: 0, updatedAtMs: 0 };
  const [made] = await bed.db("schedules").insert(row).returning<{ id: number }[]>("id");
  await bed.pass(0);
  return made!.id;
}
const override = async (scheduleId: number, userId: number, startMs: number, endMs: number) => {
  await bed.db("overrides").insert({ scheduleId, userId, startMs, endMs });
  await planHandoff(bed.db, scheduleId);
};

async function contacts(userId: number, rules: object[], given: object = {}) {
  const value = JSON.stringify({ timeZone: "UTC", night: null, rules, ...given });
  await bed.db("contacts").insert({ userId, value, updatedAtMs: 0 });
}
const ntfy = (userId: number) => bed.channel({ name: `user ${userId} · ntfy`, userId });

type Row = { key: string; channelId: number; notice: Notice & { startMs: number }; dueAtMs: number };
const rows = () => bed.db("messages").whereNotNull("notice").orderBy("id").select<Row[]>();
/** `2 at +24 h`: whom, and when the message is due. */
const told = async () =>
  (await rows()).map(({ notice, dueAtMs }) => `${notice.userId} at +${(dueAtMs - noonMs) / hourMs} h`);

test("whoever's shift begins gets one message; the first person of a new schedule gets none", async () => {
  await bed.channel({ type: "smtp" });
  await schedule();
  expect(await told()).toEqual([]);
  await bed.pass(dayMs - 1);
  expect(await told()).toEqual([]);
  await bed.pass(1);
  expect(await told()).toEqual(["2 at +24 h"]);
  await bed.pass(hourMs);
  await bed.pass(23 * hourMs);
  expect(await told()).toEqual(["2 at +24 h", "1 at +48 h"]);
});

test("an idle schedule is not computed again before its next handoff", async () => {
  const id = await schedule({ every: { n: 1, unit: "week" } });
  const planned = () => bed.db("schedules").where({ id }).first("handoff_at_ms", "handed_to");
  expect(await planned()).toEqual({ handoffAtMs: noonMs + 7 * dayMs, handedTo: 1 });
  await schedule({ members: [1] });
  expect(await bed.db("schedules").max("handoff_at_ms as ms").first()).toEqual({ ms: noonMs + 30 * dayMs });
});

test("the same person again gets no message, also after a gap or a turn of their own", async () => {
  await bed.channel({ type: "smtp" });
  await schedule({ members: [1] });
  await schedule({ members: [2, 2, 1] });
  await bed.pass(dayMs);
  expect(await told()).toEqual([]);
  await bed.pass(dayMs);
  expect(await told()).toEqual(["1 at +48 h"]);
});

test("an override tells its person, and the other one when it ends; short shifts too", async () => {
  await bed.channel({ type: "smtp" });
  const id = await schedule();
  await override(id, 3, noonMs + hourMs, noonMs + 1.5 * hourMs);
  await bed.pass(hourMs);
  await bed.pass(hourMs);
  await bed.pass(0);
  expect(await told()).toEqual(["3 at +1 h", "1 at +2 h"]);
  expect((await rows())[1]?.notice.startMs).toBe(noonMs + 1.5 * hourMs);
});

test("a deleted override tells nobody twice", async () => {
  await bed.channel({ type: "smtp" });
  const id = await schedule();
  await bed.pass(dayMs);
  await override(id, 3, noonMs + dayMs, noonMs + dayMs + hourMs);
  await bed.pass(minuteMs);
  await bed.db("overrides").delete();
  await planHandoff(bed.db, id);
  await bed.pass(minuteMs);
  expect((await rows()).map(({ notice }) => notice.userId)).toEqual([2, 3]);
});

test("after an outage only the person who is on call now gets a message", async () => {
  await bed.channel({ type: "smtp" });
  await schedule({ members: [1, 2, 3] });
  await bed.pass(2 * dayMs + hourMs);
  expect((await rows()).map(({ notice }) => [notice.userId, notice.startMs])).toEqual([[3, noonMs + 2 * dayMs]]);
});

test("deleted and disabled users are left out", async () => {
  await bed.channel({ type: "smtp" });
  bed.person(2, { name: "Ben", isDisabled: true });
  await schedule();
  await bed.pass(dayMs);
  expect(await told()).toEqual([]);
});

describe("the way", () => {
  test("is the first contact of low urgency; of push, all devices", async () => {
    const own = await ntfy(2);
    const devices = [
      await bed.channel({ userId: 2, type: "web-push" }),
      await bed.channel({ userId: 2, type: "web-push" }),
    ];
    const rules = [
      { urgency: "high", after: 0, via: "ntfy", channelId: own },
      { urgency: "low", after: 30, via: "ntfy", channelId: own },
      { urgency: "low", after: 5, via: "push" },
    ];
    await contacts(2, rules);
    await schedule();
    await bed.pass(dayMs);
    expect((await rows()).map(({ channelId }) => channelId)).toEqual(devices);
  });

  test("is mail without rules; without mail, a contact of high urgency; never a machine", async () => {
    const [own, machine] = [await ntfy(2), await bed.channel({ userId: 2, type: "webhook" })];
    const rules = [
      { urgency: "high", after: 0, via: "webhook", channelId: machine },
      { urgency: "high", after: 1, via: "ntfy", channelId: own },
    ];
    await contacts(2, rules);
    await schedule();
    await bed.pass(dayMs);
    expect((await rows()).map(({ channelId }) => channelId)).toEqual([own]);
    await bed.channel({ type: "smtp" });
    await bed.pass(dayMs);
    await bed.pass(dayMs);
    const mail = (await rows()).at(-1);
    expect(await bed.db("channels").where({ id: mail?.channelId }).first()).toMatchObject({
      isAccount: true,
      userId: 2,
    });
  });

  test("is closed for those who switched it off", async () => {
    await bed.channel({ type: "smtp" });
    await contacts(2, [], { handoff: false });
    await schedule();
    await bed.pass(dayMs);
    expect(await told()).toEqual([]);
  });
});

test("a person's night holds the message until it ends", async () => {
  await bed.channel({ type: "smtp" });
  await contacts(2, [], { night: { start: "11:00", end: "14:00" } });
  await schedule();
  await bed.pass(dayMs);
  expect(await told()).toEqual(["2 at +26 h"]);
});

test("three notifiers tell each person once", async () => {
  await bed.channel({ type: "smtp" });
  for (let count = 0; count < 20; count += 1) await schedule();
  bed.clock.advance(dayMs);
  await Promise.all([bed.pass(0), bed.pass(0), bed.pass(0)]);
  expect(await rows()).toHaveLength(20);
});

test("killed notifiers tell each person once a shift", async () => {
  const schema = uniqueSchema();
  const killed = await openBed({ db: await openTables(schema) });
  await killed.channel({ type: "ntfy", userId: 1 });
  const channelId = await killed.channel({ type: "ntfy", userId: 2 });
  const rules = [{ urgency: "low", after: 0, via: "ntfy", channelId }];
  const value = JSON.stringify({ timeZone: "UTC", night: null, rules });
  await killed.db("contacts").insert({ userId: 2, value, updatedAtMs: 0 });
  const shift = { members: [2], every: { n: 1, unit: "day" }, handoff: { time: "00:00" }, from: "2026-01-01" };
  const all = 400;
  const row = {
    name: "Ops",
    value: JSON.stringify({ timeZone: "UTC", layers: [shift] }),
    createdAtMs: 0,
    updatedAtMs: 0,
  };
  await killed.db("schedules").insert(Array.from({ length: all }, () => ({ ...row, handedTo: 1, handoffAtMs: 0 })));
  const count = async () => Number((await killed.db("messages").count("* as count").first())?.count);
  const run = () => {
    const child = spawn(process.execPath, [new URL("../testing/escalate-process.ts", import.meta.url).pathname], {
      env: { ...process.env, SCHEMA: schema, DATABASE_URL: inject("databaseUrl") },
      stdio: ["ignore", "ignore", "inherit"],
    });
    return { child, dead: once(child, "exit") };
  };
  // In the middle of the transaction, then after it.
  for (const isOver of [false, true]) {
    const { child, dead } = run();
    await expect
      .poll(() => (isOver ? count() : isWriting(killed)), { interval: 2, timeout: 60_000 })
      .toBe(isOver ? all : true);
    child.kill("SIGKILL");
    await dead;
  }
  killed.clock.step(Date.now() - killed.clock.now());
  await killed.pass(0);
  expect(await count()).toBe(all);
  await killed.db.destroy();
});

async function isWriting({ db }: DecidingBed): Promise<boolean> {
  const { rows: found } = await db.raw<{ rows: unknown[] }>(
    `select from pg_locks join pg_class on pg_class.oid = relation
     where relname = 'messages' and mode = 'RowExclusiveLock' and relnamespace = current_schema()::regnamespace`,
  );
  return found.length > 0;
}

describe("the message", () => {
  const base = (): NoticeContext => ({ ...bed, publicUrl: "https://sonde.example.com", quiet: async () => quiet });
  let quiet: { name: string; isMaintenance: boolean; untilMs: number }[];
  beforeEach(async () => {
    quiet = [];
    await bed.set("global-monitor", { language: "en-US" });
  });

  async function write(given: Partial<NoticeContext> = {}) {
    const [row] = (await rows()).slice(-1);
    return writeNotice({ ...base(), ...given }, row!.notice, row!.key);
  }

  test("says until when, who is next, what is open, what happened, and what is quiet", async () => {
    await bed.channel({ type: "smtp" });
    const id = await schedule();
    const opened = (of: string, hours: number, incident = {}) =>
      changeOf("opened", { of, incident: { openedAtMs: noonMs + hours * hourMs, ...incident } });
    const closed = (of: string, hours: number) =>
      changeOf("closed", { of, incident: { openedAtMs: noonMs + hourMs, closedAtMs: noonMs + hours * hourMs } });
    await bed.apply(opened("monitor:1", 1), opened("monitor:2", 1), opened("monitor:3", 20), closed("monitor:2", 3));
    await bed.apply(changeOf("acknowledged", { incident: { acknowledgedBy: ["Ada"], revision: 1 } }));
    await bed.apply(closed("monitor:1", 9));
    await bed.apply(opened("monitor:4", 23, { acknowledgedBy: [] }));
    await bed.apply(
      changeOf("acknowledged", { of: "monitor:4", incident: { acknowledgedBy: ["Ada", "Eve"], revision: 1 } }),
    );
    await bed.pass(dayMs);
    quiet = [
      { name: "shop", isMaintenance: false, untilMs: noonMs + 25 * hourMs },
      { name: "Upgrade", isMaintenance: true, untilMs: noonMs + 26 * hourMs },
    ];
    const message = await write();
    expect(message?.title).toBe("You are on call: Ops");
    expect(message?.text).toBe(
      `Until 2026-05-06 12:00 UTC. Then Ada is on call.

2 open incidents:
• the monitor:3: Timed out (since 2026-05-05 08:00, not acknowledged)
• the monitor:4: Timed out (since 2026-05-05 11:00, acknowledged by Ada, Eve)

Last shift (Ada, since 2026-05-04 12:00): 4 incidents.
The longest was the monitor:1: 8 hours.

Silenced or in maintenance:
• shop until 2026-05-05 13:00
• Maintenance “Upgrade” until 2026-05-05 14:00`,
    );
    expect(message?.links).toEqual([
      { label: "Open incidents", url: "https://sonde.example.com/incidents?open=true&lang=en-US" },
      { label: "Longest incident", url: "https://sonde.example.com/incidents/m1?lang=en-US" },
      { label: "Schedule", url: `https://sonde.example.com/on-call?schedule=${id}&lang=en-US` },
    ]);
    const mail = JSON.parse(channelOf("smtp").compose(message!, {} as never, undefined)) as { subject: string };
    expect(mail.subject).toBe("You are on call: Ops");
  });

  test("is in the person's language and time zone", async () => {
    await bed.channel({ type: "smtp" });
    await contacts(2, [], { language: "zh-CN", timeZone: "Asia/Shanghai" });
    await schedule();
    await bed.pass(dayMs);
    const message = await write({ quiet: () => Promise.reject(new Error("unavailable")), publicUrl: null });
    expect(message?.title).toBe("开始值班：Ops");
    expect(message?.text.split("\n\n")).toEqual([
      "本班次到 2026-05-06 20:00 UTC+08:00 结束。下一位：Ada。",
      "没有进行中的事件。",
      "上一班（Ada，2026-05-04 20:00 起）：没有事件。",
      "暂时无法读取静默和维护窗口。",
    ]);
    expect(message?.links).toEqual([]);
    expect(await languageOfPerson(bed.db, 2)).toBe("zh-CN");
  });

  test("names a gap after the shift, and lists at most ten incidents", async () => {
    await bed.channel({ type: "smtp" });
    const id = await schedule();
    const only = [{ days: [1, 2, 3, 4, 5, 6, 7], start: "08:00", end: "18:00" }];
    const layer = {
      members: [1, 2],
      every: { n: 1, unit: "day" },
      handoff: { time: "00:00" },
      from: "2026-05-04",
      only,
    };
    await bed
      .db("schedules")
      .where({ id })
      .update({ value: JSON.stringify({ timeZone: "UTC", layers: [layer] }) });
    await planHandoff(bed.db, id);
    await bed.apply(...Array.from({ length: 12 }, (_, at) => changeOf("opened", { of: `monitor:${at + 1}` })));
    await bed.pass(dayMs);
    const lines = (await write())?.text.split("\n") ?? [];
    expect(lines[0]).toBe(
      "Until 2026-05-05 18:00 UTC. Then nobody is on call until 2026-05-06 08:00, when Ada begins.",
    );
    expect(lines.filter((line) => line.startsWith("•"))).toHaveLength(11);
    expect(lines).toContain("• and 2 more");
  });

  test("is not sent once somebody else is on call or the schedule is deleted", async () => {
    await bed.channel({ type: "smtp" });
    await schedule();
    await bed.pass(dayMs);
    bed.clock.advance(dayMs);
    expect(await write()).toBeUndefined();
    await bed.db("schedules").delete();
    expect(await write()).toBeUndefined();
  });
});

test("old messages are deleted once they are settled", async () => {
  await bed.channel({ type: "smtp" });
  await schedule();
  await bed.pass(dayMs);
  const laterMs = noonMs + 30 * dayMs;
  expect(await pruneNotices(bed.db, laterMs)).toBe(0);
  await bed.db("messages").update({ status: "delivered" });
  expect(await pruneNotices(bed.db, noonMs)).toBe(0);
  expect(await pruneNotices(bed.db, laterMs)).toBe(1);
});
