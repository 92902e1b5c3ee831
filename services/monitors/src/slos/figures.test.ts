import { explain } from "@sonde/proto/http/reasons/reasons";
import { expect, test } from "vitest";
import { figuresOf, meanOf, type Period, sentenceOf } from "./figures.ts";
import { noSlots, type Slots } from "./slo.ts";
import { closedEdges, windowOf } from "./windows.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const nowMs = Date.UTC(2026, 10, 24, 12);
const objective = { percent: 99.9, isLatency: false };
const step = (seen: number, bad: number, { missing = 0, minutesPerSlot = 1 } = {}): Slots => ({
  expected: seen + missing,
  seen,
  up: seen - bad,
  fast: seen - bad,
  activeMinutes: (seen + missing) * minutesPerSlot,
});
const period = (steps: readonly Slots[], lastHour = noSlots, stepMs = dayMs): Period => ({
  untilMs: nowMs,
  steps,
  endsMs: steps.map((_, at) => nowMs - (steps.length - 1 - at) * stepMs),
  lastHour,
});
const month = { endMs: nowMs + 6 * dayMs, days: 30, timeZone: "UTC" };
const rolling = { endMs: null, days: 28, timeZone: "UTC" };

test("the budget is a share of the seen slots, in minutes of the monitor's interval", () => {
  const days = Array.from({ length: 10 }, () => step(1_440, 0));
  const { budget, attained } = figuresOf(period([...days, step(1_000, 5, { missing: 440 })]), objective, rolling);
  expect(budget).toEqual({
    allowedMinutes: 15.4,
    spentMinutes: 5,
    leftMinutes: 10.4,
    noDataMinutes: 440,
    seenSlots: 15_400,
    badSlots: 5,
  });
  expect(attained).toBe(99.96753);
  const slowly = figuresOf(period([step(2_880, 2, { minutesPerSlot: 5 })]), objective, rolling);
  expect(slowly.budget).toMatchObject({ allowedMinutes: 14.4, spentMinutes: 10, leftMinutes: 4.4 });
});

test("the mean counts all slots, and the minutes of one target", () => {
  const [one, other] = [period([step(1_440, 3)], step(60, 3)), period([step(1_440, 0)], step(60, 0))];
  const figures = figuresOf(meanOf([one, other]), objective, rolling);
  expect(figures).toMatchObject({ budget: { seenSlots: 2_880, badSlots: 3, allowedMinutes: 1.44, spentMinutes: 1.5 } });
  expect(figures.burnRate).toBe(25);
});

test("latency counts successful checks only", () => {
  const slots = { ...step(1_000, 100), fast: 890 };
  const { budget, attained } = figuresOf(period([slots]), { percent: 95, isLatency: true }, rolling);
  expect(budget).toMatchObject({ seenSlots: 900, badSlots: 10, allowedMinutes: 45, leftMinutes: 35 });
  expect(attained).toBe(98.88889);
});

const spent = Array.from({ length: 28 }, () => step(1_440, 1));
test.each([
  ["No data yet", "暂无数据", period([noSlots]), rolling],
  ["12 minutes left of the 28-day budget", "28 天预算剩余 12 分钟", period(spent), rolling],
  ["12 minutes left this month", "本月剩余 12 分钟", period(spent), month],
  [
    "12 minutes left this month; at this rate used up within an hour",
    "本月剩余 12 分钟，按当前速度将于一小时内用尽",
    period(spent, step(60, 30)),
    month,
  ],
  [
    "12 minutes left this month; at this rate used up on Thursday",
    "本月剩余 12 分钟，按当前速度将于周四用尽",
    period(spent, step(1_000, 5)),
    month,
  ],
  [
    "12 minutes left of the 28-day budget; at this rate used up on 2026-12-03",
    "28 天预算剩余 12 分钟，按当前速度将于 2026-12-03 用尽",
    period(spent, step(1_000, 1)),
    rolling,
  ],
  ["12 minutes left this month", "本月剩余 12 分钟", period(spent, step(1_000, 2)), month],
  [
    "Budget used up 3 hours ago; 12 minutes over",
    "误差预算已于 3 小时前用尽，超出 12 分钟",
    period([step(20_160, 0), step(60, 33), step(60, 0), step(60, 0), step(60, 0)], noSlots, hourMs),
    rolling,
  ],
  [
    "Nothing spent so far; the budget of the whole month is 43 minutes",
    "尚未消耗，全月误差预算为 43 分钟",
    period([step(1, 0)]),
    month,
  ],
  [
    "1 minute spent so far; the budget of the whole month is 43 minutes",
    "已消耗 1 分钟，全月误差预算为 43 分钟",
    period([step(100, 1)], step(60, 0)),
    month,
  ],
  [
    "1 minute spent so far; the budget of 28 days is 40 minutes, at this rate used up on Thursday",
    "已消耗 1 分钟，28 天误差预算为 40 分钟，按当前速度将于周四用尽",
    period([step(100, 1)], step(60, 1)),
    rolling,
  ],
  [
    "30 minutes spent so far; the budget of the whole month is 43 minutes, at this rate used up within an hour",
    "已消耗 30 分钟，全月误差预算为 43 分钟，按当前速度将于一小时内用尽",
    period([step(60, 30)], step(60, 30)),
    month,
  ],
] as const)("%s", (english, chinese, given, window) => {
  const sentence = sentenceOf(figuresOf(given, objective, window), window, nowMs);
  expect(sentence).toBe(english);
  expect(explain(sentence, "zh-CN")).toBe(chinese);
  expect(explain(`Checkout: ${sentence}`, "zh-CN")).toBe(`Checkout：${chinese}`);
  expect(explain(`Checkout, response times: ${sentence}`, "zh-CN")).toBe(`Checkout，响应时间：${chinese}`);
});

const exact = { percent: 99.99, isLatency: false };
test.each([
  ["the first minute", objective, step(1, 0), month, 43.2],
  ["the last slot before three may fail", objective, step(2_999, 9), month, 43.2],
  ["three slots that may fail", objective, step(3_001, 9), month, undefined],
  ["more spent than the whole window allows", objective, step(100, 44), month, undefined],
  ["a strict objective before half of the window", exact, step(20_000, 2), month, 4.32],
  ["a strict objective after half of the window", exact, step(21_600, 2), month, undefined],
  ["a full window of a strict objective", exact, step(10_080, 0), { ...rolling, days: 7 }, undefined],
  ["no data", objective, noSlots, month, undefined],
])("the whole window counts while its budget is small: %s", (_, goal, all, window, minutes) => {
  const { budget, exhaustedAtMs } = figuresOf(period([all]), goal, window);
  expect(budget.windowMinutes).toBe(minutes);
  // The formula stays, and an early budget is never in the past.
  expect(budget.allowedMinutes).toBeCloseTo(((100 - goal.percent) / 100) * all.seen, 1);
  if (minutes !== undefined) expect(exhaustedAtMs ?? Infinity).toBeGreaterThan(nowMs);
});

test("a reason that only looks like a sentence about a budget stays what it is", () => {
  expect(explain("Checkout: something else", "zh-CN")).toBe("Checkout: something else");
  expect(explain("The job reported a failure: disk full", "zh-CN")).toBe("任务报告失败：disk full");
});

test.each([
  ["Europe/Berlin", "2026-10-25T12:00", "2026-09-30T22:00", "2026-10-31T23:00"],
  ["America/New_York", "2026-11-02T02:00", "2026-11-01T04:00", "2026-12-01T05:00"],
  ["Asia/Kolkata", "2026-03-31T19:00", "2026-03-31T18:30", "2026-04-30T18:30"],
])("a month follows the wall clock of %s", (timeZone, at, from, end) => {
  const { fromMs, endMs } = windowOf({ window: "month", timeZone }, Date.parse(`${at}Z`));
  expect([fromMs, endMs]).toEqual([Date.parse(`${from}Z`), Date.parse(`${end}Z`)]);
});

test("edges ascend from the window's start to the last settled hour", () => {
  for (const window of ["month", "7d", "28d", "90d"] as const) {
    for (let atMs = nowMs; atMs < nowMs + 40 * dayMs; atMs += 7 * hourMs + 11 * minuteMs) {
      const { fromMs } = windowOf({ window, timeZone: "Asia/Kolkata" }, atMs);
      const edges = closedEdges(fromMs, atMs);
      expect(edges.every((edge, index) => index === 0 || edge > edges[index - 1]!)).toBe(true);
      if (edges.length === 0) expect(atMs - fromMs).toBeLessThan(2 * hourMs);
      else expect([edges[0], edges.at(-1)! % hourMs, atMs - edges.at(-1)! < 80 * minuteMs]).toEqual([fromMs, 0, true]);
    }
  }
});
