import type { MaintenanceSpan } from "@sonde/domain/maintenance/spans";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type DecidingBed, changeOf, minuteMs, noonMs, openBed } from "../testing/bed.ts";

const hourMs = 60 * minuteMs;
let bed: DecidingBed;
let chat: number;
let hook: number;
let spans: Map<string, MaintenanceSpan>;
beforeEach(async () => {
  spans = new Map();
  bed = await openBed({ spans });
  chat = await bed.channel();
  hook = await bed.channel({ type: "webhook" });
  await bed.set("global-monitor", { channels: [chat, hook], cooldownMinutes: 30 });
  await bed.set("global-agent", { channels: [chat, hook], cooldownMinutes: 0 });
});
afterEach(() => bed.db.destroy());

const toBoth = (text: string) => [`${text} to ${chat}`, `${text} to ${hook}`];
const anHour = () => bed.maintain("monitor:1", noonMs, noonMs + hourMs);
/** Of those that wait: until how many minutes from noon. */
const heldMinutes = async () => {
  const rows = await bed.db("decisions").where({ outcome: "held" }).orderBy("id");
  return rows.map(({ untilMs }) => (untilMs - noonMs) / minuteMs);
};

test("what goes down and comes up again within its maintenance is told to nobody, neither people nor machines", async () => {
  await anHour();
  await bed.apply(changeOf("opened"));
  expect(await bed.decided()).toEqual(toBoth("m1 opened").map((text) => `${text}: held maintenance`));
  await bed.pass(30 * minuteMs);
  await bed.apply(changeOf("closed"));
  await bed.pass(2 * hourMs);
  expect(await bed.told()).toEqual([]);
  expect(await bed.decided()).toContain(`m1 opened to ${hook}: skipped ended_before`);
  expect(await bed.decided()).toContain(`m1 closed to ${hook}: skipped opening_not_told`);
});

test("what is still down at the end is told then, once, and its recovery after it", async () => {
  await anHour();
  await bed.apply(changeOf("opened"));
  await bed.pass(hourMs - 1);
  expect(await bed.told()).toEqual([]);
  await bed.pass(1);
  expect(await bed.told()).toEqual(toBoth("m1 opened"));
  await bed.pass(minuteMs);
  await bed.apply(changeOf("closed"));
  expect(await bed.told()).toEqual([...toBoth("m1 opened"), ...toBoth("m1 closed")]);
});

test("others are told meanwhile, also an agent of the same id", async () => {
  await anHour();
  for (const of of ["monitor:1", "monitor:2", "agent:1"]) await bed.apply(changeOf("opened", { of }));
  expect(await bed.told()).toEqual([...toBoth("m2 opened"), ...toBoth("a1 opened")]);
});

test("a threshold that is passed, and data that is missing, wait as well", async () => {
  await bed.maintain("agent:1", noonMs, noonMs + hourMs);
  await anHour();
  await bed.apply(
    changeOf("opened", { of: "agent:1", incident: { id: "a1", kind: "threshold", metric: "cpu" } }),
    changeOf("opened", { incident: { id: "m1", kind: "stale" } }),
  );
  expect(await bed.told()).toEqual([]);
});

test("maintenance that is planned while an incident is open holds its reminders alone, and tells one at the end", async () => {
  await bed.apply(changeOf("opened"));
  expect(await bed.told()).toEqual(toBoth("m1 opened"));
  await bed.pass(10 * minuteMs);
  await bed.maintain("monitor:1", noonMs + 10 * minuteMs, noonMs + 3 * hourMs);
  for (let each = 0; each < 16; each++) await bed.pass(10 * minuteMs);
  expect(await bed.told()).toHaveLength(2);
  await bed.pass(10 * minuteMs);
  expect(await bed.told()).toEqual([...toBoth("m1 opened"), ...toBoth("m1 reminder:1")]);
  await bed.apply(changeOf("closed"));
  expect((await bed.told()).slice(4)).toEqual(toBoth("m1 closed"));
});

test("an incident that was told before may close during maintenance, and that is told", async () => {
  await bed.apply(changeOf("opened"));
  await anHour();
  await bed.apply(changeOf("closed"));
  expect(await bed.told()).toEqual([...toBoth("m1 opened"), ...toBoth("m1 closed")]);
});

test("flapping, and its end, wait for the end of the maintenance", async () => {
  await bed.apply(changeOf("opened"));
  await anHour();
  await bed.apply(changeOf("flapping", { atMs: noonMs + 1 }));
  expect(await bed.told()).toEqual(toBoth("m1 opened"));
  await bed.pass(hourMs);
  expect((await bed.told()).filter((text) => text.includes("flapping"))).toEqual(toBoth("m1 flapping:" + (noonMs + 1)));
});

test("a window that is prolonged holds on, one that is shortened lets go", async () => {
  await anHour();
  await bed.apply(changeOf("opened"));
  await bed.maintain("monitor:1", noonMs, noonMs + 2 * hourMs);
  expect(await heldMinutes()).toEqual([120, 120]);
  await bed.pass(hourMs);
  expect(await bed.told()).toEqual([]);
  await bed.maintain("monitor:1", noonMs, noonMs + 90 * minuteMs);
  expect(await heldMinutes()).toEqual([90, 90]);
  await bed.pass(30 * minuteMs);
  expect(await bed.told()).toEqual(toBoth("m1 opened"));
});

test("a window that is prolonged while nobody looked at what it holds holds on", async () => {
  await anHour();
  await bed.apply(changeOf("opened"));
  spans.set("monitor:1", { fromMs: noonMs, toMs: noonMs + 2 * hourMs });
  await bed.pass(hourMs);
  expect(await bed.told()).toEqual([]);
  expect(await heldMinutes()).toEqual([120, 120]);
});

test("a window that is deleted lets go at once", async () => {
  await anHour();
  await bed.apply(changeOf("opened"));
  await bed.maintain("monitor:1", 0, 0);
  await bed.pass(0);
  expect(await bed.told()).toEqual(toBoth("m1 opened"));
});

test("at the end the quiet hours hold people, and an open incident of what it depends on everybody", async () => {
  await bed.set("global-monitor", {
    channels: [chat, hook],
    quietHours: { start: "12:30", end: "20:00", timeZone: "UTC" },
  });
  await anHour();
  await bed.maintain("monitor:2", noonMs, noonMs + hourMs);
  const child = changeOf("opened", { of: "monitor:2", facts: { dependsOn: [{ type: "monitor", id: 9 }] } });
  await bed.apply(changeOf("opened", { of: "monitor:9" }), changeOf("opened"), child);
  expect(await bed.decided()).toContain(`m2 opened to ${hook}: held maintenance`);
  await bed.pass(hourMs);
  expect((await bed.told()).filter((text) => !text.startsWith("m9"))).toEqual([`m1 opened to ${hook}`]);
  expect(await bed.decided()).toEqual(
    expect.arrayContaining([`m1 opened to ${chat}: held quiet_hours`, `m2 opened to ${hook}: held dependency`]),
  );
});

test("a parent in maintenance holds its children as one that was told", async () => {
  await bed.maintain("monitor:9", noonMs, noonMs + hourMs);
  const child = changeOf("opened", { facts: { dependsOn: [{ type: "monitor", id: 9 }] } });
  await bed.apply(changeOf("opened", { of: "monitor:9" }), child);
  expect(await bed.told()).toEqual([]);
  await bed.pass(hourMs);
  expect(await bed.told()).toEqual(toBoth("m9 opened"));
  expect(await bed.decided()).toContain(`m1 opened to ${hook}: held dependency`);
});

test("a notifier that starts after the end tells what is still down once, and nobody of what was over before", async () => {
  await anHour();
  await bed.maintain("monitor:2", noonMs, noonMs + hourMs);
  await bed.apply(changeOf("opened"), changeOf("opened", { of: "monitor:2" }));
  const later = await openBed({ db: bed.db, spans, startMs: noonMs + 2 * hourMs });
  // What happened meanwhile comes first.
  await later.apply(changeOf("closed", { of: "monitor:2" }));
  await later.pass(0);
  await later.pass(0);
  expect(await later.told()).toEqual(toBoth("m1 opened"));
});

test("an opening that is heard of after the maintenance in which it opened waits for a closing that may be on its way", async () => {
  await bed.maintain("monitor:1", noonMs - hourMs, noonMs - minuteMs);
  await bed.maintain("monitor:2", noonMs - hourMs, noonMs - minuteMs);
  const incident = { openedAtMs: noonMs - 30 * minuteMs };
  await bed.apply(
    changeOf("opened", { incident: { ...incident, id: "m1" } }),
    changeOf("opened", { of: "monitor:2", incident: { ...incident, id: "m2" } }),
  );
  await bed.apply(changeOf("closed", { incident: { ...incident, id: "m1", closedAtMs: noonMs - 20 * minuteMs } }));
  expect(await bed.told()).toEqual([]);
  await bed.pass(10_000);
  expect(await bed.told()).toEqual(toBoth("m2 opened"));
});

test("a window that changes meanwhile does not cut that wait short", async () => {
  await bed.maintain("monitor:1", noonMs - hourMs, noonMs - minuteMs);
  const incident = { id: "m1", openedAtMs: noonMs - 30 * minuteMs };
  await bed.apply(changeOf("opened", { incident }));
  await bed.maintain("monitor:3", noonMs, noonMs + hourMs);
  await bed.pass(1000);
  await bed.apply(changeOf("closed", { incident: { ...incident, closedAtMs: noonMs - 20 * minuteMs } }));
  await bed.pass(10_000);
  expect(await bed.told()).toEqual([]);
});

test("two notifiers tell what is still down at the end once, while windows move and incidents close", async () => {
  const other = await openBed({ db: bed.db, spans });
  const targets = Array.from({ length: 30 }, (_, index) => `monitor:${index + 1}`);
  for (const target of targets) spans.set(target, { fromMs: noonMs, toMs: noonMs + hourMs });
  await bed.apply(...targets.map((of) => changeOf("opened", { of })));
  bed.clock.advance(hourMs);
  other.clock.advance(hourMs);
  await Promise.all([
    bed.pass(0),
    other.pass(0),
    other.maintain("monitor:40", noonMs, noonMs + hourMs),
    other.apply(...targets.slice(0, 10).map((of) => changeOf("closed", { of }))),
    bed.pass(0),
  ]);
  const opened = (await bed.told()).filter((text) => text.includes("opened") && text.endsWith(`to ${hook}`));
  expect(new Set(opened).size).toBe(opened.length);
  expect(opened.length).toBeGreaterThanOrEqual(20);
  const closed = (await bed.told()).filter((text) => text.includes("closed") && text.endsWith(`to ${hook}`));
  expect(closed).toHaveLength(opened.length - 20);
});

test("a silent location follows the settings of all monitors, whatever the monitor has that stands for it", async () => {
  await bed.set("monitor", { enabled: false }, 1);
  await anHour();
  const silent = { kind: "stale", cause: "No runner at default: its monitors get no results" } as const;
  await bed.apply(changeOf("opened", { incident: { id: "m7", ...silent, metric: "default" } }));
  expect(await bed.told()).toEqual(toBoth("m7 opened"));
  await bed.apply(changeOf("opened", { incident: { id: "m8", ...silent } }));
  expect(await bed.told()).toEqual(toBoth("m7 opened"));
});
