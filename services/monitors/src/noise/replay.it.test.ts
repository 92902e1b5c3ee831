import { create, toBinary } from "@bufbuild/protobuf";
import type { BusMessage, FollowOptions, Following } from "@sonde/kit/bus/follow";
import type * as follow from "@sonde/kit/bus/follow";
import { fakeClock } from "@sonde/kit/time/clock";
import { type CheckResult, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import type { Confirm } from "@sonde/proto/http/monitors/monitors";
import { streams } from "@sonde/proto/streams";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import type { Definition } from "../monitors/monitor.ts";
import { writeMonitor, writePaused } from "../monitors/monitors.ts";
import { lockMonitor } from "../monitors/store.ts";
import { readSpans } from "../monitors/timeline-store.ts";
import { httpCheck } from "../testing/definition.ts";
import { aroundFailures, failuresIn, finished, randomOf, resultsOf } from "../testing/month.ts";
import { openPartitionBed, type ResultsPartitionBed } from "../testing/partition-bed.ts";
import { readIncidents, unpack } from "./noise.ts";
import { endOf, type ReplayedOutage, replay } from "./replay.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const startMs = Date.UTC(2026, 2, 1);
const days = (count: number) => startMs + count * dayMs;
const clock = fakeClock(startMs);

/** Delivers messages as the bus would. */
let deliver: FollowOptions["onMessage"];
let sequence = 0;
vi.mock("@sonde/kit/bus/follow", async (load) => {
  const actual: typeof follow = await load();
  const followStream: typeof follow.followStream = (bus, options) => {
    if (options.stream !== streams.results.name) return actual.followStream(bus, options);
    deliver = options.onMessage;
    const created = "a month";
    return {
      position: () => ({ created, sequence }),
      created: () => created,
      stop: async () => {},
    } satisfies Following;
  };
  return { ...actual, followStream };
});

let bed: ResultsPartitionBed;
beforeAll(async () => void (bed = await openPartitionBed(inject("databaseUrl"))));
afterAll(() => bed.stop());

async function receive(result: CheckResult, storedAtMs: number) {
  clock.advance(Math.max(0, storedAtMs - clock.now()));
  const batch = result.confirms === undefined ? { results: [result] } : { opinions: [result] };
  const message: BusMessage = {
    subject: subjects.results(partitionOf(result.monitorId), result.location),
    data: toBinary(ResultBatchSchema, create(ResultBatchSchema, batch)),
    header: () => "",
    sequence: ++sequence,
    storedAtMs,
    created: "a month",
  };
  await deliver(message);
}

type Month = Partial<Definition> & { seed: number; gapMs: number };

/** Runs a month through the partition: an edit, a pause, another interval and other locations, gaps, flapping. */
async function runMonth({ seed, gapMs, ...given }: Month) {
  const random = randomOf(seed);
  const { id, timeoutMs, retries } = await bed.add(given, startMs);
  const { owner, stop } = await bed.open(id, clock);
  const common = failuresIn(random, startMs, days(30), gapMs);
  const places = [...(given.locations ?? ["default"]), "later"];
  const own = new Map(places.map((name) => [name, failuresIn(random, startMs, days(30), gapMs)]));
  const silent = [
    { fromMs: days(4), toMs: days(4.2) },
    { fromMs: days(26), toMs: days(26.3) },
  ];
  const all: CheckResult[] = [];
  const edit = (change: Partial<Definition>, atMs: number) =>
    bed.db.transaction(async (trx) => {
      const before = await lockMonitor(trx, id);
      return writeMonitor(trx, before, { ...before, ...change }, before.status === "paused", atMs);
    });
  const pause = (paused: boolean, atMs: number) => bed.db.transaction((trx) => writePaused(trx, id, paused, atMs));
  /** In the middle of the next outage that lasts a while. */
  const during = (fromMs: number) => {
    const span = common.find((one) => one.fromMs > fromMs && one.toMs - one.fromMs > 5 * minuteMs);
    return Math.round(((span?.fromMs ?? fromMs) + (span?.toMs ?? fromMs)) / 2);
  };
  const [edited, paused, resumed, moved] = [during(days(8)), during(days(15)), days(17), during(days(22))];
  const other = { ...httpCheck, url: "https://example.com/other" };
  const longer = {
    intervalMs: (given.intervalMs ?? minuteMs) * 2,
    locations: [...places].reverse().slice(0, places.length - 1),
  };
  const steps = [
    { untilMs: edited, change: () => edit({ config: other }, edited) },
    { untilMs: paused, change: () => pause(true, paused) },
    { untilMs: resumed, change: () => pause(false, resumed) },
    { untilMs: moved, change: () => edit(longer, moved) },
    { untilMs: days(30), change: undefined },
  ];
  let fromMs = startMs;
  let { version, intervalMs, locations, status } = await bed.db.transaction((trx) => lockMonitor(trx, id));
  for (const { untilMs, change } of steps) {
    const monitor = { id, version, intervalMs, timeoutMs, retries };
    const results = (status === "paused" ? [] : locations).flatMap((location, index) => {
      const failures = [...common, ...(own.get(location) ?? [])].sort((one, next) => one.fromMs - next.fromMs);
      // Overlapping spans count as one.
      const merged = failures.reduce<typeof failures>((spans, span) => {
        const last = spans.at(-1);
        if (last === undefined || last.toMs < span.fromMs) return [...spans, { ...span }];
        last.toMs = Math.max(last.toMs, span.toMs);
        return spans;
      }, []);
      return resultsOf({
        monitor,
        location,
        fromMs,
        toMs: untilMs,
        random,
        failures: merged,
        silent:
          index === 1
            ? [
                ...silent,
                {
                  fromMs: days(10),
                  toMs: days(12),
                },
              ]
            : silent,
      });
    });
    results.sort((one, next) => endOf(one) - endOf(next));
    for (const result of results) {
      await receive(result, endOf(result));
      if (given.confirm != null && result.status === "down" && result.failures > retries)
        await confirm(
          given.confirm,
          result,
          common.some((one) => one.fromMs <= result.startedAtMs && result.startedAtMs < one.toMs),
        );
    }
    all.push(...results);
    fromMs = untilMs;
    if (change === undefined) continue;
    ({ version, intervalMs, locations, status } = await change());
    owner.reread(id);
    await vi.waitFor(() => expect(owner.get(id)?.version).toBe(version), { timeout: 30_000 });
  }
  await stop();
  return { id, all };
}

async function confirm({ locations, need }: Confirm, result: CheckResult, isDown: boolean) {
  const status = isDown ? "down" : "up";
  for (const location of locations.slice(0, need))
    await receive({ ...result, location, confirms: result.slotMs, status }, endOf(result));
}

test.for<[string, Month]>([
  ["three locations", { seed: 1, gapMs: 9 * hourMs, intervalMs: 5 * minuteMs, retries: 2, locations: ["a", "b", "c"] }],
  ["one location that flaps, with retries", { seed: 2, gapMs: 4 * hourMs, retries: 3 }],
  ["one location without retries that must recover", { seed: 3, gapMs: 4 * hourMs, retries: 0, recoverAfter: 3 }],
  [
    "a second opinion",
    { seed: 4, gapMs: 6 * hourMs, intervalMs: 2 * minuteMs, confirm: { locations: ["x", "y"], need: 2 } },
  ],
])("a month of %s is replayed with exactly the incidents that opened", async ([, month]) => {
  const { id, all } = await runMonth(month);
  const {
    intervalMs,
    timeoutMs,
    retries,
    recoverAfter,
    locations,
    confirm: ofMonitor = null,
  } = await bed.db.transaction((trx) => lockMonitor(trx, id));
  const incidents = await readIncidents(bed.db, id, startMs, days(30));
  const stored = aroundFailures(all, { beforeMs: 4 * intervalMs, afterMs: 10 * minuteMs + 14 * intervalMs });
  const past = { results: unpack(id, stored, days(30)), spans: (await readSpans(bed.db, [id])).get(id)!, incidents };
  const settings = { id, intervalMs, timeoutMs, retries, recoverAfter, locations, confirm: ofMonitor };
  const opened = incidents.map(({ openedAtMs, closedAtMs }): ReplayedOutage => ({ openedAtMs, closedAtMs }));
  expect(finished(replay(settings, past))).toEqual(opened);
  // The month is worth replaying.
  expect(opened.length).toBeGreaterThan(20);
  expect(new Set(incidents.map(({ isReset }) => isReset)).size).toBe(2);
  expect(past.results.length).toBeLessThan(all.length * 0.8);
});
