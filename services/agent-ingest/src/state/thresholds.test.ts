import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { expect, test } from "vitest";
import { judge, type UsageLimits } from "./thresholds.ts";
import type { Run } from "./tracked.ts";

const limits: UsageLimits = { cpu: 90, memory: 90, disk: 90 };
const timing = { atMs: 1_790_000_000_000, intervalMs: 10_000 };
type Given = MessageInitShape<typeof SampleSchema>;

/** Judges samples in order and returns what each opened (+) and closed (-). */
function changesAfter(samples: readonly Given[], given: UsageLimits = limits, alreadyOpen: readonly string[] = []) {
  const open = new Set(alreadyOpen);
  let runs: Record<string, Run> = {};
  let atMs = 1_790_000_000_000;
  return samples.map((init) => {
    const verdict = judge(create(SampleSchema, init), given, runs, open, {
      atMs: (atMs += 10_000),
      intervalMs: 10_000,
    });
    runs = verdict.runs;
    for (const { metric } of verdict.opened) open.add(metric);
    for (const { metric } of verdict.closed) open.delete(metric);
    return [...verdict.opened.map(({ metric }) => `+${metric}`), ...verdict.closed.map(({ metric }) => `-${metric}`)];
  });
}

const cpu = (usage: number): Given => ({ cpu: { usage } });
const memory = (usage: number): Given => ({ memory: { usage } });
const disks = (...usages: [string, number][]): Given => ({
  disks: usages.map(([mountPoint, usage]) => ({ mountPoint, usage })),
});

test("one sample above the threshold opens nothing", () => {
  expect(changesAfter([cpu(91), cpu(50), cpu(99), cpu(89)])).toEqual([[], [], [], []]);
});

test("two in a row open one incident, further ones none", () => {
  expect(changesAfter([cpu(91), cpu(92), cpu(99), cpu(100)])).toEqual([[], ["+cpu"], [], []]);
});

test("a value at the threshold is not above it", () => {
  expect(changesAfter([cpu(90), cpu(90), cpu(90)])).toEqual([[], [], []]);
});

test("five points below closes at once", () => {
  expect(changesAfter([cpu(95), cpu(95), cpu(85)])).toEqual([[], ["+cpu"], ["-cpu"]]);
});

test("less than five points below closes at the second sample", () => {
  expect(changesAfter([cpu(95), cpu(95), cpu(88), cpu(91), cpu(88), cpu(86)])).toEqual([
    [],
    ["+cpu"],
    [],
    [],
    [],
    ["-cpu"],
  ]);
});

test("after closing, two in a row open another incident", () => {
  expect(changesAfter([cpu(95), cpu(95), cpu(10), cpu(95), cpu(95)])).toEqual([[], ["+cpu"], ["-cpu"], [], ["+cpu"]]);
});

test("a metric that keeps going up and down keeps its fifth incident open until ten minutes after it calmed down", () => {
  const swings = Array.from({ length: 20 }, () => [cpu(95), cpu(95), cpu(10), cpu(10)]).flat();
  const calm = Array.from({ length: 61 }, () => cpu(10));
  const changes = changesAfter([...swings, ...calm]).flat();
  const each = Array.from({ length: 5 }, () => ["+cpu", "-cpu"]).flat();
  expect(changes).toEqual(each);
  expect(changesAfter([...swings, ...calm.slice(0, 50)]).flat()).toEqual(each.slice(0, -1));
  expect(
    changesAfter([...swings, ...calm, cpu(95), cpu(95), cpu(10)])
      .flat()
      .slice(-2),
  ).toEqual(["+cpu", "-cpu"]);
});

test("each metric and each mount point counts separately", () => {
  const full = disks(["/", 95], ["/data", 50]);
  const both = disks(["/", 10], ["/data", 95]);
  expect(changesAfter([full, full, both, both])).toEqual([[], ["+disk:/"], ["-disk:/"], ["+disk:/data"]]);
  expect(changesAfter([memory(95), cpu(95), memory(95)])).toEqual([[], [], []]);
});

test("a sample without a metric neither counts nor closes", () => {
  expect(changesAfter([cpu(95), cpu(95), {}, memory(10), cpu(10)])).toEqual([[], ["+cpu"], [], [], ["-cpu"]]);
});

test("a removed disk closes at the second sample without it, unless the sample has no disks at all", () => {
  const full = disks(["/", 10], ["/usb", 99]);
  const without = disks(["/", 10]);
  expect(changesAfter([full, full, {}, {}, without, without])).toEqual([
    [],
    ["+disk:/usb"],
    [],
    [],
    [],
    ["-disk:/usb"],
  ]);
});

test("a full disk that comes and goes keeps its fifth incident until ten minutes after it was last there", () => {
  const full = disks(["/", 10], ["/usb", 99]);
  const without = disks(["/", 10]);
  const mounts = Array.from({ length: 20 }, () => [full, full, full, without, without, without]).flat();
  const each = Array.from({ length: 5 }, () => ["+disk:/usb", "-disk:/usb"]).flat();
  expect(changesAfter([...mounts, ...Array.from({ length: 50 }, () => without)]).flat()).toEqual(each.slice(0, -1));
  expect(changesAfter([...mounts, ...Array.from({ length: 61 }, () => without)]).flat()).toEqual(each);
});

test("a disk keeps flapping if one sample lacks it, or all disks", () => {
  const disk = (usage: number) => disks(["/", 10], ["/data", usage]);
  const swings = (count: number) =>
    Array.from({ length: count }, () => [disk(95), disk(95), disk(10), disk(10)]).flat();
  const each = Array.from({ length: 5 }, () => ["+disk:/data", "-disk:/data"]).flat();
  for (const missing of [disks(["/", 10]), cpu(10)]) {
    expect(changesAfter([...swings(6), missing, ...swings(6)]).flat()).toEqual(each.slice(0, -1));
    expect(changesAfter([...swings(3), missing, ...swings(6)]).flat()).toEqual(each.slice(0, -1));
  }
});

test("the state of removed disks is limited in number, and forgotten after an hour", () => {
  let runs: Record<string, Run> = {};
  let atMs = timing.atMs;
  const give = (init: Given) => {
    atMs += 10_000;
    // Nothing is opened, as for an agent with too many incidents.
    runs = judge(create(SampleSchema, init), limits, runs, new Set(), { atMs, intervalMs: 10_000 }).runs;
  };
  for (let round = 0; round < 50; round++) {
    const full = disks(...Array.from({ length: 100 }, (_, index): [string, number] => [`/${round}-${index}`, 99]));
    give(full);
    give(full);
  }
  give(disks(["/", 10]));
  expect(Object.keys(runs)).toHaveLength(50);
  expect(Object.keys(runs).every((metric) => metric.startsWith("disk:/49-"))).toBe(true);
  for (let count = 0; count < 358; count++) give(disks(["/", 10]));
  expect(Object.keys(runs)).toHaveLength(50);
  give(disks(["/", 10]));
  expect(runs).toEqual({});
});

test("without a threshold nothing opens, and open incidents close as edited", () => {
  const none: UsageLimits = { cpu: null, memory: null, disk: null };
  expect(changesAfter([cpu(99), cpu(99)], none)).toEqual([[], []]);
  expect(judge(create(SampleSchema, cpu(99)), none, {}, new Set(["cpu"]), timing).closed).toEqual([
    { metric: "cpu", resolution: "edited", value: 99 },
  ]);
});

test("a threshold raised above the value closes as edited; a falling value closes as recovered", () => {
  const raised: UsageLimits = { ...limits, cpu: 97 };
  const run = { above: 2, under: 0, limit: 90 };
  const judged = (usage: number, before: Run) =>
    judge(create(SampleSchema, cpu(usage)), raised, { cpu: before }, new Set(["cpu"]), timing);
  expect(judged(95, run).closed).toEqual([{ metric: "cpu", resolution: "edited", value: 95, threshold: 97 }]);
  expect(judged(50, run).closed).toMatchObject([{ resolution: "recovered" }]);
  const stillAbove = judged(98, run);
  expect([stillAbove.closed, stillAbove.runs["cpu"]?.limit]).toEqual([[], 97]);
  expect(judged(95, stillAbove.runs["cpu"] ?? run).closed).toEqual([]);
});

test("a metric is reported once as flapping, at its opening or later, and once as steady", () => {
  const changes = (samples: readonly Given[]) => {
    const open = new Set<string>();
    let runs: Record<string, Run> = {};
    let atMs = timing.atMs;
    return samples.flatMap((init) => {
      const given = { atMs: (atMs += 10_000), intervalMs: 10_000 };
      const verdict = judge(create(SampleSchema, init), limits, runs, open, given);
      runs = verdict.runs;
      for (const { metric } of verdict.opened) open.add(metric);
      for (const { metric } of verdict.closed) open.delete(metric);
      return [
        ...verdict.opened.map(() => "opened"),
        ...verdict.flappingChanges.map(({ change, value }) => `${change} at ${value}`),
        ...verdict.closed.map(() => "closed"),
      ];
    });
  };
  const swings = Array.from({ length: 8 }, () => [cpu(95), cpu(95), cpu(10), cpu(10)]).flat();
  const long = (usage: number) => Array.from({ length: 62 }, () => cpu(usage));
  const begun = [...Array.from({ length: 4 }, () => ["opened", "closed"]).flat(), "opened", "flapping at 10"];
  expect(changes(swings)).toEqual(begun);
  expect(changes([...swings, ...long(99)])).toEqual([...begun, "steady at 99"]);
  // A closing needs no separate change.
  expect(changes([...swings, ...long(10)])).toEqual([...begun, "closed"]);
  expect(changes([...swings, ...long(99), cpu(10)])).toEqual([...begun, "steady at 99", "closed"]);
});

test("the cause contains the value and the threshold", () => {
  const above = { above: 1, under: 0 };
  const { opened } = judge(
    create(SampleSchema, disks(["/data", 93.46])),
    limits,
    { "disk:/data": above },
    new Set(),
    timing,
  );
  expect(opened).toEqual([
    { metric: "disk:/data", cause: "Disk /data at 93.5%, above 90%", value: 93.46, threshold: 90 },
  ]);
});
