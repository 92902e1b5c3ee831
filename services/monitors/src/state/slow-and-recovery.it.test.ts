import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { slotsOf } from "../testing/facts.ts";
import { openPartitionBed, type ResultsPartitionBed } from "../testing/partition-bed.ts";
import type { ResultFields } from "../testing/service.ts";

let bed: ResultsPartitionBed;
beforeAll(async () => void (bed = await openPartitionBed(inject("databaseUrl"))));
afterAll(() => bed.stop());

afterEach(() => bed.stopOpened());
const open = (id: number) => bed.open(id);
const slow = { responseTimeMs: 900 };
const rowOf = (id: number) => bed.db("monitors").where({ id }).first("status", "statusSinceMs", "slowSinceMs");
const incidentsOf = (id: number) =>
  bed.db("incidents").where({ target_id: id }).orderBy("id").select("kind", "resolution", "openedAtMs", "closedAtMs");

async function publish(checks: readonly ResultFields[]) {
  for (const check of checks) await bed.publish(check);
  return checks.at(-1)?.startedAtMs;
}

test("three owners report one slow spell once, and going down replaces it", async () => {
  const { id } = await bed.add({ slowAfter: 800, slowChecks: { of: 2, in: 3 } });
  const owners = [await open(id), await open(id), await open(id)];
  const next = slotsOf({ id });
  const checks = [next("up", slow), next("up", slow), next("up"), next("up"), next("up", slow), next("up", slow)];
  const lastCheckedAtMs = await publish(checks);
  await eventually(() => {
    for (const { live } of owners) expect(live.get(id)).toMatchObject({ status: "up", slow: true, lastCheckedAtMs });
  });
  expect(await rowOf(id)).toMatchObject({ status: "up", slowSinceMs: lastCheckedAtMs });
  const failure = next("down");
  await publish([failure]);
  await eventually(() => {
    for (const { live } of owners) expect(live.get(id)).toMatchObject({ status: "down", slow: false });
  });
  expect(await rowOf(id)).toMatchObject({ status: "down", slowSinceMs: null });
  expect(await incidentsOf(id)).toMatchObject([
    { kind: "slow", resolution: "recovered", openedAtMs: checks[1]?.startedAtMs, closedAtMs: checks[3]?.startedAtMs },
    { kind: "slow", resolution: "replaced", closedAtMs: failure.startedAtMs },
    { kind: "down", resolution: null },
  ]);
  const events = await bed.incidentEvents(id);
  const words = events.map(({ change, quiet, incident }) => `${incident?.kind} ${change}${quiet ? " (quiet)" : ""}`);
  expect(words.toSorted((one, other) => one.localeCompare(other))).toEqual([
    "down opened",
    "slow closed",
    "slow closed (quiet)",
    "slow opened",
    "slow opened",
  ]);
  expect(events[0]?.incident?.cause).toBe("2 of 3 checks took longer than 800 ms, most recently 900 ms");
});

test("an outage ends at the first good check, also if another owner counts the last ones, twice", async () => {
  const { id } = await bed.add({ recoverAfter: 3 });
  const next = slotsOf({ id });
  const first = await open(id);
  const checks = [next("down"), next("up"), next("up")];
  const lastCheckedAtMs = await publish(checks);
  await eventually(() =>
    expect(first.live.get(id)).toMatchObject({ status: "down", goodChecks: 2, recoverAfter: 3, lastCheckedAtMs }),
  );
  await first.stop();
  const second = await open(id);
  const last = next("up");
  await publish([...checks, last, last]);
  await eventually(() =>
    expect(second.live.get(id)).toMatchObject({ status: "up", lastCheckedAtMs: last.startedAtMs, recoverAfter: 0 }),
  );
  const beganMs = checks[1]?.startedAtMs;
  expect(await rowOf(id)).toMatchObject({ status: "up", statusSinceMs: beganMs });
  expect(await incidentsOf(id)).toEqual([
    { kind: "down", resolution: "recovered", openedAtMs: checks[0]?.startedAtMs, closedAtMs: beganMs },
  ]);
  expect((await bed.eventKinds(id)).filter((kind) => kind === "up" || kind === "closed")).toHaveLength(2);
});

test("a monitor without these settings stores nothing for them", async () => {
  const { id } = await bed.add();
  const { live, owner } = await open(id);
  const next = slotsOf({ id });
  const lastCheckedAtMs = await publish([next("up", slow), next("down"), next("up", slow)]);
  await eventually(() => expect(live.get(id)).toMatchObject({ status: "up", lastCheckedAtMs }));
  await owner.stop();
  expect(await bed.db("figures").where({ monitor_id: id }).first("slowness", "recovery")).toEqual({
    slowness: null,
    recovery: null,
  });
});
