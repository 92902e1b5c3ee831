import { expect, test } from "vitest";
import { dayMs, hourMs } from "../rollups/instants.ts";
import { fullHour, type HourMap } from "./agent-store.ts";
import { randomOf } from "../testing/results.ts";
import { type AgentMinutesInput, countMinutes, minutesAfterSample } from "./agent-days.ts";

const minuteMs = 60_000;
const firstMs = 20_000 * dayMs;

function mapsOf(minutes: Iterable<number>): Map<number, HourMap> {
  const maps = new Map<number, HourMap>();
  for (const minute of minutes) {
    const hour = firstMs / hourMs + Math.floor(minute / 60);
    const place = ((minute % 60) + 60) % 60;
    const { low, high } = maps.get(hour) ?? { low: 0, high: 0 };
    maps.set(hour, place < 30 ? { low: low | (1 << place), high } : { low, high: high | (1 << (place - 30)) });
  }
  return maps;
}

const count = (fields: Partial<AgentMinutesInput>) =>
  countMinutes({
    edges: [firstMs, firstMs + dayMs, firstMs + 2 * dayMs],
    fromMs: firstMs,
    toMs: firstMs + 2 * dayMs,
    hours: new Map(),
    reach: 0,
    maintenance: [],
    offline: [],
    ...fields,
  });
const span = (from: number, to: number) => ({ fromMs: firstMs + from * minuteMs, toMs: firstMs + to * minuteMs });
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

test("a minute with a sample is up, one in an offline incident without samples is down, others are unknown", () => {
  // Offline from minute 100 to 200, with late samples for 150 to 160.
  const hours = mapsOf([...range(0, 95), ...range(150, 160), ...range(200, 300)]);
  const { expected, seen, up } = count({ hours, offline: [span(100, 200)] });
  expect(expected).toEqual([1440, 1440]);
  expect(up).toEqual([95 + 10 + 100, 0]);
  expect(seen).toEqual([95 + 100 + 100, 0]);
});

test("hours on the fast path equal their minutes counted one by one", () => {
  const random = randomOf(4);
  for (let round = 0; round < 30; round++) {
    const sampled = new Set<number>();
    let minute = -200;
    while (minute < 2880) {
      const isThere = random() < 0.6;
      const until = minute + Math.ceil(random() * 400);
      for (; minute < until; minute++) if (isThere && random() < 0.995) sampled.add(minute);
    }
    const cut = () => Math.floor(random() * 2880);
    const some = () => [cut(), cut()].toSorted((one, other) => one - other);
    const [maintenanceFrom = 0, maintenanceTo = 0] = some();
    const [offlineFrom = 0, offlineTo = 0] = some();
    const [from = 0, to = 0] = some();
    const reach = Math.floor(random() * 90);
    // A day, or any minute: days of other zones begin within hours.
    const middle = round % 2 === 0 ? 1440 : Math.max(1, cut());
    const truth = { expected: [0, 0], seen: [0, 0], up: [0, 0], monitoredMinutes: [0, 0], maintenanceMinutes: [0, 0] };
    for (let at = from; at < to; at++) {
      const day = at < middle ? 0 : 1;
      truth.monitoredMinutes[day]! += 1;
      if (at >= maintenanceFrom && at < maintenanceTo) {
        truth.maintenanceMinutes[day]! += 1;
        continue;
      }
      const isUp = range(at - reach, at + 1).some((before) => sampled.has(before));
      truth.expected[day]! += 1;
      if (isUp) truth.up[day]! += 1;
      if (isUp || (at >= offlineFrom && at < offlineTo)) truth.seen[day]! += 1;
    }
    const actual = count({
      ...span(from, to),
      edges: [firstMs, firstMs + middle * minuteMs, firstMs + 2 * dayMs],
      hours: mapsOf(sampled),
      reach,
      maintenance: maintenanceTo > maintenanceFrom ? [span(maintenanceFrom, maintenanceTo)] : [],
      offline: offlineTo > offlineFrom ? [span(offlineFrom, offlineTo)] : [],
    });
    expect(actual).toEqual(truth);
  }
});

test("minutes that begin before the agent existed or end after the present are not expected", () => {
  const hours = new Map(range(0, 48).map((hour) => [firstMs / hourMs + hour, fullHour]));
  const { expected, up, monitoredMinutes } = count({
    hours,
    fromMs: firstMs + 10 * hourMs + 20_000,
    toMs: firstMs + dayMs + 30 * minuteMs + 59_999,
  });
  expect(expected).toEqual([14 * 60 - 1, 30]);
  expect(up).toEqual(expected);
  expect(monitoredMinutes).toEqual(expected);
});

test("a minute that overlaps a maintenance window counts in no figure", () => {
  const maintenance = [{ fromMs: firstMs + 90_000, toMs: firstMs + 5 * minuteMs + 1 }];
  const hours = new Map([[firstMs / hourMs, fullHour]]);
  const { expected, up, maintenanceMinutes } = count({ hours, maintenance, toMs: firstMs + hourMs });
  expect([expected[0], up[0], maintenanceMinutes[0]]).toEqual([55, 55, 5]);
});

test("a sample covers the minutes until the next one is due, or only its own if every minute has one", () => {
  expect([10_000, 30_000, 45_000].map(minutesAfterSample)).toEqual([0, 0, 0]);
  // At 60-second intervals some minutes would have no sample.
  expect(minutesAfterSample(60_000)).toBe(1);
  expect(minutesAfterSample(300_000)).toBe(6);
  expect([0, -1, Number.NaN].map(minutesAfterSample)).toEqual([0, 0, 0]);
  expect(minutesAfterSample(1e15)).toBe(1440);
});
