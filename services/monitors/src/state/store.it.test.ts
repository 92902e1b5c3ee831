import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { openPartitionBed, type ResultsPartitionBed } from "../testing/partition-bed.ts";
import { type ChangedLocation, saveFigures } from "./store.ts";
import type { LocationState } from "./tracked.ts";

let bed: ResultsPartitionBed;
beforeAll(async () => {
  bed = await openPartitionBed(inject("databaseUrl"));
});
afterAll(async () => {
  await bed.stop();
});

const changed = (monitorId: number, checkedAtMs: number): ChangedLocation => {
  const verdict = { failing: false, failures: 0, status: "up", responseTimeMs: 1 } as const;
  const locationState: LocationState = { version: 1, slotMs: checkedAtMs, checkedAtMs, ...verdict };
  return { monitorId, location: "default", locationState };
};

test("saving figures and deleting many monitors at the same time do not deadlock", async () => {
  const [first, second] = [(await bed.add()).id, (await bed.add()).id];
  const nowMs = Date.now();
  const save = (atMs: number) =>
    saveFigures(bed.db, {
      partition: 0,
      position: null,
      changed: [changed(second, atMs), changed(first, atMs)],
      nowMs,
    });
  await save(nowMs - 2_000);
  const deletion = await bed.db.transaction();
  await deletion("figures").where({ monitor_id: first }).delete();
  const saving = save(nowMs - 1_000);
  await eventually(async () => {
    const { rows } = await bed.db.raw(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into figures%'",
    );
    expect(rows).toHaveLength(1);
  });
  await deletion("figures").where({ monitor_id: second }).delete();
  await deletion.commit();
  await saving;
});

test("more figures than fit into one statement are saved completely", async () => {
  const { id } = await bed.add();
  const nowMs = Date.now();
  const locations = Array.from({ length: 2_500 }, (_, index) => `l${index}`);
  const all = locations.map((location) => ({ ...changed(id, nowMs), location }));
  await saveFigures(bed.db, { partition: 0, position: null, changed: all, nowMs });
  const [stored] = await bed.db("figures").where({ monitor_id: id, checked_at_ms: nowMs }).count();
  expect(stored).toEqual({ count: locations.length });
});

test("figures are updated in place: saving adds nothing to an index", async () => {
  const { id } = await bed.add();
  const nowMs = Date.now();
  const locations = Array.from({ length: 500 }, (_, index) => `l${index}`);
  for (const atMs of [nowMs, nowMs + 1]) {
    const all = locations.map((location) => ({ ...changed(id, atMs), location }));
    await saveFigures(bed.db, { partition: 0, position: null, changed: all, nowMs });
  }
  await eventually(async () => {
    const { rows } = await bed.db.raw(
      `select n_tup_upd::int as updated, n_tup_hot_upd::int as "inPlace" from pg_stat_user_tables
       where relid = 'figures'::regclass`,
    );
    const [{ updated, inPlace }] = rows;
    expect(updated).toBeGreaterThanOrEqual(locations.length);
    expect(inPlace).toBe(updated);
  });
});
