import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import type { IncidentRow } from "@sonde/domain/incidents/table";
import type { Database } from "@sonde/kit/postgres/database";
import { SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { updateAgent } from "../agents/store.ts";
import { eventually } from "../testing/eventually.ts";
import { openPartitionBed, type SamplesPartitionBed } from "../testing/partition-bed.ts";
import { openPartition, type SamplesPartition } from "./partition.ts";
import { defaultLimits, type UsageLimits } from "./thresholds.ts";

let bed: SamplesPartitionBed;
let db: Database;
let events: SamplesPartitionBed["events"];
beforeAll(async () => {
  bed = await openPartitionBed(inject("databaseUrl"));
  ({ db, events } = bed);
});
afterAll(() => bed.stop());

let id: number;
let clock: FakeClock;
let limits: UsageLimits;
let takesReports: boolean;
let open: SamplesPartition[];
beforeEach(async () => {
  id = await bed.addAgent("watched");
  clock = fakeClock(Date.now());
  limits = defaultLimits;
  takesReports = true;
  open = [];
  return async () => void (await Promise.all(open.map((partition) => partition.stop())));
});

async function own(given: FakeClock = clock): Promise<SamplesPartition> {
  const ctx = { ...bed.context(given), limits: { of: () => limits }, takesReports: () => takesReports };
  const partition = await openPartition(ctx, partitionOf(id));
  open.push(partition);
  return partition;
}

const status = async () => (await db("agents").where({ id }).first("status"))?.status;
const becomes = (wanted: string) => eventually(async () => expect(await status()).toBe(wanted));
const incidents = async () => {
  const rows = await db("incidents").where("target_id", id).orderBy("id").select<IncidentRow[]>();
  return rows.map(({ kind, metric, resolution }) => [metric || kind, resolution ?? undefined]);
};

async function publish(...usages: number[]) {
  const samples = usages.map((usage) => {
    clock.advance(1000);
    const sample = { at: timestampFromMs(clock.now()), cpu: { usage } };
    return { agentId: id, receivedAtMs: clock.now(), sample };
  });
  const bytes = toBinary(SampleBatchSchema, create(SampleBatchSchema, { samples }));
  await bed.bus.js.publish(subjects.samples(partitionOf(id)), bytes);
}

/** Advances the time, with a sweep of the owners each second. */
async function pass(seconds: number, ...partitions: SamplesPartition[]) {
  for (let second = 0; second < seconds; second++) {
    clock.advance(1000);
    for (const partition of partitions) partition.sweep();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe("an agent that falls silent", () => {
  test("is offline with an incident after three intervals, and online at its next sample, each published once", async () => {
    const partition = await own();
    await publish(10);
    await becomes("online");
    await pass(29, partition);
    expect(await status()).toBe("online");
    await pass(5, partition);
    await becomes("offline");
    await publish(10);
    await becomes("online");
    await eventually(() =>
      expect(events.words(id)).toEqual(["online", "offline", "opened offline", "online", "closed offline"]),
    );
    expect(await incidents()).toEqual([["offline", "recovered"]]);
  });

  test("is offline once, regardless of the number of owners", async () => {
    const partitions = [await own(), await own(), await own()];
    await publish(10);
    await becomes("online");
    await pass(40, ...partitions);
    await becomes("offline");
    await pass(10, ...partitions);
    await eventually(() => expect(events.words(id)).toEqual(["online", "offline", "opened offline"]));
    expect(await incidents()).toHaveLength(1);
  });

  test("stays connecting until its first sample", async () => {
    const partition = await own();
    await pass(60, partition);
    expect(await status()).toBe("connecting");
  });
});

describe("a server outage makes no agent offline", () => {
  test("silence before an owner started does not count", async () => {
    const first = await own();
    await publish(10);
    await becomes("online");
    await first.save();
    await first.stop();
    clock.advance(3_600_000);
    const second = await own();
    await pass(25, second);
    expect(await status()).toBe("online");
    await pass(15, second);
    await becomes("offline");
  });

  test("silence while an owner stalled does not count", async () => {
    const partition = await own();
    await publish(10);
    await becomes("online");
    clock.advance(600_000);
    await pass(25, partition);
    expect(await status()).toBe("online");
  });

  test("silence while reports are rejected does not count", async () => {
    const partition = await own();
    await publish(10);
    await becomes("online");
    takesReports = false;
    await pass(120, partition);
    takesReports = true;
    await pass(25, partition);
    expect(await status()).toBe("online");
  });

  test("an owner without samples of an agent does nothing if another owner has some", async () => {
    const partition = await own();
    await publish(10);
    await becomes("online");
    await db("readings")
      .where({ agent_id: id })
      .update({ last_seen_ms: clock.now() + 30_000 });
    await pass(40, partition);
    expect(await status()).toBe("online");
  });
});

describe("setting back the server's clock", () => {
  const reading = () => db("readings").where({ agent_id: id }).first<{ last_seen_ms: number }>("last_seen_ms");

  test("keeps no dead agent online, at any owner", async () => {
    const partition = await own();
    await publish(10);
    await becomes("online");
    await partition.save();
    clock.step(-7_200_000);
    await pass(1, partition);
    await partition.stop();
    expect((await reading())?.last_seen_ms).toBeLessThanOrEqual(clock.now());
    await db("readings")
      .where({ agent_id: id })
      .update({ last_seen_ms: clock.now() + 7_200_000 });
    const next = await own();
    await pass(35, next);
    await becomes("offline");
  });

  test("does not block later samples", async () => {
    const partition = await own();
    await publish(10);
    await becomes("online");
    await partition.save();
    clock.step(-50_000);
    await publish(20);
    await eventually(async () => {
      await partition.save();
      expect((await reading())?.last_seen_ms).toBe(clock.now());
    });
    await pass(29, partition);
    expect(await status()).toBe("online");
    await pass(5, partition);
    await becomes("offline");
  });
});

describe("thresholds", () => {
  test("open and close an incident once, with two owners and after a replay", async () => {
    const [first, second] = [await own(), await own()];
    await publish(95, 95, 96, 50);
    await publish(97, 98);
    const words = ["online", "opened cpu", "closed cpu", "opened cpu"];
    await eventually(() => expect(events.words(id)).toEqual(words));
    await Promise.all([first.stop(), second.stop()]);
    // No position was saved, so everything is read again.
    await db("positions").delete();
    await own();
    await publish(10);
    await eventually(() => expect(events.words(id)).toEqual([...words, "closed cpu"]));
    expect(await incidents()).toEqual([
      ["cpu", "recovered"],
      ["cpu", "recovered"],
    ]);
    expect(new Set(events.ids()).size).toBe(events.ids().length);
  });

  test("that are deferred are reported when the database is available", async () => {
    const partition = await own();
    const disks = Array.from({ length: 31 }, (_, index) => ({ mountPoint: `/${index}`, usage: 99 }));
    const samples = [0, 1].map(() => {
      clock.advance(1000);
      return { agentId: id, receivedAtMs: clock.now(), sample: { at: timestampFromMs(clock.now()), disks } };
    });
    const bytes = toBinary(SampleBatchSchema, create(SampleBatchSchema, { samples }));
    await bed.bus.js.publish(subjects.samples(partitionOf(id)), bytes);
    await eventually(async () => expect(await incidents()).toHaveLength(30));
    const rename = (from: string, to: string) =>
      db.schema.alterTable("agents", (table) => void table.renameColumn(from, to));
    await rename("incidents_held_back_at_ms", "away");
    await expect(partition.save()).rejects.toThrow("incidents_held_back_at_ms");
    await rename("away", "incidents_held_back_at_ms");
    await partition.save();
    expect((await db("agents").where({ id }).first())?.incidents_held_back_at_ms).not.toBeNull();
  });

  test("keep their counts when the owner changes", async () => {
    const first = await own();
    await publish(10, 95);
    await becomes("online");
    await eventually(async () => {
      await first.save();
      expect((await db("readings").where({ agent_id: id }).first())?.runs).toEqual({ cpu: { above: 1, under: 0 } });
    });
    await first.stop();
    await own();
    await publish(95);
    await eventually(() => expect(events.words(id)).toEqual(["online", "opened cpu"]));
  });

  test("that are removed close open incidents without alerts", async () => {
    await own();
    await publish(95, 95);
    await eventually(() => expect(events.words(id)).toContain("opened cpu"));
    limits = { cpu: null, memory: null, disk: null };
    await publish(95);
    await eventually(() => expect(events.words(id)).toEqual(["online", "opened cpu", "closed cpu (quiet)"]));
    expect(await incidents()).toEqual([["cpu", "edited"]]);
  });

  test("that are raised above the value close its incident as edited, also at another owner", async () => {
    const first = await own();
    await publish(10, 95, 95);
    await eventually(() => expect(events.words(id)).toContain("opened cpu"));
    await first.save();
    await first.stop();
    limits = { ...defaultLimits, cpu: 97 };
    await own();
    await publish(95);
    await eventually(() => expect(events.words(id)).toEqual(["online", "opened cpu", "closed cpu (quiet)"]));
    expect(await incidents()).toEqual([["cpu", "edited"]]);
  });

  test("publish the value, the threshold and the facts of the host", async () => {
    const host = { hostname: "DB-1.internal", ipAddresses: ["127.0.0.1", "::1", "192.0.2.7"], os: "Debian 13" };
    const dependsOn = [{ type: "monitor" as const, id: 4 }];
    await bed.serviceDb.transaction((trx) => updateAgent(trx, id, { ...host, tags: ["eu"], dependsOn }, Date.now()));
    const partition = await own();
    await publish(95, 96, 50);
    await eventually(() => expect(events.words(id)).toContain("closed cpu"));
    await pass(60, partition);
    await becomes("offline");
    await eventually(() => expect(events.incidents(id)).toHaveLength(3));
    const published = events.incidents(id);
    expect(published.map(({ facts }) => [facts?.value, facts?.threshold])).toEqual([
      [96, 90],
      [50, 90],
      [undefined, undefined],
    ]);
    for (const { facts } of published) {
      const hosts = ["db-1.internal", "192.0.2.7"];
      expect(facts).toMatchObject({
        ...host,
        target: host.hostname,
        tags: ["eu"],
        dependsOn,
        hosts,
        intervalMs: 10_000,
      });
    }
  });

  test("that are crossed repeatedly are published once as flapping and once as steady", async () => {
    await own();
    await publish(10);
    for (let swing = 0; swing < 6; swing++) await publish(95, 95, 10, 10);
    const begun = [...Array.from({ length: 4 }, () => ["opened cpu", "closed cpu"]).flat(), "opened cpu"];
    await eventually(() => expect(events.words(id)).toEqual(["online", ...begun, "flapping cpu"]));
    await publish(99, 99);
    clock.advance(600_000);
    await publish(99, 99);
    await eventually(() => expect(events.words(id)).toEqual(["online", ...begun, "flapping cpu", "steady cpu"]));
    await publish(10);
    await eventually(() => expect(events.words(id).at(-1)).toBe("closed cpu"));
  });
});
