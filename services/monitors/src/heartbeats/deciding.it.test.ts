import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { followStream } from "@sonde/kit/bus/follow";
import { openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { type Ping, PingBatchSchema } from "@sonde/proto/gen/pings/v1/pings";
import { type MonitorInputDraft, monitorInput } from "@sonde/proto/http/monitors/monitors";
import { streams } from "@sonde/proto/streams";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { type MonitorsTestbed, openTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
let service: Awaited<ReturnType<MonitorsTestbed["start"]>>;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  service = await bed.start();
});
afterAll(() => bed.stop());

async function make(fields: object) {
  const draft = { type: "heartbeat", name: "backup", ...fields } as MonitorInputDraft;
  const { id } = await bed.monitors.createMonitor({ monitor: monitorInput.parse(draft) });
  const publish = (batch: { pings?: Partial<Ping>[]; present?: string }) =>
    bed.bus.js.publish(
      subjects.pings(partitionOf(id)),
      toBinary(PingBatchSchema, create(PingBatchSchema, { present: "", ...batch } as never)),
    );
  return {
    id,
    ping: (type: string, more: Partial<Ping> = {}) =>
      publish({ pings: [{ id: randomUUID(), monitorId: id, type, from: "192.0.2.1", ...more }] }),
    mark: () => publish({ present: "gateway-1" }),
    is: (status: string, within = 10_000) =>
      vi.waitFor(
        async () => {
          const monitor = await bed.monitors.getMonitor({ id });
          expect(monitor.status).toBe(status);
          return monitor;
        },
        { timeout: within, interval: 100 },
      ),
    opened: async () => {
      const { incidents } = await bed.incidents.listIncidents({ page: 1, pageSize: 100 } as never);
      return incidents
        .map(({ incident }) => incident)
        .filter(({ target }) => target.id === id)
        .map(({ cause }) => cause);
    },
  };
}
async function change(sql: string, values: (number | number[])[]): Promise<void> {
  const db = await openDatabase({ url: inject("databaseUrl"), schema: bed.schema, migrations: {}, log: silentLog });
  await db.raw(sql, values);
  await db.destroy();
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("pings decide the state, duplicates count once, and the next owner decides the same", async () => {
  const { id, ping, is, opened } = await make({ every: 60 });
  await ping("success");
  expect(await is("up")).toMatchObject({ stale: false });
  const twice = randomUUID();
  await ping("fail", { id: twice, exitCode: 7, output: "disk full" });
  await ping("fail", { id: twice, exitCode: 7, output: "disk full" });
  await is("down");
  expect(await opened()).toEqual(["The job ended with exit code 7: disk full"]);
  await service.stop();
  await ping("success");
  service = await bed.start();
  await is("up", 30_000);
  expect(await opened()).toHaveLength(1);
  await vi.waitFor(async () => {
    const monitor = await bed.monitors.getMonitor({ id });
    expect(monitor).toMatchObject({ lastRun: { exitCode: 0 } });
    expect(Date.parse((monitor as { dueAt: string }).dueAt)).toBeGreaterThan(Date.now() + 3_500_000);
  }, 30_000);
});

test("a run that takes too long is down at once, except while no gateway was up", async () => {
  const quick = await make({ every: 60, maxRuntime: 1 });
  await quick.ping("start", { runId: "a" });
  await quick.is("down");
  expect(await quick.opened()).toEqual(["The run exceeded 1 s"]);

  const unseen = await make({ every: 60, maxRuntime: 8 });
  await unseen.ping("success");
  await unseen.ping("start", { runId: "b" });
  await unseen.is("up");
  await service.stop();
  // The run began, and the next one was due, before any gateway was up.
  const nowMs = Date.now();
  await change(
    `update heartbeats set state = jsonb_set(state, '{running,0,sinceMs}', to_jsonb(?::bigint))
       || jsonb_build_object('dueMs', ?::bigint, 'deadlineMs', ?::bigint, 'earlyMs', 1000)
     where monitor_id = ?`,
    [nowMs - 60_000, nowMs - 30_000, nowMs - 29_000, unseen.id],
  );
  await change("update heartbeat_positions set covered_since_ms = ?", [nowMs]);
  const found: string[] = [];
  const following = followStream(bed.bus, {
    stream: streams.results.name,
    from: "first",
    onMessage: ({ data }) => {
      const own = fromBinary(ResultBatchSchema, data).results.filter(({ monitorId }) => monitorId === unseen.id);
      found.push(...own.map(({ status }) => status));
    },
  });
  service = await bed.start();
  await unseen.mark();
  await vi.waitFor(() => expect(found).toContain("unseen"), 30_000);
  await following.stop();
  expect(found).not.toContain("down");
  expect((await bed.monitors.getMonitor({ id: unseen.id })).status).toBe("up");
  expect(await unseen.opened()).toEqual([]);
});

test("marks that gateways wrote while this service was down decide about missed deadlines", async () => {
  const missed = await make({ every: 60 });
  const met = await make({ every: 60 });
  for (const one of [missed, met]) {
    await one.ping("success");
    await one.is("up");
  }
  await pause(1_000);
  await service.stop();
  const atMs = Date.now() + 2_000;
  await change(
    `update heartbeats set state = state || jsonb_build_object('dueMs', ?::bigint, 'deadlineMs', ?::bigint, 'earlyMs', 1000)
     where monitor_id = any(?)`,
    [atMs, atMs + 1_000, [missed.id, met.id]],
  );
  for (let at = 0; at < 3; at += 1) {
    await Promise.all([missed.mark(), met.mark()]);
    await pause(1_000);
    if (at === 1) await met.ping("success");
  }
  await pause(2_000);
  await Promise.all([missed.mark(), met.mark()]);
  service = await bed.start();
  await missed.is("down", 30_000);
  expect(await missed.opened()).toEqual(["No success ping arrived in time"]);
  expect((await bed.monitors.getMonitor({ id: met.id })).status).toBe("up");
});

test("facts outside their limits fail the run, also after a restart of the service", async () => {
  const { id, ping, is } = await make({ every: 60, rows: { within: 10 } });
  for (const rows of [100, 101, 99]) await ping("success", { facts: { rows } });
  await is("up");
  await service.stop();
  service = await bed.start();
  await ping("success", { facts: { rows: 50 } });
  const monitor = await is("down");
  expect(monitor).toMatchObject({ id, rows: { within: 10 } });
  expect(JSON.stringify(monitor)).toContain(
    "The run reported 50 rows, not within 10% of 100, the median of the last 3",
  );
  await ping("success", { facts: { rows: 105 } });
  await is("up");
});
