import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { openTestbed, type AgentsTestbed } from "../testing/service.ts";

let bed: AgentsTestbed;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
});
afterAll(() => bed.stop());

async function publish(agentId: number, startMs: number, disks: readonly (readonly string[])[]) {
  const samples = disks.map((mountPoints, index) => {
    const atMs = startMs + index * 1000;
    const full = mountPoints.map((mountPoint) => ({ mountPoint, usage: 99 }));
    return { agentId, receivedAtMs: atMs, sample: { at: timestampFromMs(atMs), cpu: { usage: 1 }, disks: full } };
  });
  const bytes = toBinary(SampleBatchSchema, create(SampleBatchSchema, { samples }));
  await bed.bus.js.publish(subjects.samples(partitionOf(agentId)), bytes);
}
const incidentsOf = (agentId: number) => bed.incidents.listIncidents({ filter: { targetId: agentId }, limit: 200 });
const lastSeen = async (id: number) => Date.parse((await bed.agents.getAgent({ id })).lastSeen ?? "");

test("an agent with ever new full disks opens thirty incidents a minute, which is shown", async () => {
  const { id } = await bed.register();
  const startMs = Date.now() - 50_000;
  const names = (round: number) => Array.from({ length: 100 }, (_, index) => `/${round}-${index}`);
  const rounds = Array.from({ length: 20 }, (_, round) => [names(round), names(round)]).flat();
  await publish(id, startMs, rounds);
  await eventually(async () => expect(await lastSeen(id)).toBe(startMs + 39_000));
  expect((await incidentsOf(id)).total).toBe(30);
  await eventually(async () => expect((await bed.agents.getAgent({ id })).incidentsHeldBack).toBe(true));
});

test("an agent with many full disks has fifty open incidents, which does not affect others", async () => {
  const { id } = await bed.register();
  const startMs = Date.now() - 120_000;
  const disks = Array.from({ length: 60 }, (_, index) => `/${index}`);
  await publish(id, startMs, [disks, disks]);
  await publish(id, startMs + 62_000, [disks, disks]);
  await eventually(async () => expect(await lastSeen(id)).toBe(startMs + 63_000));
  expect(await incidentsOf(id)).toMatchObject({ total: 50 });
  const other = await bed.register();
  await publish(other.id, Date.now() - 2000, [["/"], ["/"]]);
  await eventually(async () => expect((await incidentsOf(other.id)).total).toBe(1));
  expect((await bed.agents.getAgent({ id: other.id })).incidentsHeldBack).toBe(false);
});
