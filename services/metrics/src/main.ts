import { watchMaintenance } from "@sonde/domain/maintenance/watch";
import { ConfigError } from "@sonde/kit/service/config";
import { runMain, type Service } from "@sonde/kit/service/lifecycle";
import { startService } from "@sonde/kit/service/start";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { buckets } from "@sonde/proto/streams";
import { startHistoryListener } from "./backup/start.ts";
import { createAccess } from "./clickhouse/access.ts";
import { engineDir } from "./clickhouse/embedded.ts";
import { openClickHouse } from "./clickhouse/open.ts";
import { type Config, readConfig } from "./config.ts";
import { untilCurrent, startResults } from "./ingest/start.ts";
import { endpoints } from "./endpoints.ts";
import { startPings } from "./pings/start.ts";
import { startSamples } from "./samples/start.ts";

export const start = (config: Config): Promise<Service> =>
  startService({
    name: "metrics",
    config,
    async build(service) {
      const { log, clock, use } = service;
      const retention = { rawDays: config.RETENTION_RAW_DAYS, rollupDays: config.RETENTION_ROLLUP_DAYS };
      const { CLICKHOUSE_URL: url, CLICKHOUSE_REPLICATED: isReplicated, SONDE_DATA_DIR: dataDir } = config;
      if (isReplicated && url === undefined) throw new ConfigError("CLICKHOUSE_REPLICATED needs CLICKHOUSE_URL");
      const place = url === undefined ? { dataDir: engineDir(dataDir) } : { url, isReplicated };
      const clickhouse = await openClickHouse(place);
      use({ stop: clickhouse.close });
      const access = createAccess(clickhouse, retention, log);
      // A broken embedded engine is fatal. A server may become available later; results wait on the bus until then.
      await access.prepare().catch((error: unknown) => {
        if (url === undefined || error instanceof ConfigError) throw error;
        log.warn({ err: error }, "ClickHouse is unreachable: starting without it");
      });
      const listener = await startHistoryListener(clickhouse, config, log);
      if (listener !== undefined) use(listener);
      const bus = await service.connectBus();
      const maintenance = use(watchMaintenance(bus));
      const stores = { bus, clock, access, maintenance, rawDays: retention.rawDays, log };
      const results = startResults(stores);
      const samples = startSamples(stores);
      const { timelines } = results;
      const pings = startPings({ ...stores, timelines });
      use({ stop: () => Promise.all([results.stop(), samples.stop(), pings.stop()]) });
      service.check(
        "clickhouse",
        () => access.prepared() && ![results, samples, pings].some(({ unavailable }) => unavailable()),
      );
      // Before these are loaded, requests would be answered as if no monitors existed.
      await Promise.all([
        untilCurrent(bus, buckets.timelines, timelines.isCurrent),
        untilCurrent(bus, buckets.maintenance, maintenance.isCurrent),
      ]);
      const flushPending = async () => void (await Promise.all([results.flushPending(), pings.flushPending()]));
      const context = { clock, retention, timelines, maintenance, read: access.read };
      await service.serve(bus, metricsContract, endpoints(context, { flushPending }));
    },
  });

if (import.meta.main) await runMain("metrics", () => start(readConfig()));
