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

it("keeps fewer than five apart, and what somebody works on, has ended, or is of another kind", () => {
  const four = [1, 2, 3, 4].map((id) => refused(id));
  const others: Partial<Incident>[] = [
    { acknowledgedAt: "2026-01-02T09:10:00Z" },
    { closedAt: "2026-01-02T09:10:00Z" },
    { kind: "stale" },
    { target: { type: "agent", id: 3, name: "web-1" } },
  ];
  for (const more of others) expect(shown([...four, refused(5, more)])).toEqual(["m1", "m2", "m3", "m4", "m5"]);
});
