import { create, toBinary } from "@bufbuild/protobuf";
import { connectBus } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { MonitorDefinitionSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { buckets, definitionKey } from "@sonde/proto/streams";
import { startNats } from "@sonde/embedded/nats";

export interface BenchMonitor {
  monitorId: number;
  url: string;
  intervalMs: number;
  timeoutMs: number;
}

/** Starts an empty bus with these monitors for the default location. */
export async function startBus(monitors: readonly BenchMonitor[]) {
  const nats = await startNats();
  const bus = await connectBus({ url: nats.url, name: "bench", log: silentLog, shrink: 4 });
  const kv = await bus.kv(buckets.definitions);
  const put = ({ monitorId, url, intervalMs, timeoutMs }: BenchMonitor) => {
    const definition = create(MonitorDefinitionSchema, {
      monitorId,
      revision: monitorId,
      version: 1,
      active: true,
      intervalMs,
      retries: 1,
      locations: ["default"],
      spec: { check: JSON.stringify({ type: "http", url }), timeoutMs },
    });
    return kv.put(definitionKey("default", monitorId), toBinary(MonitorDefinitionSchema, definition));
  };
  for (let from = 0; from < monitors.length; from += 500) await Promise.all(monitors.slice(from, from + 500).map(put));
  return {
    url: nats.url,
    /** Number of result batches that the bus has stored. */
    storedBatches: async () => (await bus.jsm.streams.info("RESULTS")).state.messages,
    async close() {
      await bus.close();
      await nats.stop();
    },
  };
}
