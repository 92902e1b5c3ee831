import { afterEach, beforeEach, expect, test } from "vitest";
import { deleteMaintenance } from "./maintenance.ts";
import { refreshTags } from "./tags.ts";
import { type MaintenanceBed, hourMs, noonMs, openBed } from "./testing/bed.ts";
import { listOccurrences } from "./upcoming.ts";

let bed: MaintenanceBed;
beforeEach(async () => void (bed = await openBed()));
afterEach(() => bed.ctx.db.destroy());

const iso = (hours: number) => new Date(noonMs + hours * hourMs).toISOString();
const hoursOf = ({ start, end }: { start: string; end: string }) =>
  [start, end].map((at) => (Date.parse(at) - noonMs) / hourMs).join("..");
const between = async (from: number, to: number) => {
  const { occurrences, more } = await listOccurrences(bed.ctx, { from: iso(from), until: iso(to) });
  return [...occurrences.map((one) => `${one.name} ${hoursOf(one)}`), ...(more ? ["more"] : [])];
};

test.each<[string, object, string[]]>([
  ["a single one", { start: 1, end: 2 }, ["1..2"]],
  ["a running one and the next two", { rrule: "FREQ=DAILY" }, ["0..1", "24..25", "48..49"]],
  ["fewer if it ends", { rrule: "FREQ=DAILY;COUNT=2" }, ["0..1", "24..25"]],
  ["those further away than what is stored", { rrule: "FREQ=MONTHLY" }, ["0..1", "744..745", "1464..1465"]],
])("a window shows the next three occurrences: %s", async (_what, given, expected) => {
  const { upcoming, next } = await bed.plan(given);
  expect(upcoming.map(hoursOf)).toEqual(expected);
  expect(next).toEqual(upcoming[0]);
});

test("the occurrences of a period include those that touch it, of all windows, by start", async () => {
  await bed.plan({ name: "Daily", start: 1, end: 3, rrule: "FREQ=DAILY" });
  await bed.plan({ name: "Once", start: 20, end: 26 });
  expect(await between(2, 25)).toEqual(["Daily 1..3", "Once 20..26"]);
  expect(await between(3, 20)).toEqual([]);
});

test("a period that is not stored yet follows from the rule, without a gap or a repetition", async () => {
  await bed.plan({ name: "Daily", rrule: "FREQ=DAILY" });
  const found = await between(24 * 20, 24 * 60);
  expect(found).toHaveLength(40);
  expect(new Set(found).size).toBe(40);
  expect(await between(24 * 365 * 20, 24 * 365 * 20 + 48)).toEqual([]);
});

test("what happened stays as it was: parts with other targets are one, a deleted window is not listed", async () => {
  bed.tag("shop", { monitors: [1] });
  const { id } = await bed.plan({ name: "Shop", monitors: [], tags: ["shop"], rrule: "FREQ=DAILY;COUNT=2" });
  bed.clock.advance(hourMs / 2);
  bed.tag("shop", { monitors: [1, 2] });
  await refreshTags(bed.ctx);
  bed.clock.advance(hourMs);
  expect(await between(-24, 24)).toEqual(["Shop 0..1"]);
  await deleteMaintenance(bed.ctx, id);
  expect(await between(-24, 48)).toEqual([]);
});
