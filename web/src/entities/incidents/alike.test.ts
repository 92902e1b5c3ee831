import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { expect, it } from "vitest";
import { incident } from "../../testing/fixtures.ts";
import { groupSimilar, isOutage } from "./alike.ts";

const refused = (id: number, more: Partial<Incident> = {}) => ({
  ...incident,
  id: `m${id}`,
  cause: "The connection was refused",
  ...more,
});
const shown = (incidents: Incident[]) =>
  groupSimilar(incidents).map((row) => (isOutage(row) ? row.incidents.map(({ id }) => id) : row.id));

it("groups five incidents with the same cause at the position of the first", () => {
  const other = { ...incident, id: "m90" };
  const list = [other, refused(1), refused(2), { ...incident, id: "m91" }, refused(3), refused(4), refused(5)];
  expect(shown(list)).toEqual(["m90", ["m1", "m2", "m3", "m4", "m5"], "m91"]);
});

it("does not group fewer than five, or acknowledged, closed or other kinds of incidents", () => {
  const four = [1, 2, 3, 4].map((id) => refused(id));
  const others: Partial<Incident>[] = [
    { acknowledgedAt: "2026-01-02T09:10:00Z" },
    { closedAt: "2026-01-02T09:10:00Z" },
    { kind: "stale" },
    { target: { type: "agent", id: 3, name: "web-1" } },
  ];
  for (const more of others) expect(shown([...four, refused(5, more)])).toEqual(["m1", "m2", "m3", "m4", "m5"]);
});

it("groups acknowledged incidents separately", () => {
  const all = [1, 2, 3, 4, 5].map((id) => refused(id));
  const done = [6, 7, 8, 9, 10].map((id) => refused(id, { acknowledgedAt: "2026-01-02T09:10:00Z" }));
  expect(shown([...all, ...done])).toEqual([all, done].map((each) => each.map(({ id }) => id)));
});

it("groups by a given function and leaves incidents without a group", () => {
  const hosts: Record<string, string> = { m1: "db", m2: "web", m3: "db" };
  const list = [1, 2, 3, 4].map((id) => refused(id));
  const rows = groupSimilar(list, ({ id }) => hosts[id], 2);
  expect(rows.map((row) => (isOutage(row) ? row.incidents.map(({ id }) => id) : row.id))).toEqual([
    ["m1", "m3"],
    "m2",
    "m4",
  ]);
});
