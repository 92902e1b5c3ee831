import { firstAdmin } from "@sonde/testing/api";
import { startProduct } from "@sonde/testing/product";
import { makeMonitors } from "../pipeline/monitors.ts";
import type { System } from "./system.ts";

/** Started by `deploy/local/start`, as a small installation would. npm, which only waits, does not count. */
export const startedSonde: System = {
  name: "Sonde by `npm start`",
  counts: "all processes of `npm start`, PostgreSQL, NATS and ClickHouse among them",
  async start({ port, count, intervalSeconds }) {
    const product = await startProduct({ MONITOR_MIN_INTERVAL_SECONDS: "1", PROBE_MAX_PER_HOST: "2000" });
    try {
      const { api } = await firstAdmin(product.url);
      await makeMonitors(api, port, { count, intervalSeconds });
    } catch (fault) {
      await product.remove();
      throw fault;
    }
    return { pids: [product.pid()], stop: () => product.remove() };
  },
};
