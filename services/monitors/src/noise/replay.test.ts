import { slotAfter } from "@sonde/kit/time/slots";
import { expect, test } from "vitest";
import { aroundFailures, failuresIn, type FailedSpan, finished, randomOf, resultsOf } from "../testing/month.ts";
import { unpack } from "./noise.ts";
import { type ReplayedOutage, replay, type ReplaySettings } from "./replay.ts";

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 2, 1);
const toMs = startMs + 30 * 86_400_000;
const monitor = { id: 1, version: 1, intervalMs: minuteMs, timeoutMs: 10_000 };

/** Replays the results of a runner that retries `ran` times, decided with `settings`. */
function outagesOf(failures: readonly FailedSpan[], ran: number, settings: Partial<ReplaySettings>): ReplayedOutage[] {
  const runner = { monitor: { ...monitor, retries: ran }, location: "default", fromMs: startMs, toMs };
  // Each check takes as long as in the other runs.
  const results = resultsOf({ ...runner, random: () => 0.5, failures, silent: [] });
  const stored = aroundFailures(results, { beforeMs: 4 * minuteMs, afterMs: 24 * minuteMs });
  const past = { results: unpack(1, stored, toMs), spans: [], incidents: [] };
  const given = { ...monitor, retries: ran, recoverAfter: 1, locations: ["default"], confirm: null };
  return finished(replay({ ...given, ...settings }, past));
}

const overlaps = (one: ReplayedOutage, other: ReplayedOutage) =>
  one.openedAtMs <= (other.closedAtMs ?? toMs) && other.openedAtMs <= (one.closedAtMs ?? toMs);

test.for([1, 2, 3, 4, 5])("more retries are not credited with more than they would have avoided (seed %i)", (seed) => {
  const failures = failuresIn(randomOf(seed), startMs, toMs, 4 * 60 * minuteMs);
  for (const retries of [2, 3, 5, 10]) {
    const real = outagesOf(failures, retries, {});
    const replayed = outagesOf(failures, 1, { retries });
    expect(replayed.length).toBeGreaterThanOrEqual(real.length);
    for (const outage of real) expect(replayed.some((one) => overlaps(one, outage))).toBe(true);
  }
});

test("retries avoid an outage of one slot if they fill the slot, and delay a longer one", () => {
  const slotMs = slotAfter(monitor.id, minuteMs, startMs + 60 * minuteMs);
  const laterMs = slotMs + 60 * minuteMs;
  // Failed checks take ten seconds, so five fit into a slot.
  const failures = [
    { fromMs: slotMs - 1_000, toMs: slotMs + 30_000, slow: true },
    { fromMs: laterMs - 1_000, toMs: laterMs + 10 * minuteMs, slow: true },
  ];
  const openedMs = (retries: number) => outagesOf(failures, 1, { retries }).map(({ openedAtMs }) => openedAtMs);
  const [first, second] = [slotMs + 25 + 12_000, laterMs + 25 + 12_000];
  expect(openedMs(1)).toEqual([first, second]);
  expect(openedMs(4)).toEqual([first + 3 * 12_000, second + 3 * 12_000]);
  expect(openedMs(5)).toEqual([laterMs + minuteMs + 25]);
});

test("recovering only after more successes merges outages and misses none", () => {
  const failures = failuresIn(randomOf(7), startMs, toMs, 4 * 60 * minuteMs);
  const opened = outagesOf(failures, 1, {});
  const merged = outagesOf(failures, 1, { recoverAfter: 5 });
  expect(merged.length).toBeLessThan(opened.length);
  for (const outage of opened) expect(merged.some((one) => overlaps(one, outage))).toBe(true);
});

test("replaying yields after every hundred checks", () => {
  const results = resultsOf({
    monitor: {
      ...monitor,
      retries: 0,
    },
    location: "default",
    fromMs: startMs,
    toMs: startMs + 1_000 * minuteMs,
    random: () => 0.5,
    failures: [
      {
        fromMs: 0,
        toMs,
        slow: false,
      },
    ],
    silent: [],
  });
  const given = { ...monitor, retries: 0, recoverAfter: 1, locations: ["default"], confirm: null };
  const run = replay(given, { results, spans: [], incidents: [] });
  let turns = 0;
  while (run.next().done !== true) turns++;
  expect(turns).toBe(Math.floor(results.length / 100));
});
