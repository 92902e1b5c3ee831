import { fromBinary } from "@bufbuild/protobuf";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox, secretContexts } from "@sonde/kit/secrets";
import { silentLog } from "@sonde/kit/service/log";
import { MonitorDefinitionSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { secretMask } from "@sonde/proto/http/secrets";
import { type Bucket, buckets } from "@sonde/proto/streams";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { migrations } from "../migrations/index.ts";
import type { StoredCheck } from "./monitors/monitor.ts";
import { sealChecks } from "./monitors/seal-secrets.ts";
import { isSealedByFirstKey } from "./monitors/stored-check.ts";
import { eventually } from "./testing/eventually.ts";
import { inputOf, httpCheckOf } from "./testing/fields.ts";
import { openTestbed, type MonitorsTestbed } from "./testing/service.ts";

/** Migrations before kinds existed, with rows as that version wrote them. */
const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "003"));
const atMs = Date.now();
const dayAgoMs = atMs - 86_400_000;
const row = {
  name: "plain",
  url: "https://example.com/health",
  method: "GET",
  interval_ms: 60_000,
  timeout_ms: 10_000,
  expected_status: "200",
  headers: "[]",
  body: null,
  follow_redirects: true,
  verify_tls: true,
  retries: 1,
  assertions: "[]",
  tags: [],
  locations: ["default"],
  status: "up",
  status_since_ms: atMs,
  revision: 1,
  version: 1,
  figures_version: 1,
  active_since_ms: atMs,
  created_at_ms: atMs,
  updated_at_ms: atMs,
};
const assertions = [
  { source: "json", property: "$.n", op: "equals", value: "3", isNumber: true },
  { source: "json", property: "$.n", op: "equals", value: "3", isNumber: false },
  { source: "latency", property: "", op: "lessThan", value: "500" },
  { source: "header", property: "etag", op: "exists", value: "" },
];
const secretKey = Buffer.alloc(32, 7).toString("base64");
/** Sealed by version 0.1.0 under that key. */
const sealed = "v1.XN6mTXDDzqWAQM2Nt6eykwtuOrwr-_wXjyry_GVi_4UaaA";

let bed: MonitorsTestbed;
let db: Database;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"), deriveKeys(secretKey));
  const options = { url: inject("databaseUrl"), schema: bed.schema, log: silentLog };
  db = await openDatabase({ ...options, migrations: before });
  await db("monitors").insert([
    row,
    {
      ...row,
      name: "full",
      url: "https://example.com/full",
      method: "POST",
      body: '{"a":1}',
      expected_status: "200-204,301",
      follow_redirects: false,
      verify_tls: false,
      headers: JSON.stringify([
        { name: "X-Api-Key", value: sealed, secret: true },
        { name: "Accept", value: "*/*", secret: false },
      ]),
      assertions: JSON.stringify(assertions),
      tags: ["a", "b"],
      status: "down",
      version: 4,
    },
    { ...row, name: "deleted", url: "", active_since_ms: null, deleted_at_ms: Date.now() },
  ]);
  await db("figures").insert({
    monitor_id: 2,
    location: "default",
    version: 4,
    slot_ms: atMs,
    checked_at_ms: atMs,
    failing: true,
    failures: 2,
    status: "down",
    response_time_ms: 12.5,
    status_code: 500,
    error: "Expected status 200-204,301, got 500",
  });
  await db("incidents").insert([
    { monitor_id: 2, kind: "down", cause: "Expected status 200-204,301, got 500", opened_at_ms: atMs },
    {
      monitor_id: 2,
      kind: "down",
      cause: "old",
      opened_at_ms: dayAgoMs,
      closed_at_ms: dayAgoMs,
      resolution: "recovered",
      flaps: 3,
    },
  ]);
  await bed.start();
});
afterAll(async () => {
  await db.destroy();
  await bed.stop();
});

test("a monitor from before kinds becomes an HTTP monitor with all its fields", async () => {
  const plain = await bed.monitors.getMonitor({ id: 1 });
  expect(plain).toMatchObject({ target: "https://example.com/health", status: "up" });
  expect(httpCheckOf(plain)).toEqual({
    type: "http",
    url: "https://example.com/health",
    method: "GET",
    expectedStatus: 200,
    headers: [],
    followRedirects: true,
    verifyTls: true,
    assertions: [],
    invert: false,
  });
  const full = await bed.monitors.getMonitor({ id: 2 });
  expect(full).toMatchObject({ status: "down", lastError: "Expected status 200-204,301, got 500" });
  expect(full).toMatchObject({ name: "full", tags: ["a", "b"], retries: 1 });
  expect(httpCheckOf(full)).toEqual({
    type: "http",
    url: "https://example.com/full",
    method: "POST",
    body: '{"a":1}',
    expectedStatus: "200-204,301",
    headers: [
      { name: "X-Api-Key", value: secretMask },
      { name: "Accept", value: "*/*" },
    ],
    followRedirects: false,
    verifyTls: false,
    assertions: [
      { source: "json", property: "$.n", op: "equals", value: 3 },
      { source: "json", property: "$.n", op: "equals", value: "3" },
      { source: "latency", op: "lessThan", value: 500 },
      { source: "header", property: "etag", op: "exists" },
    ],
    invert: false,
  });
  expect((await bed.monitors.listMonitors({})).total).toBe(2);
});

async function secretIn(bucket: Bucket, key: string): Promise<string> {
  const entry = await (await bed.bus.kv(bucket)).get(key);
  const { spec, version } = fromBinary(MonitorDefinitionSchema, entry?.value ?? new Uint8Array());
  expect(version).toBe(4);
  const { headers } = JSON.parse(spec?.check ?? "{}") as { headers: { value: { sealed: string } }[] };
  expect(headers[1]?.value).toBe("*/*");
  return headers[0]?.value.sealed ?? "";
}

test("runners get its new form, with a secret that their only key opens", async () => {
  const { SONDE_KEY_CHECK } = deriveKeys(secretKey);
  await eventually(async () => {
    const text = await secretIn(buckets.definitions, "default.2");
    expect(secretBox({ SONDE_KEY_CHECK }).open(text, secretContexts.check)).toBe("canary");
  });
});

test("runners of the previous version keep the secret that they can open", async () => {
  await eventually(async () => expect(await secretIn(buckets.monitors, "2")).toBe(sealed));
});

test("its secret is resealed with the first key when no replica of the previous version is left", async () => {
  const secrets = secretBox(deriveKeys(secretKey));
  expect(await sealChecks({ db, log: silentLog, secrets }, true)).toBe(1);
  const { config } = (await db("monitors").where({ id: 2 }).first<{ config: StoredCheck }>("config"))!;
  expect(isSealedByFirstKey(secrets, config)).toBe(true);
});

test("saving it unchanged does not change the check", async () => {
  const shown = httpCheckOf(await bed.monitors.getMonitor({ id: 2 }));
  await bed.monitors.updateMonitor({ id: 2, patch: inputOf({ ...shown, name: "renamed" }) });
  expect(await db("monitors").where({ id: 2 }).first("version", "status")).toEqual({ version: 4, status: "down" });
});

test("its open and closed incidents stay", async () => {
  const rows = await db("incidents").orderBy("opened_at_ms").select("target_id", "cause", "flaps", "closed_at_ms");
  expect(rows).toEqual([
    { target_id: 2, cause: "old", flaps: 3, closed_at_ms: dayAgoMs },
    { target_id: 2, cause: "Expected status 200-204,301, got 500", flaps: 0, closed_at_ms: null },
  ]);
});
