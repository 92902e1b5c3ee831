import { fromBinary } from "@bufbuild/protobuf";
import { toAppError } from "@sonde/kit/errors";
import { PingTargetSchema } from "@sonde/proto/gen/pings/v1/pings";
import { type MonitorInputDraft, monitorInput } from "@sonde/proto/http/monitors/monitors";
import { allPingTargets, buckets } from "@sonde/proto/streams";
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { type MonitorsTestbed, openTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
});
afterAll(() => bed.stop());

const make = async (fields: object) => {
  const draft = { type: "heartbeat", name: "backup", ...fields } as MonitorInputDraft;
  const monitor = await bed.monitors.createMonitor({ monitor: monitorInput.parse(draft) });
  if (monitor.type !== "heartbeat") throw new Error("the monitor is not a heartbeat");
  return monitor;
};
const pathsOf = (error: unknown) => toAppError(error).details.map(({ path }) => path);
const refused = (run: Promise<unknown>) =>
  run.then(
    () => "nothing",
    (error: unknown) => [toAppError(error).code, ...pathsOf(error)].join(" "),
  );
const sha = (text: string) => createHash("sha256").update(text).digest("hex");
const targetOf = async (text: string) => {
  const entry = await (await bed.bus.kv(buckets.pings)).get(sha(text));
  return entry === null || entry.operation !== "PUT" ? null : fromBinary(PingTargetSchema, entry.value);
};
const uuidOf = (monitor: { pingUrl: string }) => monitor.pingUrl.slice("/ping/".length);

test("the list of addresses is marked as complete, even if it is empty", async () => {
  const kv = await bed.bus.kv(buckets.pings);
  await vi.waitFor(async () => expect(await kv.get(allPingTargets)).toMatchObject({ operation: "PUT" }), 30_000);
});

test("a heartbeat has an address and a period, waits for its first ping, and is not checked", async () => {
  const monitor = await make({ every: 30 });
  expect(monitor).toMatchObject({
    status: "pending",
    interval: 30,
    every: 30,
    grace: 300,
    keepOutput: true,
    dueAt: null,
    lastRun: null,
  });
  expect(monitor.pingUrl).toMatch(/^\/ping\/[0-9a-f]{8}-[0-9a-f-]{27}$/);
  for (const field of ["timeout", "retries", "locations", "keepBody"]) expect(monitor).not.toHaveProperty(field);
  await vi.waitFor(
    async () => expect(await targetOf(uuidOf(monitor))).toMatchObject({ monitorId: monitor.id, deleted: false }),
    30_000,
  );
  expect(await refused(bed.monitors.checkNow({ id: monitor.id }))).toBe("impossible");
  const definitions = await bed.bus.kv(buckets.definitions);
  for await (const key of await definitions.keys()) expect(key).not.toMatch(new RegExp(`\\.${monitor.id}$`));
  // The runner is known after its first group heartbeat.
  await vi.waitFor(async () => {
    const { locations } = await bed.monitors.listLocations({});
    expect(locations.map(({ name }) => name)).toEqual(["default"]);
  }, 30_000);
});

test("an edit keeps the address, and rejects fields of checked kinds", async () => {
  const monitor = await make({ every: 30 });
  const edited = await bed.monitors.updateMonitor({
    id: monitor.id,
    patch: { every: null, cron: "0 3 * * *", timeZone: "Asia/Shanghai" },
  });
  expect(edited).toMatchObject({ interval: 1440, cron: "0 3 * * *", pingUrl: monitor.pingUrl });
  for (const [field, value] of Object.entries({
    interval: 5,
    timeout: 2,
    retries: 1,
    locations: ["default"],
    keepBody: false,
  }))
    expect(await refused(bed.monitors.updateMonitor({ id: monitor.id, patch: { [field]: value } }))).toBe(
      `invalid ${field}`,
    );
  const patches = [
    { cron: "0 0 31 2 *" },
    { cron: "* * * * * *" },
    { cron: "0,30 0 1 1 1 *" },
    { cron: "@reboot" },
    { cron: "? 1 * * *" },
    { cron: "x" },
  ];
  for (const patch of patches)
    expect(await refused(bed.monitors.updateMonitor({ id: monitor.id, patch }))).toBe("invalid cron");
  expect(await refused(bed.monitors.updateMonitor({ id: monitor.id, patch: { every: 5 } }))).toBe("invalid cron");
  const changes = { interval: 5 };
  const bulk = await bed.monitors.bulkMonitors({ ids: [monitor.id], action: "edit", changes });
  expect(bulk.failed).toMatchObject([{ id: monitor.id, message: "Heartbeats have no interval, timeout or locations" }]);
  const tagged = await bed.monitors.bulkMonitors({ ids: [monitor.id], action: "edit", changes: { addTags: ["x"] } });
  expect(tagged.done).toEqual([monitor.id]);
});

test("a slug belongs to one monitor, and its address changes with the ping key", async () => {
  const monitor = await make({ every: 5, slug: "nightly" });
  expect(await refused(make({ every: 5, slug: "nightly" }))).toBe("invalid slug");
  expect(await bed.monitors.getPingKey({})).toEqual({ pingKey: null, creates: false });
  const { pingKey } = await bed.monitors.setPingKey({ creates: false, renew: false });
  // Gateways recognise addresses without `/ping` by this form.
  expect(pingKey).toMatch(/^[\w-]{22}$/);
  await vi.waitFor(
    async () => expect(await targetOf(`${pingKey}/nightly`)).toMatchObject({ monitorId: monitor.id }),
    30_000,
  );
  await bed.monitors.updateMonitor({ id: monitor.id, patch: { slug: "weekly" } });
  await vi.waitFor(async () => {
    expect(await targetOf(`${pingKey}/nightly`)).toMatchObject({ deleted: true });
    expect(await targetOf(`${pingKey}/weekly`)).toMatchObject({ monitorId: monitor.id });
  }, 30_000);
  expect(await refused(bed.monitors.heartbeatOfSlug({ slug: "made" }))).toBe("impossible");
  const creating = await bed.monitors.setPingKey({ creates: true, renew: false });
  expect(creating).toEqual({ pingKey, creates: true });
  const [one, other] = await Promise.all([1, 2].map(() => bed.monitors.heartbeatOfSlug({ slug: "made" })));
  expect(one!.id).toBe(other!.id);
  await vi.waitFor(async () => {
    expect(await targetOf(`${pingKey}/made`)).toMatchObject({ monitorId: one!.id });
    expect(await targetOf(pingKey!)).toMatchObject({ monitorId: 0, creates: true });
  }, 30_000);
  const renewed = await bed.monitors.setPingKey({ creates: true, renew: true });
  await vi.waitFor(async () => {
    expect(await targetOf(`${pingKey}/made`)).toMatchObject({ deleted: true });
    expect(await targetOf(`${renewed.pingKey}/made`)).toMatchObject({ monitorId: one!.id });
  }, 30_000);
});

test("the old address works for a day after a renewal, and deletion ends both", async () => {
  const monitor = await make({ every: 5 });
  const renewed = await bed.monitors.renewPingUrl({ id: monitor.id });
  if (renewed.type !== "heartbeat") throw new Error("the monitor is not a heartbeat");
  expect(renewed.pingUrl).not.toBe(monitor.pingUrl);
  expect(Date.parse(renewed.previousUrlUntil!)).toBeGreaterThan(Date.now() + 86_000_000);
  await vi.waitFor(async () => {
    expect((await targetOf(uuidOf(monitor)))?.untilMs).toBe(Date.parse(renewed.previousUrlUntil!));
    expect(await targetOf(uuidOf(renewed))).toMatchObject({ monitorId: monitor.id });
  }, 30_000);
  await bed.monitors.deleteMonitor({ id: monitor.id });
  await vi.waitFor(async () => {
    for (const one of [monitor, renewed])
      expect(await targetOf(uuidOf(one))).toMatchObject({ deleted: true, monitorId: 0 });
  }, 30_000);
});

test("a schedule returns the next five runs, or why it is invalid", async () => {
  const { next } = await bed.monitors.schedule({ cron: "30 2 * * *", timeZone: "Europe/Berlin" });
  expect(next).toHaveLength(5);
  expect(await refused(bed.monitors.schedule({ cron: "0 0 31 2 *", timeZone: "UTC" }))).toBe("invalid cron");
  expect(await refused(bed.monitors.schedule({ cron: "0 0 * * *", timeZone: "Mars/Olympus" }))).toBe(
    "invalid timeZone",
  );
});

test("an imported heartbeat keeps its address, which no other can use, and is due from then on", async () => {
  const uuid = "31365BCE-8da9-4729-8ff3-aaa71d56b712";
  const one = await make({ every: 60, pingToken: uuid });
  expect(uuidOf(one)).toBe(uuid.toLowerCase());
  const two = await make({ every: 60, pingToken: "Qv8a0tBcXz" });
  await vi.waitFor(async () => {
    expect(await targetOf(uuid.toLowerCase())).toMatchObject({ monitorId: one.id });
    expect(await targetOf("Qv8a0tBcXz")).toMatchObject({ monitorId: two.id, deleted: false });
    expect(await targetOf(uuidOf(two))).toMatchObject({ monitorId: two.id });
  }, 30_000);
  const hourMs = 3_600_000;
  for (const { dueAt, createdAt } of [one, two]) expect(Date.parse(dueAt!) - Date.parse(createdAt)).toBe(hourMs);
  expect(await make({ every: 60, pingToken: "paused", paused: true })).toMatchObject({ status: "paused", dueAt: null });
  expect(JSON.stringify([one, await bed.monitors.getMonitor({ id: two.id })])).not.toContain("pingToken");
  expect(await refused(make({ every: 60, pingToken: "Qv8a0tBcXz" }))).toBe("invalid pingToken");
});
