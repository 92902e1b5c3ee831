import type { MonitorInput } from "@sonde/proto/http/monitors/monitors";
import { fromBinary } from "@bufbuild/protobuf";
import { MonitorDefinitionSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { secretMask } from "@sonde/proto/http/secrets";
import { buckets } from "@sonde/proto/streams";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { inputOf, httpCheckOf } from "../testing/fields.ts";
import { openTestbed, type MonitorsTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
});
afterAll(() => bed.stop());

const url = "https://example.com/health";
const withSecret = (value: string, changes = {}) =>
  inputOf({ name: "shop", url, headers: [{ name: "Authorization", value }], ...changes });

async function sealedIn(id: number): Promise<string | undefined> {
  const entry = await (await bed.bus.kv(buckets.monitors)).get(String(id));
  const { spec } = fromBinary(MonitorDefinitionSchema, entry?.value ?? new Uint8Array());
  return /"sealed":"([^"]+)"/.exec(spec?.check ?? "")?.[1];
}

test("masks in a clone stand for the stored secrets, only for the same origin", async () => {
  const { id } = await bed.monitors.createMonitor({ monitor: withSecret("Bearer canary") });
  const clone = (monitor: MonitorInput) => bed.monitors.createMonitor({ monitor, cloneOf: id });
  const refused = { code: "invalid", details: [{ path: "headers.0.value" }] };

  const made = await clone(withSecret(secretMask, { url: `${url}/other` }));
  expect(made.id).not.toBe(id);
  expect(httpCheckOf(made).headers).toEqual([{ name: "Authorization", value: secretMask }]);
  await eventually(async () => expect(await sealedIn(id)).toMatch(/^v2\./));
  await eventually(async () => expect(await sealedIn(made.id)).toBe(await sealedIn(id)));

  await expect(clone(withSecret(secretMask, { url: "https://elsewhere.example/" }))).rejects.toMatchObject(refused);
  await expect(bed.monitors.createMonitor({ monitor: withSecret(secretMask) })).rejects.toMatchObject(refused);
});

test("secrets must be entered if the cloned monitor was deleted", async () => {
  const { id } = await bed.monitors.createMonitor({ monitor: withSecret("Bearer canary") });
  await bed.monitors.deleteMonitor({ id });
  await expect(bed.monitors.createMonitor({ monitor: withSecret(secretMask), cloneOf: id })).rejects.toMatchObject({
    details: [{ path: "headers.0.value", message: "No value is stored for this secret yet: please enter one" }],
  });
  const made = await bed.monitors.createMonitor({ monitor: withSecret("Bearer other"), cloneOf: id });
  expect(made.name).toBe("shop");
});

test("a monitor is created once per Idempotency-Key, and reaches the runners", async () => {
  const idempotency = { id: "key", request: "a", sealKey: "k".repeat(43) };
  const call = { actor: { id: 1, username: "bob", role: "user" as const }, idempotency };
  const once = () => bed.monitors.createMonitor({ monitor: inputOf({ name: "once", url }) }, { call });
  const [first, twin] = await Promise.all([once(), once()]);
  expect([twin, await once()]).toEqual([first, first]);
  expect((await bed.monitors.listMonitors({ search: "once" })).total).toBe(1);
  await eventually(async () => {
    const entry = await (await bed.bus.kv(buckets.monitors)).get(String(first.id));
    expect(entry?.value.length).toBeGreaterThan(0);
  });
  const other = { call: { ...call, idempotency: { ...idempotency, request: "b" } } };
  await expect(
    bed.monitors.createMonitor({ monitor: inputOf({ name: "once more", url }) }, other),
  ).rejects.toMatchObject({
    code: "impossible",
  });
});
