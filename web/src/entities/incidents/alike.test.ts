import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { expect, it } from "vitest";
import { incident } from "../../testing/fixtures.ts";
import { groupAlike, isOutage } from "./alike.ts";

const refused = (id: number, more: Partial<Incident> = {}) => ({
  ...incident,
  id: `m${id}`,
  cause: "The connection was refused",
  ...more,
});
const shown = (incidents: Incident[]) =>
  groupAlike(incidents).map((row) => (isOutage(row) ? row.incidents.map(({ id }) => id) : row.id));

it("puts five of one cause together where the first of them is, and leaves the others where they are", () => {
  const other = { ...incident, id: "m90" };
  const list = [other, refused(1), refused(2), { ...incident, id: "m91" }, refused(3), refused(4), refused(5)];
  expect(shown(list)).toEqual(["m90", ["m1", "m2", "m3", "m4", "m5"], "m91"]);
});

it("keeps fewer than five apart, and what is acknowledged, has ended, or is of another kind", () => {
  const four = [1, 2, 3, 4].map((id) => refused(id));
  const others: Partial<Incident>[] = [
    { acknowledgedAt: "2026-01-02T09:10:00Z" },
    { closedAt: "2026-01-02T09:10:00Z" },
    { kind: "stale" },
    { target: { type: "agent", id: 3, name: "web-1" } },
  ];
  for (const more of others) expect(shown([...four, refused(5, more)])).toEqual(["m1", "m2", "m3", "m4", "m5"]);
});

it("puts those together that are acknowledged, apart from those that are not", () => {
  const all = [1, 2, 3, 4, 5].map((id) => refused(id));
  const done = [6, 7, 8, 9, 10].map((id) => refused(id, { acknowledgedAt: "2026-01-02T09:10:00Z" }));
  expect(shown([...all, ...done])).toEqual([all, done].map((each) => each.map(({ id }) => id)));
});

it("groups by what it is given, and leaves alone what belongs to nothing", () => {
  const hosts: Record<string, string> = { m1: "db", m2: "web", m3: "db" };
  const list = [1, 2, 3, 4].map((id) => refused(id));
  const rows = groupAlike(list, ({ id }) => hosts[id], 2);
  expect(rows.map((row) => (isOutage(row) ? row.incidents.map(({ id }) => id) : row.id))).toEqual([
    ["m1", "m3"],
    "m2",
    "m4",
  ]);
});
