import { expect, it } from "vitest";
import { incident, monitor } from "../../../testing/fixtures.ts";
import { marksOf } from "./marks.tsx";

const at = (hour: number, minute = 0) => new Date(Date.UTC(2026, 0, 2, hour, minute)).toISOString();
const axis = { fromMs: Date.parse(at(8)), toMs: Date.parse(at(12)) };
const marked = (updatedAt: string, changes: Parameters<typeof marksOf>[0]["changes"] = []) =>
  marksOf({ monitor: { ...monitor, updatedAt }, incidents: [], changes, axis }).changes.map(({ kinds }) => kinds);

it("marks incidents that overlap the axis, open ones up to its end", () => {
  const of = (openedAt: string, closedAt?: string) => ({ ...incident, openedAt, ...(closedAt && { closedAt }) });
  const open = { ...of(at(11)), closedAt: undefined };
  const incidents = [of(at(5), at(7)), of(at(7), at(9)), open, of(at(13), at(14))] as never;
  const found = marksOf({ monitor, incidents, changes: [], axis }).incidents;
  expect(found.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
    [Date.parse(at(7)), Date.parse(at(9))],
    [Date.parse(at(11)), axis.toMs],
  ]);
});

it("marks changes, and the last edit unless it is one of them", () => {
  expect(marked(at(9))).toEqual([["edited"]]);
  expect(marked(at(13))).toEqual([]);
  expect(marked(monitor.createdAt)).toEqual([]);
  expect(marked(at(9), [{ at: at(9), kinds: ["interval"] }])).toEqual([["interval"]]);
  expect(marked(at(10), [{ at: at(9), kinds: ["paused"] }])).toEqual([["paused"], ["edited"]]);
});

it("marks each edit of the audit log once, including the last one", () => {
  const editsMs = [at(9), at(10), at(10, 30)].map((each) => Date.parse(each));
  const changes = [{ at: at(10), kinds: ["interval" as const] }];
  const found = marksOf({ monitor: { ...monitor, updatedAt: at(10, 30) }, incidents: [], changes, editsMs, axis });
  expect(found.changes.map(({ atMs, kinds }) => [new Date(atMs).toISOString(), ...kinds])).toEqual([
    [at(10), "interval"],
    [at(9), "edited"],
    [at(10, 30), "edited"],
  ]);
});
