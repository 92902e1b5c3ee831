import { fromBinary } from "@bufbuild/protobuf";
import { silentLog } from "@sonde/kit/service/log";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { MonitorDefinitionSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { secretMask } from "@sonde/proto/http/monitors";
import { buckets } from "@sonde/proto/streams";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { eventually } from "../testing/eventually.ts";
import { openTestbed, type Testbed } from "../testing/service.ts";

let bed: Testbed;
let db: Database;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  db = await openDatabase({ url: inject("databaseUrl"), schema: bed.schema, migrations, log: silentLog });
});
afterAll(async () => {
  await db.destroy();
  await bed.stop();
});

const definition = async (id: number) => {
  const entry = await (await bed.bus.kv(buckets.monitors)).get(String(id));
  return fromBinary(MonitorDefinitionSchema, entry?.value ?? new Uint8Array());
};

test("a value that was stored in the clear under a name that is secret now is sealed at the next start", async () => {
  const first = await bed.start();
  const url = "https://example.com/health";
  const { id } = await bed.monitors.createMonitor({ fields: { name: "old", url } });
  await eventually(async () => expect((await definition(id)).version).toBe(1));
  await first.stop();
  const headers = [
    { name: "X-Auth", value: "canary", secret: false },
    { name: "Accept", value: "*/*", secret: false },
  ];
  await db("monitors")
    .where({ id })
    .update({ headers: JSON.stringify(headers) });

  await bed.start();

  const row = await db("monitors").where({ id }).first<{ headers: unknown }>("headers");
  expect(JSON.stringify(row?.headers)).not.toContain("canary");
  await eventually(async () => {
    const { spec, version } = await definition(id);
    expect(spec?.headers.map(({ name, secret }) => [name, secret])).toEqual([
      ["X-Auth", true],
      ["Accept", false],
    ]);
    expect(version).toBe(1);
  });
  const shown = await bed.monitors.getMonitor({ id });
  expect(shown.fields?.headers?.headers).toMatchObject([
    { name: "X-Auth", value: secretMask },
    { name: "Accept", value: "*/*" },
  ]);
  // The mask stands for what was sealed: nothing that is checked has changed.
  const again = [{ name: "X-Auth", value: secretMask }, headers[1]!];
  await bed.monitors.updateMonitor({ id, fields: { headers: { headers: again } } });
  await bed.monitors.updateMonitor({
    id,
    fields: { headers: { headers: [{ name: "X-Auth", value: "canary" }, headers[1]!] } },
  });
  expect(await db("monitors").where({ id }).first("version")).toEqual({ version: 1 });
});
