import { buckets } from "@sonde/proto/streams";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { inputOf } from "../testing/fields.ts";
import { openTestbed, type MonitorsTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
});
afterAll(() => bed.stop());

const url = "https://example.com/health";

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
