import { create } from "@bufbuild/protobuf";
import { MaintenanceWindowSchema } from "@sonde/proto/gen/status/v1/status";
import { expect, test } from "vitest";
import { coveredBy, overlapsSpans, shareTargets, spanAt, spansOf } from "./spans.ts";

const window = (...occurrences: { fromMs: number; toMs: number; monitorIds?: number[]; agentIds?: number[] }[]) =>
  create(MaintenanceWindowSchema, { id: 1, revision: 1, occurrences });

test("overlapping and adjacent windows are merged, and other targets are ignored", () => {
  const windows = [
    window({ fromMs: 300, toMs: 400, monitorIds: [7] }, { fromMs: 900, toMs: 950, monitorIds: [8], agentIds: [7] }),
    window({ fromMs: 100, toMs: 200, monitorIds: [7, 8] }, { fromMs: 400, toMs: 500, monitorIds: [7] }),
    window({ fromMs: 150, toMs: 160, monitorIds: [7] }),
  ];
  expect(spansOf(windows, "monitor", 7)).toEqual([
    { fromMs: 100, toMs: 200 },
    { fromMs: 300, toMs: 500 },
  ]);
  expect(spansOf(windows, "agent", 7)).toEqual([{ fromMs: 900, toMs: 950 }]);
  expect(spansOf(windows, "monitor", 9)).toEqual([]);
});

test("covered targets are collected from all windows", () => {
  const windows = [
    window({ fromMs: 100, toMs: 200, monitorIds: [7, 8] }, { fromMs: 200, toMs: 300, monitorIds: [9], agentIds: [7] }),
    window({ fromMs: 150, toMs: 250, monitorIds: [8, 4] }),
  ];
  expect(
    [99, 100, 150, 200, 300].map((atMs) =>
      [...coveredBy(windows, "monitor", atMs, atMs)].sort((one, other) => one - other),
    ),
  ).toEqual([[], [7, 8], [4, 7, 8], [4, 8, 9], []]);
  expect([...coveredBy(windows, "agent", 250, 250)]).toEqual([7]);
  // A range covers what overlaps it, but not what starts at its end or ended at its start.
  expect([...coveredBy(windows, "agent", 0, 200)]).toEqual([]);
  expect([...coveredBy(windows, "agent", 0, 201)]).toEqual([7]);
  expect([...coveredBy(windows, "agent", 300, 900)]).toEqual([]);
});

test("an empty occurrence covers nothing", () => {
  expect(spansOf([window({ fromMs: 5, toMs: 5, monitorIds: [7] })], "monitor", 7)).toEqual([]);
});

test("occurrences with the same targets share their lists, and nothing else changes", () => {
  const given = () =>
    window(
      { fromMs: 1, toMs: 2, monitorIds: [7, 8], agentIds: [1] },
      { fromMs: 3, toMs: 4, monitorIds: [7, 8] },
      { fromMs: 5, toMs: 6, monitorIds: [7, 9] },
      { fromMs: 7, toMs: 8, monitorIds: [7, 9] },
      { fromMs: 9, toMs: 10, monitorIds: [7, 8] },
    );
  const shared = given();
  shareTargets(shared);
  expect(shared).toEqual(given());
  expect(new Set(shared.occurrences.map(({ monitorIds }) => monitorIds)).size).toBe(3);
  const shown = (id: number) => spansOf([shared], "monitor", id).map(({ fromMs }) => fromMs);
  expect([shown(7), shown(8), shown(9)]).toEqual([
    [1, 3, 5, 7, 9],
    [1, 3, 9],
    [5, 7],
  ]);
});

test("a span includes its start and excludes its end", () => {
  const spans = [
    { fromMs: 100, toMs: 200 },
    { fromMs: 300, toMs: 500 },
  ];
  expect([99, 100, 199, 200, 299, 300, 499, 500].map((atMs) => spanAt(spans, atMs)?.fromMs)).toEqual([
    undefined,
    100,
    100,
    undefined,
    undefined,
    300,
    300,
    undefined,
  ]);
});

test("a range overlaps a span if they share an instant, not if it ends when the span starts", () => {
  const spans = [
    { fromMs: 100, toMs: 200 },
    { fromMs: 300, toMs: 500 },
  ];
  const ranges = [
    [0, 100],
    [0, 101],
    [199, 210],
    [200, 300],
    [250, 301],
    [310, 320],
    [500, 900],
  ] as const;
  expect(ranges.map(([fromMs, toMs]) => overlapsSpans(spans, fromMs, toMs))).toEqual([
    false,
    true,
    true,
    false,
    true,
    true,
    false,
  ]);
});
