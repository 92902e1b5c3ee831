import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { slotsOf } from "../testing/facts.ts";
import { inputOf, httpCheckOf } from "../testing/fields.ts";
import { openTestbed, type MonitorsTestbed } from "../testing/service.ts";

const dayMs = 86_400_000;
let bed: MonitorsTestbed;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"), { MONITOR_MIN_INTERVAL_SECONDS: "1" });
  await bed.start();
});
afterAll(() => bed.stop());
afterEach(async () => {
  const { monitors } = await bed.monitors.listMonitors({});
  await bed.monitors.bulkMonitors({ ids: monitors.map(({ id }) => id), action: "delete" });
});

const add = async (name: string, more: object = {}) =>
  (await bed.monitors.createMonitor({ monitor: inputOf({ name, url: "https://example.com/", ...more }) })).id;
const becomes = (id: number, status: string) =>
  eventually(async () => expect((await bed.monitors.getMonitor({ id })).status).toBe(status));
const attention = async (limit: number) => (await bed.monitors.summary({ attention: limit })).attention;

test("monitors are sorted by worst state, then by most recent change; paused ones are left out", async () => {
  const headers = [{ name: "X-Trace", value: "on" }];
  const down = [await add("down first", { headers }), await add("down last")];
  for (const id of down) {
    await bed.publish(slotsOf({ id })("down"));
    await becomes(id, "down");
  }
  const up = await add("up");
  await bed.publish(slotsOf({ id: up })("up"));
  await becomes(up, "up");
  await add("paused", { paused: true });
  const pending = await add("pending");
  const silent = await add("silent", { interval: 1 / 60, timeout: 0.5 });
  await eventually(async () => expect((await bed.monitors.getMonitor({ id: silent })).stale).toBe(true));

  const order = [down[1], down[0], silent, pending, up];
  expect((await attention(50)).map(({ id }) => id)).toEqual(order);
  expect((await attention(2)).map(({ id }) => id)).toEqual(order.slice(0, 2));
  expect(await attention(0)).toEqual([]);
  const [, first] = await attention(2);
  expect(first).toMatchObject({ status: "down", lastError: "Status 503", responseTime: 42 });
  expect(httpCheckOf(first!).headers).toEqual([]);
});

test("certificates that expire in the given number of days are counted, and the earliest are listed", async () => {
  const withCertificate = async (name: string, endsInDays: number) => {
    const id = await add(name);
    const certificateExpiresAtMs = Date.now() + endsInDays * dayMs;
    await bed.publish(slotsOf({ id })("up", { certificateExpiresAtMs }));
    await becomes(id, "up");
    return { id, certificateExpiresAtMs };
  };
  const far = await withCertificate("far", 15);
  const soon = await withCertificate("soon", 13);
  const past = await withCertificate("past", -1);
  const without = await add("without");
  const known = () => bed.monitors.summary({ certificateDays: 14 });
  await eventually(async () => expect((await known()).certificates.total).toBe(2));
  expect((await known()).certificates.soonest).toMatchObject([
    { monitorId: past.id, name: "past", expiresAt: new Date(past.certificateExpiresAtMs).toISOString() },
    { monitorId: soon.id, name: "soon" },
  ]);
  const listed = async (status: "active" | "expiring") =>
    (await bed.monitors.listMonitors({ status, sort: "createdAt" })).monitors.map(({ id }) => id);
  expect(await listed("expiring")).toEqual([soon.id, past.id]);

  await bed.monitors.pauseMonitor({ id: past.id });
  expect(await known()).toMatchObject({ certificates: { total: 1, soonest: [{ monitorId: soon.id }] } });
  expect(await listed("expiring")).toEqual([soon.id]);
  expect(await listed("active")).toEqual([far.id, soon.id, without]);
  expect(await bed.monitors.summary({})).toMatchObject({ certificates: { total: 0, soonest: [] } });
});
