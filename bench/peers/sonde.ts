import { firstAdmin } from "@sonde/testing/api";
import { startProduct } from "@sonde/testing/product";
import { makeMonitors } from "../pipeline/monitors.ts";
import { startWhole } from "@sonde/testing/whole";
import { startBus } from "../probe/bus.ts";
import { startRunner } from "../probe/runner-process.ts";
import { observeProcesses, observeWhole, type System } from "./system.ts";

const [alone, pipeline, all] = ["Sonde's runner alone", "Sonde's pipeline", "all of Sonde"];
/** What a check passes through, as in bench/pipeline. */
const stages = ["probe-runner", "nats", "monitors", "postgres", "metrics"];

/** One probe runner; the bus that gives it its monitors and takes its results is not counted. */
export const runnerAlone: System = {
  columns: { [alone]: "the process of one probe runner; not the bus that it needs" },
  async start({ port, count, intervalSeconds }) {
    const monitors = Array.from({ length: count }, (_, index) => ({
      monitorId: index + 1,
      url: `http://127.0.0.1:${port}/ok/${index + 1}`,
      intervalMs: intervalSeconds * 1000,
      timeoutMs: 10_000,
    }));
    const bus = await startBus(monitors);
    const runner = await startRunner(bus.url);
    return {
      observe: (seconds, take) => observeProcesses({ name: alone, pids: [runner.pid], writes: false }, seconds, take),
      async stop() {
        await runner.stop();
        await bus.close();
      },
    };
  },
};

/** Every service and server of Sonde as a process of its own. */
export const wholeSonde: System = {
  columns: {
    [pipeline]: "what a check passes: probe runner, nats-server, monitors, PostgreSQL, metrics with ClickHouse",
    [all]: "these and gateway, auth, agent-ingest, notifier and status-page",
  },
  async start({ port, count, intervalSeconds }) {
    const sonde = await startWhole({
      environment: { MONITOR_MIN_INTERVAL_SECONDS: "1", PROBE_MAX_PER_HOST: "2000" },
    });
    try {
      const { api } = await firstAdmin(sonde.url);
      await makeMonitors(api, port, { count, intervalSeconds });
    } catch (fault) {
      await sonde.close();
      throw fault;
    }
    const groups = new Map([
      [pipeline, stages],
      [all, [...sonde.pids().keys()]],
    ]);
    return { observe: (seconds, take) => observeWhole(sonde, groups, seconds, take), stop: () => sonde.close() };
  },
};

const started = "Sonde by `npm start`";

/** All processes of one machine, as a small user runs them by `deploy/local/start`: npm, which waits above, is not counted. */
export const startedSonde: System = {
  columns: { [started]: "all processes of `npm start`, PostgreSQL, NATS and ClickHouse among them" },
  async start({ port, count, intervalSeconds }) {
    const product = await startProduct({ MONITOR_MIN_INTERVAL_SECONDS: "1", PROBE_MAX_PER_HOST: "2000" });
    try {
      const { api } = await firstAdmin(product.url);
      await makeMonitors(api, port, { count, intervalSeconds });
    } catch (fault) {
      await product.remove();
      throw fault;
    }
    const pids = [product.pid()];
    return {
      observe: (seconds, take) => observeProcesses({ name: started, pids, writes: true }, seconds, take),
      stop: () => product.remove(),
    };
  },
};
