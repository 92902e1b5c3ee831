import { serve } from "@sonde/kit/bus/rpc";
import { unavailable } from "@sonde/kit/errors";
import { slotAfter } from "@sonde/kit/time/slots";
import { type MonitorInputDraft, monitorInput } from "@sonde/proto/http/monitors/monitors";
import { contract } from "@sonde/proto/rpc/contract";
import { type ChecksAroundFailures, metricsContract } from "@sonde/proto/rpc/metrics";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type MonitorsTestbed, openTestbed } from "../testing/service.ts";

const minuteMs = 60_000;
const toMs = Date.now();
const fromMs = toMs - 30 * 24 * 60 * minuteMs;
let bed: MonitorsTestbed;
let stored: ChecksAroundFailures | undefined;
const asked: { monitorId: number; fromMs: number; beforeMs: number; afterMs: number }[] = [];

beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  const { checksAroundFailures } = metricsContract.methods;
  await serve(bed.bus, contract("metrics", { checksAroundFailures }), {
    checksAroundFailures: async (input) => {
      asked.push(input);
      if (stored === undefined) throw unavailable("metrics");
      return stored;
    },
  });
  await bed.start();
});
afterAll(() => bed.stop());

const add = async (fields: object) => {
  const draft = { name: `noisy ${asked.length}`, ...fields } as MonitorInputDraft;
  return (await bed.monitors.createMonitor({ monitor: monitorInput.parse(draft) })).id;
};
const replayed = (monitorId: number) => bed.monitors.replayIncidents({ monitorId, fromMs, toMs });

test("a monitor's stored results are replayed with its settings and stricter ones, in short turns", async () => {
  const id = await add({ url: "https://example.com", retries: 3, recoverAfter: 2 });
  const firstMs = slotAfter(id, minuteMs, toMs - 24 * 60 * minuteMs);
  // Failures of fewer attempts than a runner makes now: down, up, down at once, and up for good.
  const statuses = [1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1];
  const checks = statuses.map((up, nth) => [firstMs + nth * minuteMs, 5, 20, up, up === 1 ? 0 : 4 * nth, 1, 0]);
  stored = { fromMs: firstMs, locations: [{ location: "default", checks }] };
  const slot = (nth: number) => firstMs + nth * minuteMs + 5;
  const { now, others, ...rest } = await replayed(id);
  expect(rest).toEqual({ name: "noisy 0", dependsOn: [], fromMs: firstMs, secondOpinions: [] });
  expect(now).toEqual([
    { openedAtMs: slot(1), closedAtMs: slot(3) },
    { openedAtMs: slot(5), closedAtMs: slot(7) },
  ]);
  expect(others.map(({ field, value, outages }) => [field, value, outages.length])).toEqual([
    ["retries", 5, 2],
    ["retries", 10, 2],
    ["recoverAfter", 3, 1],
    ["recoverAfter", 5, 1],
  ]);
  expect(others.at(-1)?.outages).toEqual([{ openedAtMs: slot(1), closedAtMs: slot(7) }]);
  // Enough for verdicts of other locations, and until flapping ends.
  expect(asked.at(-1)).toEqual({
    monitorId: id,
    fromMs: fromMs - 60 * minuteMs,
    beforeMs: 4 * minuteMs,
    afterMs: 24 * minuteMs,
  });
});

test("an outage from before the period is not counted, and other locations are named for a second opinion", async () => {
  const { stop } = await bed.serveProbes("east", () => ({ status: "up" }));
  await expect.poll(async () => (await bed.monitors.listLocations({})).locations.length).toBe(2);
  const id = await add({ url: "https://example.com", retries: 0 });
  const firstMs = slotAfter(id, minuteMs, fromMs - 5 * minuteMs);
  const checks = [0, 0, 1, 1, 1, 1, 1, 1].map((up, nth) => [firstMs + nth * minuteMs, 5, 20, up, 1, 1, 0]);
  stored = { fromMs: fromMs - 60 * minuteMs, locations: [{ location: "default", checks }] };
  expect(await replayed(id)).toMatchObject({ now: [], fromMs, secondOpinions: ["east"] });
  await stop();
});

test("monitors without checks have their incidents and no alternatives; a missing one is not found", async () => {
  const id = await add({ type: "heartbeat", every: 300, grace: 60 });
  expect(await replayed(id)).toMatchObject({ now: [], others: [] });
  expect(asked.some(({ monitorId }) => monitorId === id)).toBe(false);
  await expect(replayed(id + 1_000)).rejects.toMatchObject({ code: "not_found" });
});

test("without metrics the replay is unavailable", async () => {
  const id = await add({ url: "https://example.com" });
  stored = undefined;
  await expect(replayed(id)).rejects.toMatchObject({ code: "unavailable" });
});
