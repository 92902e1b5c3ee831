import type { Fingerprint } from "@sonde/proto/http/incidents/fingerprint";
import { fakeClock } from "@sonde/kit/time/clock";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { slotsOf } from "../testing/facts.ts";
import { inputOf } from "../testing/fields.ts";
import { openPartitionBed, type ResultsPartitionBed } from "../testing/partition-bed.ts";
import { type MonitorsTestbed, openTestbed } from "../testing/service.ts";
import { createCausePass } from "./pass.ts";
import { pruneCauses, readCauses } from "./store.ts";

const at = "2026-01-02T09:00:00Z";
const seenAt = (address: string, more: Partial<Fingerprint> = {}) => ({
  fingerprint: JSON.stringify({ at, addresses: [address], status: 200, ...more }),
});

const factsAt = (network: string) => [`address ${network}.7`, `network ${network}.0/24`];

describe("a shared cause", () => {
  let bed: ResultsPartitionBed;
  beforeAll(async () => void (bed = await openPartitionBed(inject("databaseUrl"))));
  afterAll(() => bed.stop());
  afterEach(async () => {
    await bed.stopOpened();
    await bed.db("monitors").update({ deletedAtMs: 1 });
    await bed.db("incidents").delete();
  });

  /** Publishes results of new monitors until each has its last status, and saves them. */
  async function outage(addresses: readonly { address: string; fails: boolean; failsWith?: object }[], given = {}) {
    const monitors = [];
    for (const one of addresses) {
      const { id } = await bed.add(given);
      const opened = await bed.open(id);
      const next = slotsOf({ id });
      await bed.publish(next("up", seenAt(one.address)));
      await bed.publish(one.fails ? next("down", one.failsWith) : next("up"));
      const last = next(one.fails ? "down" : "up");
      await bed.publish(last);
      await eventually(() =>
        expect(opened.live.get(id)).toMatchObject({
          status: one.fails ? "down" : "up",
          lastCheckedAtMs: last.startedAtMs,
        }),
      );
      await opened.owner.save();
      monitors.push({ id, live: opened.live });
    }
    const lives = new Map(monitors.map(({ id, live }) => [id, live]));
    const clock = fakeClock(Date.now());
    const replica = () =>
      createCausePass({
        db: bed.db,
        clock,
        live: { get: (id) => lives.get(id)?.get(id) },
        namesOf: async (ids) => new Map(ids.map((id) => [id, `agent ${id}`])),
      });
    return { ids: monitors.map(({ id }) => id), replica, clock };
  }
  const incidentsOf = async (ids: readonly number[]) =>
    (
      await bed
        .db("incidents")
        .whereRaw("target_id = any(?)", [[...ids]])
        .orderBy("id")
        .pluck<number[]>("id")
    ).map((id) => `m${id}`);
  const failing = (address: string) => ({ address, fails: true });
  const healthy = (address: string) => ({ address, fails: false });

  test("is stored once by two replicas, frozen after two minutes, and deleted with its incidents", async () => {
    const { ids, replica, clock } = await outage([
      failing("203.0.113.7"),
      failing("203.0.113.7"),
      failing("203.0.113.7"),
      failing("192.0.2.1"),
      healthy("198.51.100.1"),
    ]);
    const passes = [replica(), replica()];
    await Promise.all(passes.map((pass) => pass()));
    const cause = {
      fact: "address",
      value: "203.0.113.7",
      sharing: 3,
      failing: 4,
      healthy: 1,
      incidentIds: await incidentsOf(ids.slice(0, 3)),
    };
    expect(await readCauses(bed.db)).toEqual([cause]);
    // A replica that finds the same writes nothing.
    const before = await bed.db("shared_causes").pluck<number[]>("id");
    clock.advance(5_000);
    await passes[0]!();
    expect(await bed.db("shared_causes").pluck("id")).toEqual(before);
    // Now a healthy monitor is found at that address.
    await bed
      .db("fingerprints")
      .where({ monitorId: ids[4] })
      .update({ facts: factsAt("203.0.113") });
    clock.advance(115_000);
    await passes[1]!();
    expect(await readCauses(bed.db)).toEqual([cause]);
    const [last] = await incidentsOf(ids.slice(3, 4));
    expect(await readCauses(bed.db, [Number(last?.slice(1))])).toEqual([]);
    await bed.db("incidents").delete();
    await pruneCauses(bed.db);
    expect(await bed.db("shared_causes").pluck("id")).toEqual([]);
  });

  test("follows the facts while the group is forming", async () => {
    const { ids, replica, clock } = await outage([
      failing("203.0.113.7"),
      failing("203.0.113.7"),
      healthy("198.51.100.1"),
    ]);
    const pass = replica();
    await pass();
    expect(await readCauses(bed.db)).toHaveLength(1);
    await bed
      .db("fingerprints")
      .where({ monitorId: ids[2] })
      .update({ facts: factsAt("203.0.113") });
    // Not at once: a pass reads all monitors.
    await pass();
    expect(await readCauses(bed.db)).toHaveLength(1);
    clock.advance(5_000);
    await pass();
    expect(await readCauses(bed.db)).toEqual([]);
  });

  test("counts what the failed check found, and names agents", async () => {
    const dependsOn = [{ type: "agent" as const, id: 4 }];
    const moved = (address: string) => ({ ...failing("198.51.100.1"), failsWith: seenAt(address) });
    const one = await outage([moved("203.0.113.7"), moved("203.0.113.7"), healthy("198.51.100.1")]);
    await one.replica()();
    expect(await readCauses(bed.db)).toMatchObject([{ fact: "address", value: "203.0.113.7", sharing: 2 }]);
    await bed.db("monitors").update({ deletedAtMs: 1 });
    await bed.db("incidents").delete();
    const two = await outage([failing("203.0.113.1"), failing("203.0.112.1")], { dependsOn });
    const other = await outage([healthy("198.51.100.1")]);
    const clock = fakeClock(Date.now());
    await createCausePass({
      db: bed.db,
      clock,
      live: { get: (id) => ({ status: "up", lastCheckedAtMs: clock.now(), partial: [], monitorId: id }) as never },
      namesOf: async (ids) => new Map(ids.map((id) => [id, `agent ${id}`])),
    })();
    expect(await readCauses(bed.db)).toMatchObject([
      { fact: "agent", value: "agent 4", sharing: 2, healthy: 1, incidentIds: await incidentsOf(two.ids) },
    ]);
    expect(other.ids).toHaveLength(1);
  });

  test("ignores fingerprints that are invalid, too large or of an earlier version of the check", async () => {
    const { id } = await bed.add();
    const opened = await bed.open(id);
    const next = slotsOf({ id });
    const rowsOf = () => bed.db("fingerprints").where({ monitorId: id }).select("status", "facts");
    const invalid = ["{", "null", JSON.stringify({ at, addresses: 7 }), JSON.stringify({ at, resolver: "\0" })];
    for (const fingerprint of [...invalid, "x".repeat(9_000)]) await bed.publish(next("up", { fingerprint }));
    const last = next("down", seenAt("203.0.113.7", { resolver: "9.9.9.9" }));
    await bed.publish(last);
    await eventually(() => expect(opened.live.get(id)?.lastCheckedAtMs).toBe(last.startedAtMs));
    await opened.owner.save();
    expect(await rowsOf()).toEqual([{ status: "down", facts: [...factsAt("203.0.113"), "resolver 9.9.9.9"] }]);
    await bed.db("monitors").where({ id }).update({ version: 2, figuresVersion: 2 });
    await bed.publish(next("down", seenAt("203.0.113.8")));
    await opened.owner.save();
    expect(await rowsOf()).toMatchObject([{ facts: [...factsAt("203.0.113"), "resolver 9.9.9.9"] }]);
  });
});

describe("with two replicas of the service", () => {
  let bed: MonitorsTestbed;
  beforeAll(async () => {
    bed = await openTestbed(inject("databaseUrl"));
    await bed.start();
    await bed.start();
  });
  afterAll(() => bed.stop());

  test("the cause is in the list and in each incident that shares it", async () => {
    const add = async (name: string) => {
      const monitor = await bed.monitors.createMonitor({ monitor: inputOf({ name, url: `https://${name}.test/` }) });
      return { ...monitor, next: slotsOf(monitor) };
    };
    const down = [await add("one"), await add("two")];
    const up = await add("three");
    for (const { next } of down) await bed.publish(next("up", seenAt("2001:db8::7")));
    await bed.publish(up.next("up", seenAt("2001:db8::8")));
    for (const { next } of down) await bed.publish(next("down"), next("down"));
    await bed.publish(up.next("up"), up.next("up"));
    const all = { search: "" };
    const ids = await eventually(async () => {
      const { incidents } = await bed.incidents.listIncidents({ filter: all });
      expect(incidents).toHaveLength(2);
      return incidents.map(({ incident }) => incident.id).toSorted((one, other) => one.localeCompare(other));
    });
    const cause = {
      fact: "address",
      value: "2001:db8::7",
      sharing: 2,
      failing: 2,
      healthy: 1,
      incidentIds: ids,
    };
    await eventually(async () => {
      expect((await bed.monitors.listSharedCauses({ incidentIds: ["a1", ids[0]!] })).causes).toEqual([cause]);
      expect((await bed.monitors.listSharedCauses({})).causes).toEqual([cause]);
    });
    for (const id of ids) expect((await bed.incidents.getIncident({ id })).sharedCause).toEqual(cause);
    expect((await bed.monitors.listSharedCauses({ incidentIds: ["a1", "m999999"] })).causes).toEqual([]);
  });
});
