import { fromBinary } from "@bufbuild/protobuf";
import { deriveKeys, unknownKey } from "@sonde/kit/secret-keys";
import { secretBox, secretContexts } from "@sonde/kit/secrets";
import { silentLog } from "@sonde/kit/service/log";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { MonitorDefinitionSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { monitorInput } from "@sonde/proto/http/monitors/monitors";
import { secretMask } from "@sonde/proto/http/secrets";
import { registry } from "@sonde/kit/telemetry/metrics";
import { buckets } from "@sonde/proto/streams";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { eventually } from "../testing/eventually.ts";
import { httpCheck } from "../testing/definition.ts";
import { inputOf, httpCheckOf } from "../testing/fields.ts";
import { openTestbed, type MonitorsTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
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

test("a value stored in the clear that counts as secret now is sealed at the next start", async () => {
  const first = await bed.start();
  const url = "https://example.com/health";
  const { id } = await bed.monitors.createMonitor({ monitor: inputOf({ name: "old", url }) });
  await eventually(async () => expect((await definition(id)).version).toBe(1));
  await first.stop();
  const headers = [
    { name: "X-Auth", value: "canary" },
    { name: "Accept", value: "*/*" },
  ];
  await db("monitors")
    .where({ id })
    .update({ config: JSON.stringify({ ...httpCheck, url, headers }) });

  const second = await bed.start();

  const row = await db("monitors").where({ id }).first<{ config: unknown }>("config");
  expect(JSON.stringify(row?.config)).not.toContain("canary");
  await eventually(async () => {
    const { spec, version } = await definition(id);
    expect(JSON.parse(spec?.check ?? "")).toMatchObject({
      headers: [
        { name: "X-Auth", value: { sealed: expect.any(String) as string } },
        { name: "Accept", value: "*/*" },
      ],
    });
    expect(version).toBe(1);
  });
  const shown = await bed.monitors.getMonitor({ id });
  expect(httpCheckOf(shown).headers).toEqual([
    { name: "X-Auth", value: secretMask },
    { name: "Accept", value: "*/*" },
  ]);
  // The mask stands for the sealed value, so the check has not changed.
  const again = [{ name: "X-Auth", value: secretMask }, headers[1]!];
  await bed.monitors.updateMonitor({ id, patch: inputOf({ headers: again }) });
  await bed.monitors.updateMonitor({
    id,
    patch: inputOf({ headers: [{ name: "X-Auth", value: "canary" }, headers[1]!] }),
  });
  expect(await db("monitors").where({ id }).first("version")).toEqual({ version: 1 });
  await second.stop();
});

test("the key is rotated: rows and definitions move to the new key, and the old one is dropped", async () => {
  const [before, after] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString("base64"));
  const sealedIn = async (id: number) =>
    (JSON.parse((await definition(id)).spec?.check ?? "{}") as { headers?: { value: { sealed: string } }[] })
      .headers?.[0]?.value.sealed ?? "";
  const opens = async (key: string | undefined, id: number) => {
    const { SONDE_KEY_CHECK } = deriveKeys(key ?? "");
    return secretBox({ SONDE_KEY_CHECK }).open(await sealedIn(id), secretContexts.check);
  };
  const create = async (name: string) => {
    const headers = [{ name: "X-Auth", value: "canary" }];
    const { id } = await bed.monitors.createMonitor({
      monitor: inputOf({ name, url: "https://example.com/", headers }),
    });
    await eventually(async () => expect((await definition(id)).version).toBe(1));
    return id;
  };
  const remaining = async () =>
    (await registry.getMetricsAsJSON())
      .find(({ name }) => name === "sonde_secrets_under_old_keys")
      ?.values.map(({ value }) => value);
  // The previous test sealed a secret with a key that is lost here.
  await expect(bed.start(deriveKeys(before!))).rejects.toThrow(unknownKey);
  const old = await bed.start({ ...deriveKeys(before!), SONDE_ABANDON_SECRETS: "1" });
  const id = await create("kept");
  const job = await bed.monitors.createMonitor({
    monitor: monitorInput.parse({ type: "heartbeat", name: "job", every: 5 }),
  });
  const { pingKey } = await bed.monitors.setPingKey({ creates: false, renew: false });
  await old.stop();

  // Starts with both keys twice: first with the new key second, which only opens; then with it first, which seals.
  const careful = await bed.start(deriveKeys(`${before},${after}`));
  expect(await opens(before, id)).toBe("canary");
  await careful.stop();
  const both = await bed.start(deriveKeys(`${after},${before}`));
  await eventually(async () => expect(await opens(after, id)).toBe("canary"));
  expect((await definition(id)).version).toBe(1);
  const added = await create("added");
  expect(await opens(after, added)).toBe("canary");
  expect(await remaining()).toEqual([1]);
  const box = secretBox({ SONDE_KEY_CHECK: deriveKeys(after ?? "").SONDE_KEY_CHECK });
  await eventually(async () => {
    const { key = "" } = (await db("ping_keys").first<{ key: string } | undefined>("key")) ?? {};
    expect(box.open(key, secretContexts.check)).toBe(pingKey);
  });
  await both.stop();

  await bed.start(deriveKeys(after!));
  const shown = await bed.monitors.getMonitor({ id });
  expect(httpCheckOf(shown).headers).toEqual([{ name: "X-Auth", value: secretMask }]);
  expect(await bed.monitors.getMonitor({ id: job.id })).toMatchObject({
    pingUrl: (job as { pingUrl?: string }).pingUrl,
  });
  expect((await bed.monitors.getPingKey({})).pingKey).toBe(pingKey);
  // An address that no key opens is masked; the rest is returned.
  await db("heartbeats").where({ monitor_id: job.id }).update({ address: "2.AAAA" });
  expect(await bed.monitors.getMonitor({ id: job.id })).toMatchObject({ pingUrl: secretMask });
  expect(await remaining()).toEqual([1]);
});
