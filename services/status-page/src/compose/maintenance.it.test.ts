import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { publicMaintenance as schema } from "@sonde/proto/http/status/status";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deleteMaintenance, updateMaintenance } from "../maintenance/maintenance.ts";
import { publicMaintenance } from "./maintenance.ts";
import { type MaintenanceBed, hourMs, noonMs, openBed } from "../maintenance/testing/bed.ts";

let bed: MaintenanceBed;
beforeEach(async () => void (bed = await openBed()));
afterEach(() => bed.ctx.db.destroy());

const shown = [
  { type: "monitor" as const, id: 1 },
  { type: "agent" as const, id: 2 },
];
const names = {
  of: (type: TargetType, id: number) => (type === "monitor" && id === 3 ? null : `public ${type} ${id}`),
};
const look = async (given: { type: TargetType; id: number }[] = shown) =>
  publicMaintenance(bed.ctx, { slug: "default", shown: given, names, nowMs: bed.clock.now() });
const day = 24;

test("running maintenance is first, then scheduled, then ended, within their days", async () => {
  await bed.plan({ name: "past", start: 0, end: 1 });
  await bed.plan({ name: "running", start: 1, end: 400 });
  await bed.plan({ name: "later", start: 30 * day, end: 30 * day + 1 });
  await bed.plan({ name: "soon", start: 2 * day, end: 3 * day });
  await bed.plan({ name: "too far", start: 33 * day, end: 34 * day });
  bed.clock.advance(day * hourMs);
  expect((await look()).map(({ name, status }) => `${name} ${status}`)).toEqual([
    "running running",
    "soon scheduled",
    "later scheduled",
    "past ended",
  ]);
  bed.clock.advance(15 * day * hourMs);
  expect((await look()).map(({ name }) => name)).not.toContain("past");
});

test("only public windows with a shown target are listed, with only these targets and their display names", async () => {
  await bed.plan({ name: "both", monitors: [1, 2], agents: [1, 2], start: 1, end: 2, note: "See *<b>*\n\nSoon" });
  await bed.plan({ name: "secret", public: false });
  await bed.plan({ name: "of others", monitors: [2, 3], agents: [1] });
  await deleteMaintenance(bed.ctx, (await bed.plan({ name: "deleted" })).id);
  const found = await look();
  expect(found).toHaveLength(1);
  expect(found[0]).toEqual({
    id: expect.any(Number),
    name: "both",
    note: { text: "See *<b>*\n\nSoon", html: "<p>See <em>&lt;b&gt;</em></p>\n<p>Soon</p>" },
    status: "scheduled",
    start: new Date(noonMs + hourMs).toISOString(),
    end: new Date(noonMs + 2 * hourMs).toISOString(),
    timeZone: "UTC",
    targets: [
      { type: "monitor", id: 1, name: "public monitor 1" },
      { type: "agent", id: 2, name: "public agent 2" },
    ],
    createdAt: new Date(noonMs).toISOString(),
    updatedAt: new Date(noonMs).toISOString(),
  });
  expect(schema.strict().parse(found[0])).toEqual(found[0]);
});

test("a window has the times of its creation and last change", async () => {
  const { id } = await bed.plan({ name: "moved", start: 2, end: 3 });
  bed.clock.advance(hourMs);
  await updateMaintenance(bed.ctx, { id, name: "renamed" });
  expect(await look()).toMatchObject([
    {
      name: "renamed",
      createdAt: new Date(noonMs).toISOString(),
      updatedAt: new Date(noonMs + hourMs).toISOString(),
    },
  ]);
});

test("a window that recurs daily leaves room for others, and at most fifty are listed", async () => {
  for (let each = 0; each < 12; each++)
    await bed.plan({ name: `daily ${each}`, rrule: "FREQ=DAILY", start: 1, end: 2 });
  const found = await look();
  expect(found).toHaveLength(50);
  expect(found.filter(({ name }) => name === "daily 0")).toHaveLength(5);
});
