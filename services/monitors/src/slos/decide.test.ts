import { expect, test } from "vitest";
import { burnRules, decideAlert, findBurning, type RecentSlots } from "./decide.ts";
import { noSlots, type SloContent, type Slots } from "./slo.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const slots = (seen: number, bad: number, slow = 0): Slots => ({
  ...noSlots,
  expected: seen,
  seen,
  up: seen - bad,
  fast: seen - bad - slow,
});
/** Slots per minute, with `bad` failures in the given number of last minutes. */
const target = (id: number, bad: number, lastMinutes = bad, perMinute = 1): RecentSlots => ({
  id,
  last: (ms) => {
    const minutes = ms / minuteMs;
    return slots(
      minutes * perMinute,
      Math.min(bad, Math.floor((bad * Math.min(minutes, lastMinutes)) / lastMinutes) || 0),
    );
  },
});
const slo = (objective: number, fields: Partial<SloContent> = {}): SloContent => ({
  objective,
  combine: "worst",
  window: "30d",
  timeZone: "UTC",
  burnAlerts: true,
  ...fields,
});
const [fast, medium, slow] = burnRules;

test.each([
  ["one bad minute at 99.9 % does not alert", 99.9, target(1, 1), null],
  ["two bad minutes do not alert", 99.9, target(1, 2), null],
  ["three bad minutes in five alert at 99.9 %", 99.9, target(1, 3), fast],
  ["three bad minutes are too few for 99 %", 99, target(1, 3), null],
  ["nine bad minutes of an hour are more than 14.4 times 1 %", 99, target(1, 9), fast],
  [
    "what ended an hour ago only counts for the slowest rule",
    99.9,
    { id: 1, last: (ms: number) => slots(ms / minuteMs, ms < hourMs ? 0 : 30) },
    slow,
  ],
  ["six hours at seven times", 99, target(1, 40, 360), medium],
  ["three days at just over the budget", 99, target(1, 44, 4_320), null],
  ["three days at twice the budget, at least three of them lately", 99, target(1, 87, 4_320), slow],
  ["an objective of 50 % can burn at most twice", 50, target(1, 4_000, 4_320), slow],
  ["no data does not alert", 99.9, { id: 1, last: () => noSlots }, null],
] as const)("%s", (_name, objective, recent, rule) => {
  expect(findBurning(slo(objective), [recent])?.rule).toEqual(rule ?? undefined);
});

test("with several targets, the worst or all together decide, and the one that spends most is named", () => {
  const targets = [target(1, 3), target(2, 5), ...Array.from({ length: 98 }, (_, at) => target(at + 3, 0))];
  expect(findBurning(slo(99.9), targets)).toMatchObject({ rule: fast, targetId: 2 });
  expect(findBurning(slo(99.9, { combine: "mean" }), targets)).toBeNull();
  expect(findBurning(slo(99.9, { combine: "mean" }), targets.slice(0, 9))).toMatchObject({ rule: fast, targetId: 2 });
  expect(findBurning(slo(99.9), [])).toBeNull();
  expect(findBurning(slo(99.9, { combine: "mean" }), [])).toBeNull();
});

test("slow checks have a budget of their own", () => {
  const slowly: RecentSlots = { id: 4, last: (ms) => slots(ms / minuteMs, 0, Math.min(5, ms / minuteMs)) };
  expect(findBurning(slo(99.9), [slowly])).toBeNull();
  const found = findBurning(slo(99.9, { latency: { ms: 300, percent: 99.5 } }), [slowly]);
  expect(found).toMatchObject({ targetId: 4, objective: { isLatency: true, percent: 99.5 } });
});

const burning = { rule: fast, objective: { percent: 99.9, isLatency: false }, targetId: 1 };
const now = 1_000_000_000;
test.each([
  ["opens", { isOpen: false, burningUntilMs: null }, burning, "open", now + fast.shortMs],
  ["stays open", { isOpen: true, burningUntilMs: now - 1 }, burning, null, now + fast.shortMs],
  [
    "never shortens what a slower rule asked for",
    { isOpen: true, burningUntilMs: now + hourMs },
    burning,
    null,
    now + hourMs,
  ],
  ["does not close at once", { isOpen: true, burningUntilMs: now + 1 }, null, null, now + 1],
  ["closes after the short window", { isOpen: true, burningUntilMs: now }, null, "close", now],
  ["closes without a known rule", { isOpen: true, burningUntilMs: null }, null, "close", null],
  ["stays closed", { isOpen: false, burningUntilMs: now }, null, null, now],
] as const)("an incident %s", (_name, state, found, change, burningUntilMs) => {
  expect(decideAlert(state, found, now)).toEqual({ change, burningUntilMs });
});
