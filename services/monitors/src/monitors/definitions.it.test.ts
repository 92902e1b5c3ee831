import { fromBinary } from "@bufbuild/protobuf";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { joinGroup } from "@sonde/kit/sharding/group";
import { MonitorDefinitionSchema, MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { buckets } from "@sonde/proto/streams";
import { ownerGroup } from "@sonde/proto/subjects";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { eventually } from "../testing/eventually.ts";
import { inputOf } from "../testing/fields.ts";
import { openTestbed, type MonitorsTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
let db: Database;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  db = await openDatabase({ url: inject("databaseUrl"), schema: bed.schema, log: silentLog, migrations });
  await (await bed.bus.kv(buckets.definitions)).put("eu1.4711", new Uint8Array());
  for (const location of ["eu1", "us1"]) await bed.serveProbes(location, () => ({ status: "up" }));
  await bed.start();
});
afterAll(async () => {
  await db.destroy();
  await bed.stop();
});

/** The interval of each key, or `deleted` or `purged`. */
async function definitions(): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for await (const { key, value, operation } of await (await bed.bus.kv(buckets.definitions)).history()) {
    const { deleted, intervalMs } = fromBinary(MonitorDefinitionSchema, value);
    found[key] = operation === "PUT" ? (deleted ? "deleted" : intervalMs) : "purged";
  }
  return found;
}
const input = (name: string, values: string[], interval = 1) =>
  inputOf({ name, url: "https://example.com/", locations: values, interval });

test("each location of a monitor has its own key, which becomes a tombstone when the monitor leaves", async () => {
  await eventually(async () => expect((await bed.monitors.listLocations({})).locations).toHaveLength(3));
  const { id } = await bed.monitors.createMonitor({ monitor: input("shop", ["eu1", "us1"]) });
  await eventually(async () =>
    expect(await definitions()).toMatchObject({ [`eu1.${id}`]: 60_000, [`us1.${id}`]: 60_000 }),
  );
  await bed.monitors.updateMonitor({ id, patch: input("shop", ["us1"], 2) });
  await eventually(async () =>
    expect(await definitions()).toMatchObject({ [`eu1.${id}`]: "deleted", [`us1.${id}`]: 120_000 }),
  );
  await bed.monitors.updateMonitor({ id, patch: input("shop", ["eu1"], 3) });
  await eventually(async () =>
    expect(await definitions()).toMatchObject({ [`eu1.${id}`]: 180_000, [`us1.${id}`]: "deleted" }),
  );
  await bed.monitors.deleteMonitor({ id });
  await eventually(async () =>
    expect(await definitions()).toMatchObject({ [`eu1.${id}`]: "deleted", [`us1.${id}`]: "deleted" }),
  );
});

test("changes by a replica of the previous version reach the runners after it leaves", async () => {
  const { id } = await bed.monitors.createMonitor({ monitor: input("blog", ["eu1"]) });
  await eventually(async () => expect(await definitions()).toMatchObject({ [`eu1.${id}`]: 60_000 }));
  const member = await joinGroup({ bus: bed.bus, group: ownerGroup("monitors"), log: silentLog });
  await eventually(async () => expect(member.members()).toHaveLength(2));
  // It wrote only the bucket of all definitions, which runners of this version do not read.
  const change = { interval_ms: 300_000, locations: ["us1"], revision: db.raw("nextval('revisions')") };
  await db("monitors").where({ id }).update(change);
  await member.leave();
  await eventually(async () =>
    expect(await definitions()).toMatchObject({ [`us1.${id}`]: 300_000, [`eu1.${id}`]: "deleted" }),
  );
});

test("the setting to store responses reaches runners and metrics without a new version", async () => {
  const { id, keepBody } = await bed.monitors.createMonitor({ monitor: input("shop", ["eu1"]) });
  expect(keepBody).toBe(true);
  const definition = async () =>
    fromBinary(MonitorDefinitionSchema, (await (await bed.bus.kv(buckets.definitions)).get(`eu1.${id}`))!.value);
  await eventually(async () => expect(await definition()).toMatchObject({ spec: { keepBody: true } }));
  const { version } = await definition();
  expect(await bed.monitors.updateMonitor({ id, patch: { keepBody: false } })).toMatchObject({ keepBody: false });
  await eventually(async () => expect(await definition()).toMatchObject({ spec: { keepBody: false }, version }));
  const timeline = async () =>
    fromBinary(MonitorTimelineSchema, (await (await bed.bus.kv(buckets.timelines)).get(String(id)))!.value);
  await eventually(async () => expect(await timeline()).toMatchObject({ keepBody: false }));
});

test("the key of a removed monitor is purged", async () => {
  await eventually(async () => expect(await definitions()).toMatchObject({ "eu1.4711": "purged" }));
});
