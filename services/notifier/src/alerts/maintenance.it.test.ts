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
/** Ends of deferred alerts, in minutes after noon. */
const deferredMinutes = async () => {
  const rows = await bed.db("decisions").where({ outcome: "held" }).orderBy("id");
  return rows.map(({ untilMs }) => (untilMs - noonMs) / minuteMs);
};

test("does not send an incident that opens and closes within maintenance, neither to people nor machines", async () => {
  await anHour();
  await bed.apply(changeOf("opened"));
  expect(await bed.decided()).toEqual(toBoth("m1 opened").map((text) => `${text}: held maintenance`));
  await bed.pass(30 * minuteMs);
  await bed.apply(changeOf("closed"));
  await bed.pass(2 * hourMs);
  expect(await bed.notifications()).toEqual([]);
  expect(await bed.decided()).toContain(`m1 opened to ${hook}: skipped ended_before`);
  expect(await bed.decided()).toContain(`m1 closed to ${hook}: skipped opening_not_told`);
});

test("sends an incident that is still open at the end once, and then its recovery", async () => {
  await anHour();
  await bed.apply(changeOf("opened"));
  await bed.pass(hourMs - 1);
  expect(await bed.notifications()).toEqual([]);
  await bed.pass(1);
  expect(await bed.notifications()).toEqual(toBoth("m1 opened"));
  await bed.pass(minuteMs);
  await bed.apply(changeOf("closed"));
  expect(await bed.notifications()).toEqual([...toBoth("m1 opened"), ...toBoth("m1 closed")]);
});

test("other targets are sent, including an agent with the same id", async () => {
  await anHour();
  for (const of of ["monitor:1", "monitor:2", "agent:1"]) await bed.apply(changeOf("opened", { of }));
  expect(await bed.notifications()).toEqual([...toBoth("m2 opened"), ...toBoth("a1 opened")]);
});

test("defers threshold and stale incidents", async () => {
  await bed.maintain("agent:1", noonMs, noonMs + hourMs);
  await anHour();
  await bed.apply(
    changeOf("opened", { of: "agent:1", incident: { id: "a1", kind: "threshold", metric: "cpu" } }),
    changeOf("opened", { incident: { id: "m1", kind: "stale" } }),
  );
  expect(await bed.notifications()).toEqual([]);
});

test("maintenance planned during an incident only defers its reminders, and one is sent at the end", async () => {
  await bed.apply(changeOf("opened"));
  expect(await bed.notifications()).toEqual(toBoth("m1 opened"));
  await bed.pass(10 * minuteMs);
  await bed.maintain("monitor:1", noonMs + 10 * minuteMs, noonMs + 3 * hourMs);
  for (let each = 0; each < 16; each++) await bed.pass(10 * minuteMs);
  expect(await bed.notifications()).toHaveLength(2);
  await bed.pass(10 * minuteMs);
  expect(await bed.notifications()).toEqual([...toBoth("m1 opened"), ...toBoth("m1 reminder:1")]);
  await bed.apply(changeOf("closed"));
  expect((await bed.notifications()).slice(4)).toEqual(toBoth("m1 closed"));
});

test("sends a closing during maintenance if the opening was sent", async () => {
  await bed.apply(changeOf("opened"));
  await anHour();
  await bed.apply(changeOf("closed"));
  expect(await bed.notifications()).toEqual([...toBoth("m1 opened"), ...toBoth("m1 closed")]);
});

test("defers flapping and its end until maintenance ends", async () => {
  await bed.apply(changeOf("opened"));
  await anHour();
  await bed.apply(changeOf("flapping", { atMs: noonMs + 1 }));
  expect(await bed.notifications()).toEqual(toBoth("m1 opened"));
  await bed.pass(hourMs);
  expect((await bed.notifications()).filter((text) => text.includes("flapping"))).toEqual(
    toBoth("m1 flapping:" + (noonMs + 1)),
  );
});

test("an extended window defers longer, a shortened one less", async () => {
  await anHour();
  await bed.apply(changeOf("opened"));
  await bed.maintain("monitor:1", noonMs, noonMs + 2 * hourMs);
  expect(await deferredMinutes()).toEqual([120, 120]);
  await bed.pass(hourMs);
  expect(await bed.notifications()).toEqual([]);
  await bed.maintain("monitor:1", noonMs, noonMs + 90 * minuteMs);
  expect(await deferredMinutes()).toEqual([90, 90]);
  await bed.pass(30 * minuteMs);
  expect(await bed.notifications()).toEqual(toBoth("m1 opened"));
});

test("a window extended before its deferrals were checked defers longer", async () => {
  await anHour();
  await bed.apply(changeOf("opened"));
  spans.set("monitor:1", { fromMs: noonMs, toMs: noonMs + 2 * hourMs });
  await bed.pass(hourMs);
  expect(await bed.notifications()).toEqual([]);
  expect(await deferredMinutes()).toEqual([120, 120]);
});

test("a deleted window stops deferring at once", async () => {
  await anHour();
  await bed.apply(changeOf("opened"));
  await bed.maintain("monitor:1", 0, 0);
  await bed.pass(0);
  expect(await bed.notifications()).toEqual(toBoth("m1 opened"));
});

test("at the end of maintenance, quiet hours and dependencies can defer further", async () => {
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
  expect((await bed.notifications()).filter((text) => !text.startsWith("m9"))).toEqual([`m1 opened to ${hook}`]);
  expect(await bed.decided()).toEqual(
    expect.arrayContaining([`m1 opened to ${chat}: held quiet_hours`, `m2 opened to ${hook}: held dependency`]),
  );
});

test("a parent in maintenance defers its children", async () => {
  await bed.maintain("monitor:9", noonMs, noonMs + hourMs);
  const child = changeOf("opened", { facts: { dependsOn: [{ type: "monitor", id: 9 }] } });
  await bed.apply(changeOf("opened", { of: "monitor:9" }), child);
  expect(await bed.notifications()).toEqual([]);
  await bed.pass(hourMs);
  expect(await bed.notifications()).toEqual(toBoth("m9 opened"));
  expect(await bed.decided()).toContain(`m1 opened to ${hook}: held dependency`);
});

test("a notifier that starts after maintenance sends what is still open once, and nothing that is over", async () => {
  await anHour();
  await bed.maintain("monitor:2", noonMs, noonMs + hourMs);
  await bed.apply(changeOf("opened"), changeOf("opened", { of: "monitor:2" }));
  const later = await openBed({ db: bed.db, spans, startMs: noonMs + 2 * hourMs });
  await later.apply(changeOf("closed", { of: "monitor:2" }));
  await later.pass(0);
  await later.pass(0);
  expect(await later.notifications()).toEqual(toBoth("m1 opened"));
});

test("an opening that arrives after its maintenance ended waits for a possible closing", async () => {
  await bed.maintain("monitor:1", noonMs - hourMs, noonMs - minuteMs);
  await bed.maintain("monitor:2", noonMs - hourMs, noonMs - minuteMs);
  const incident = { openedAtMs: noonMs - 30 * minuteMs };
  await bed.apply(
    changeOf("opened", { incident: { ...incident, id: "m1" } }),
    changeOf("opened", { of: "monitor:2", incident: { ...incident, id: "m2" } }),
  );
  await bed.apply(changeOf("closed", { incident: { ...incident, id: "m1", closedAtMs: noonMs - 20 * minuteMs } }));
  expect(await bed.notifications()).toEqual([]);
  await bed.pass(10_000);
  expect(await bed.notifications()).toEqual(toBoth("m2 opened"));
});

test("a window that changes does not shorten that wait", async () => {
  await bed.maintain("monitor:1", noonMs - hourMs, noonMs - minuteMs);
  const incident = { id: "m1", openedAtMs: noonMs - 30 * minuteMs };
  await bed.apply(changeOf("opened", { incident }));
  await bed.maintain("monitor:3", noonMs, noonMs + hourMs);
  await bed.pass(1000);
  await bed.apply(changeOf("closed", { incident: { ...incident, closedAtMs: noonMs - 20 * minuteMs } }));
  await bed.pass(10_000);
  expect(await bed.notifications()).toEqual([]);
});

test("two notifiers send open incidents at the end once, while windows move and incidents close", async () => {
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
  const opened = (await bed.notifications()).filter((text) => text.includes("opened") && text.endsWith(`to ${hook}`));
  expect(new Set(opened).size).toBe(opened.length);
  expect(opened.length).toBeGreaterThanOrEqual(20);
  const closed = (await bed.notifications()).filter((text) => text.includes("closed") && text.endsWith(`to ${hook}`));
  expect(closed).toHaveLength(opened.length - 20);
});

test("a silent location follows the settings of all monitors, not those of the monitor its incident belongs to", async () => {
  await bed.set("monitor", { enabled: false }, 1);
  await anHour();
  const silent = { kind: "stale", cause: "No runner at default: its monitors get no results" } as const;
  await bed.apply(changeOf("opened", { incident: { id: "m7", ...silent, metric: "default" } }));
  expect(await bed.notifications()).toEqual(toBoth("m7 opened"));
  await bed.apply(changeOf("opened", { incident: { id: "m8", ...silent } }));
  expect(await bed.notifications()).toEqual(toBoth("m7 opened"));
});
