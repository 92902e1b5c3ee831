import { connectBus } from "@sonde/kit/bus/connect";
import { systemClock } from "@sonde/kit/time/clock";
import { opsServer, runMain, type Service } from "@sonde/kit/service/lifecycle";
import { createLog } from "@sonde/kit/service/log";
import { serve } from "@sonde/kit/bus/rpc";
import { MetricsService } from "@sonde/proto/gen/metrics/v1/metrics";
import { createAccess } from "./clickhouse/access.ts";
import { engineDir } from "./clickhouse/embedded.ts";
import { openClickHouse } from "./clickhouse/open.ts";
import { type Config, readConfig } from "./config.ts";
import { endpoints } from "./endpoints.ts";
import { startResults } from "./ingest/start.ts";
import { startSamples } from "./samples/start.ts";

/** Starts the service: results and samples from the bus into ClickHouse, and what history knows over RPC. */
export async function start(config: Config): Promise<Service> {
  const log = createLog("metrics", config.LOG_LEVEL);
  const clock = systemClock;
  const retention = { rawDays: config.RETENTION_RAW_DAYS, rollupDays: config.RETENTION_ROLLUP_DAYS };
  const { CLICKHOUSE_URL: url, SONDE_DATA_DIR: dataDir } = config;
  const clickhouse = await openClickHouse(url === undefined ? { dataDir: engineDir(dataDir) } : { url });
  const access = createAccess(clickhouse, retention, log);
  // The embedded engine is there or broken; a server may come later, and results wait on the bus for it.
  await access.prepare().catch((error: unknown) => {
    if (url === undefined) throw error;
    log.warn({ err: error }, "ClickHouse is away: starting without it");
  });
  const bus = await connectBus({ url: config.NATS_URL, name: "metrics", log, shrink: config.SONDE_LOCAL ? 4 : 1 });
  const stores = { bus, clock, access, rawDays: retention.rawDays, log };
  const results = startResults(stores);
  const samples = startSamples(stores);
  const { timelines } = results;
  const rpc = await serve(bus, MetricsService, endpoints({ clock, retention, timelines, read: access.read }), { log });
  const clickhouseHeld = () => access.prepared() && !results.away() && !samples.away();
  const ops = await opsServer({
    port: config.OPS_PORT,
    checks: { bus: bus.connected, clickhouse: clickhouseHeld },
    log,
  });
  return {
    stop: async () => {
      await rpc.stop();
      await Promise.all([results.stop(), samples.stop()]);
      await bus.close();
      await clickhouse.close();
      await ops.stop();
    },
  };
}

if (import.meta.main) await runMain("metrics", () => start(readConfig()));
