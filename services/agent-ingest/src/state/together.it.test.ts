import type { IncidentRow } from "@sonde/domain/incidents/table";
import type { Database } from "@sonde/kit/postgres/database";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import { partitionOf } from "@sonde/proto/subjects";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { openPartitionBed, type SamplesPartitionBed } from "../testing/partition-bed.ts";
import { openPartition, type SamplesPartition } from "./partition.ts";

let bed: SamplesPartitionBed;
let db: Database;
let events: SamplesPartitionBed["events"];
beforeAll(async () => {
  bed = await openPartitionBed(inject("databaseUrl"));
  ({ db, events } = bed);
});
afterAll(() => bed.stop());

let clock: FakeClock;
let open: SamplesPartition[];
beforeEach(() => {
  clock = fakeClock(Date.now());
  open = [];
  return async () => void (await Promise.all(open.map((partition) => partition.stop())));
});

async function ownerOf([id = 0]: readonly number[]): Promise<SamplesPartition> {
  const partition = await openPartition(bed.context(clock), partitionOf(id));
  open.push(partition);
  return partition;
}

/** Advances the time, with a sweep of the owner each second. */
async function pass(seconds: number, partition: SamplesPartition) {
  for (let second = 0; second < seconds; second++) {
    clock.advance(1000);
    partition.sweep();
    await new Promise(setImmediate);
  }
}

async function silentAgents(count: number): Promise<number[]> {
  const ids = [await bed.addAgent("silent")];
  const [first = 0] = ids;
  while (ids.length < count) {
    const made = await bed.addAgent("silent");
    if (partitionOf(made) === partitionOf(first)) ids.push(made);
  }
  await db("agents").whereIn("id", ids).update({ status: "offline" });
  const opened = { kind: "offline", metric: "", cause: "No report for 45 s", opened_at_ms: clock.now() };
  await db("incidents").insert(ids.map((target_id) => ({ ...opened, target_id })));
  return ids;
}

/** Ids of the transactions that last wrote these agents. */
async function writersOf(ids: readonly number[]): Promise<Set<string>> {
  const rows = await db("agents").whereIn("id", ids).select<{ writer: string }[]>(db.raw("xmin::text as writer"));
  return new Set(rows.map(({ writer }) => writer));
}
const statusesOf = (ids: readonly number[]) => db("agents").whereIn("id", ids).orderBy("id").pluck("status");

describe("agents that return together", () => {
  test("are online in one transaction, each published before the end of its incident", async () => {
    const ids = await silentAgents(20);
    await ownerOf(ids);
    await bed.publishOfEach(ids, clock.now());
    await eventually(() => {
      for (const agentId of ids) expect(events.words(agentId)).toEqual(["online", "closed offline"]);
    });
    expect(await statusesOf(ids)).toEqual(ids.map(() => "online"));
    expect((await writersOf(ids)).size).toBe(1);
    const left = await db("incidents").whereIn("target_id", ids).select<IncidentRow[]>("resolution");
    expect(new Set(left.map(({ resolution }) => resolution))).toEqual(new Set(["recovered"]));
    expect(left).toHaveLength(ids.length);
  });

  test("are not online again if another owner decided on their samples, or they were deleted", async () => {
    const ids = await silentAgents(3);
    await ownerOf(ids);
    const [decided = 0, deleted = 0, left = 0] = ids;
    await db("agents")
      .where({ id: decided })
      .update({ state_mark: 1e15, state_stream: (await bed.bus.jsm.streams.info("SAMPLES")).created });
    await db("agents").where({ id: deleted }).update({ deleted_at_ms: clock.now() });
    await bed.publishOfEach(ids, clock.now());
    await eventually(() => expect(events.words(left)).toEqual(["online", "closed offline"]));
    expect(await statusesOf(ids)).toEqual(["offline", "offline", "online"]);
    expect([...events.words(decided), ...events.words(deleted)]).toEqual([]);
  });
});

describe("agents that become silent together", () => {
  const reportingAgents = async (count: number) => {
    const ids = await silentAgents(count);
    const partition = await ownerOf(ids);
    await bed.publishOfEach(ids, clock.now());
    await eventually(() => {
      for (const agentId of ids) expect(events.words(agentId)).toEqual(["online", "closed offline"]);
    });
    return { ids, partition };
  };

  test("are offline in one transaction with three statements, each published before its incident", async () => {
    const { ids, partition } = await reportingAgents(20);
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => void statements.push(sql.replace(/\s+/g, " "));
    bed.serviceDb.on("query", note);
    await pass(35, partition);
    await eventually(() => {
      for (const agentId of ids) expect(events.words(agentId).slice(2)).toEqual(["offline", "opened offline"]);
    });
    bed.serviceDb.off("query", note);
    const changes = ["update agents set status = 'offline'", "insert into incidents", "insert into events"];
    const counts = changes.map((change) => statements.filter((sql) => sql.includes(change)).length);
    expect(counts).toEqual([1, 1, 1]);
    expect(await statusesOf(ids)).toEqual(ids.map(() => "offline"));
    expect((await writersOf(ids)).size).toBe(1);
    expect(events.incidents(ids[0]!).at(-1)?.incident?.cause).toMatch(/^No report for 3\d s$/);
  });

  test("are not offline if another owner received samples, or they were deleted", async () => {
    const { ids, partition } = await reportingAgents(3);
    const [reporting = 0, deleted = 0, silent = 0] = ids;
    await db("readings")
      .where({ agent_id: reporting })
      .update({ last_seen_ms: clock.now() + 30_000 });
    await db("agents").where({ id: deleted }).update({ deleted_at_ms: clock.now() });
    await pass(35, partition);
    await eventually(() => expect(events.words(silent).slice(2)).toEqual(["offline", "opened offline"]));
    expect(await statusesOf(ids)).toEqual(["online", "online", "offline"]);
    expect([reporting, deleted].map((agentId) => events.words(agentId).slice(2))).toEqual([[], []]);
  });
});
