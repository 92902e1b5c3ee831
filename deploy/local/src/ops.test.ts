import { freePort } from "@sonde/embedded/free-port";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { afterEach, expect, it } from "vitest";
import { openOps } from "./ops.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function processOf(value: number) {
  const registry = new Registry();
  new Counter({ name: "sonde_requests_total", help: "Requests", labelNames: ["code"], registers: [registry] }).inc(
    { code: "ok" },
    value,
  );
  const started = new Gauge({
    name: "process_start_time_seconds",
    help: "Start",
    registers: [registry],
    aggregator: "omit",
  });
  started.set(value);
  new Histogram({ name: "sonde_rpc_server_seconds", help: "Time", buckets: [1], registers: [registry] }).observe(value);
  return { isUp: () => true, metrics: () => registry.getMetricsAsJSON() };
}

async function open(processes: Map<string, ReturnType<typeof processOf>>, started = () => true) {
  const port = await freePort();
  const ops = await openOps(port, "127.0.0.1", { started, processes: () => processes });
  stops.push(ops.stop);
  return { ops, get: (path: string) => fetch(`http://127.0.0.1:${port}${path}`) };
}

it("serves the metrics of all processes as separate series", async () => {
  const { get } = await open(
    new Map([
      ["core", processOf(3)],
      ["metrics", processOf(0.5)],
    ]),
  );
  const text = await (await get("/metrics")).text();
  expect(text).toContain('sonde_requests_total{code="ok",process="core"} 3');
  expect(text).toContain('sonde_requests_total{code="ok",process="metrics"} 0.5');
  expect(text).toContain('process_start_time_seconds{process="core"} 3');
  expect(text).toContain('sonde_rpc_server_seconds_bucket{le="1",process="metrics"} 1');
  expect(text).toContain("nodejs_version_info{");
  expect(text).toMatch(/process_start_time_seconds\{process="supervisor"\} \d/);
  expect(text.match(/^# TYPE sonde_requests_total/gm)).toHaveLength(1);
});

it("omits and counts a process that does not respond", async () => {
  const silent = { isUp: () => true, metrics: async () => undefined };
  const { get } = await open(
    new Map([
      ["core", processOf(3)],
      ["probe-runner", silent as never],
    ]),
  );
  const text = await (await get("/metrics")).text();
  expect(text).toContain('sonde_requests_total{code="ok",process="core"} 3');
  expect(text).toContain('sonde_process_metrics_missing_total{missing="probe-runner",process="supervisor"} 1');
});

it("is ready after the start while every process runs, until it stops, and always healthy", async () => {
  let started = false;
  let isUp = true;
  const core = { ...processOf(1), isUp: () => isUp };
  const processes = new Map([
    ["core", core],
    ["metrics", processOf(1)],
    ["probe-runner", processOf(1)],
  ]);
  const { ops, get } = await open(processes, () => started);
  const statuses = async () => [(await get("/healthz")).status, (await get("/readyz")).status];
  expect(await statuses()).toEqual([200, 503]);
  started = true;
  expect(await statuses()).toEqual([200, 200]);
  isUp = false;
  expect(await statuses()).toEqual([200, 503]);
  expect(await (await get("/readyz")).json()).toMatchObject({ checks: { started: true, core: false, metrics: true } });
  isUp = true;
  ops.drain();
  expect(await statuses()).toEqual([200, 503]);
});
