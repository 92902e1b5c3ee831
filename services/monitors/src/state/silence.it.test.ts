import type { IncidentRow } from "@sonde/domain/incidents/table";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { writeMonitor, writePaused, writeRemovals } from "../monitors/monitors.ts";
import { findMonitor } from "../monitors/store.ts";
import { storedAt } from "../testing/bus-clock.ts";
import { httpCheck } from "../testing/definition.ts";
import { eventually } from "../testing/eventually.ts";
import { openPartitionBed, type ResultsPartitionBed } from "../testing/partition-bed.ts";
import type { ResultsPartition } from "./partition.ts";

vi.mock("@sonde/kit/bus/follow", async (load) => storedAt(await load(), () => clock.now()));

let bed: ResultsPartitionBed;
beforeAll(async () => void (bed = await openPartitionBed(inject("databaseUrl"))));
afterAll(() => bed.stop());

const dependsOn = [{ type: "agent" as const, id: 4 }];
const check = {
  ...httpCheck,
  url: "https://Shop.example:8443/health?page=2&access_token=hidden",
  headers: [{ name: "Authorization", value: { sealed: "v1.sealed" } }],
  body: "hidden",
};

let clock: FakeClock;
let owners: ReturnType<ResultsPartitionBed["owners"]>;
let owner: ResultsPartition;
let id: number;
beforeEach(async () => {
  clock = fakeClock(Date.now() - 86_400_000);
  owners = bed.owners(clock);
  const given = { name: "shop", config: check, retries: 0, tags: ["eu"], note: "Ring twice", dependsOn };
  id = (await bed.add(given, clock.now())).id;
  owner = await owners.own(id);
  return () => owners.stop();
});

const report = async (status: "up" | "down", more = {}) => {
  clock.advance(1_000);
  const nowMs = clock.now();
  const result = { version: 1, slotMs: nowMs, startedAtMs: nowMs, status, responseTimeMs: 42, ...more };
  await bed.publish({ monitorId: id, failures: status === "down" ? 1 : 0, ...result });
  await eventually(() => expect(owners.live.get(id)?.lastCheckedAtMs).toBe(nowMs));
};
const fallSilent = async () => {
  for (let second = 0; second < 240; second++) {
    clock.advance(1_000);
    owner.sweep();
    await new Promise(setImmediate);
  }
  await eventually(async () => expect((await incidents()).at(-1)).toEqual(["stale", null]));
};
const incidents = async () => {
  const rows = await bed.db("incidents").where("target_id", id).orderBy("id").select<IncidentRow[]>();
  return rows.map(({ kind, resolution }) => [kind, resolution]);
};
const changes = async () => (await bed.incidentEvents(id)).map(({ change, incident }) => `${change} ${incident?.kind}`);

test("silence opens an incident with its duration in minutes, and a later failure opens another one", async () => {
  await report("up");
  await fallSilent();
  const [{ incident } = {}] = await bed.incidentEvents(id);
  expect(incident?.cause).toMatch(/^No results for [234] min$/);
  await report("down");
  expect(await incidents()).toEqual([
    ["stale", "recovered"],
    ["down", null],
  ]);
  expect((await changes()).toSorted()).toEqual(["closed stale", "opened down", "opened stale"]);
});

test("silence continues if the check before it is read again after a kill", async () => {
  await report("up");
  await fallSilent();
  // Neither position nor figures are saved, so the next owner reads the check again.
  const heirs = bed.owners(clock);
  try {
    await heirs.own(id);
    await eventually(() => expect(heirs.live.get(id)).toMatchObject({ status: "up", stale: true }));
    expect(await incidents()).toEqual([["stale", null]]);
    await report("up");
    expect(await incidents()).toEqual([["stale", "recovered"]]);
  } finally {
    await heirs.stop();
  }
});

test("a monitor that is down and silent has both incidents, and the next check closes only the silence", async () => {
  await report("down");
  await fallSilent();
  expect(await incidents()).toEqual([
    ["down", null],
    ["stale", null],
  ]);
  await report("down");
  expect(await incidents()).toEqual([
    ["down", null],
    ["stale", "recovered"],
  ]);
});

describe("both incidents of a monitor that is down and silent close, once and without alerts, when it is", () => {
  const edit = async () => {
    const before = await findMonitor(bed.db, id);
    await bed.db.transaction((trx) => writeMonitor(trx, before, { ...before, retries: 5 }, false, clock.now()));
  };
  test.each([
    ["paused", () => bed.db.transaction((trx) => writePaused(trx, id, true, clock.now()))],
    ["edited", edit],
    ["deleted", () => bed.db.transaction((trx) => writeRemovals(trx, [id], clock.now()))],
  ])("%s", async (resolution, act) => {
    await report("down");
    await fallSilent();
    await act();
    expect(await incidents()).toEqual([
      ["down", resolution],
      ["stale", resolution],
    ]);
    const closed = (await bed.incidentEvents(id)).filter(({ change }) => change === "closed");
    const kinds = closed.map(({ incident }) => incident?.kind ?? "").toSorted((one, other) => one.localeCompare(other));
    expect(kinds).toEqual(["down", "stale"]);
    expect(closed.every(({ quiet, facts }) => quiet && facts?.note === "Ring twice")).toBe(true);
  });
});

test("every event contains the facts of the monitor, and no secrets", async () => {
  await report("down", { statusCode: 503 });
  await fallSilent();
  await report("up", { statusCode: 200, responseTimeMs: 7 });
  const published = await bed.incidentEvents(id);
  expect(published.map(({ facts }) => [facts?.responseTimeMs, facts?.statusCode])).toEqual([
    [42, 503],
    [undefined, undefined],
    [7, 200],
    [7, 200],
  ]);
  for (const { facts } of published) {
    expect(facts).toMatchObject({
      target: "https://Shop.example:8443/health?page=2&access_token=…",
      tags: ["eu"],
      locations: ["default"],
      note: "Ring twice",
      dependsOn,
      hosts: ["shop.example"],
      intervalMs: 60_000,
      expectedStatus: "200",
    });
    expect(JSON.stringify(facts)).not.toMatch(/hidden|sealed|Authorization/);
  }
});
