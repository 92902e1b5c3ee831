import { vi } from "vitest";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { followStream } from "@sonde/kit/bus/follow";
import { silentLog } from "@sonde/kit/service/log";
import { type CheckResult, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { type MonitorDefinition, MonitorDefinitionSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { buckets, definitionKey, streams } from "@sonde/proto/streams";

/** Replaces the monitors service: writes definitions and reads results. */
export async function openDesk(url: string) {
  const bus: Bus = await connectBus({ url, name: "desk", log: silentLog, shrink: 4 });
  const kv = await bus.kv(buckets.definitions);
  const results: CheckResult[] = [];
  const following = followStream(bus, {
    stream: streams.results.name,
    from: "first",
    onMessage: ({ data }) => void results.push(...fromBinary(ResultBatchSchema, data).results),
  });
  const put = async (definition: MonitorDefinition) => {
    for (const location of definition.locations) {
      await kv.put(definitionKey(location, definition.monitorId), toBinary(MonitorDefinitionSchema, definition));
    }
  };
  const wipe = async () => {
    await bus.jsm.streams.delete(`KV_${buckets.definitions}`);
  };
  return {
    bus,
    results,
    of: (monitorId: number) => results.filter((result) => result.monitorId === monitorId),
    put,
    wipe,
    /** nats-server 2.9 may lose the folder of a stream created right after its deletion, and then store nothing. */
    mend: (definition: MonitorDefinition) =>
      vi.waitFor(
        async () => {
          await bus.ensure();
          await bus.kv(buckets.definitions);
          await put(definition).catch(async (error: unknown) => {
            await wipe();
            throw error;
          });
        },
        { timeout: 30_000, interval: 200 },
      ),
    async close() {
      await following.stop();
      await bus.close();
    },
  };
}

let revisions = 0;

export function defineMonitor(
  monitorId: number,
  url: string,
  { location, ...changes }: Partial<MonitorDefinition> & { location: string },
): MonitorDefinition {
  return create(MonitorDefinitionSchema, {
    monitorId,
    revision: ++revisions,
    version: 1,
    active: true,
    intervalMs: 1000,
    retries: 0,
    locations: [location],
    // Long, because a check is no result if a busy machine blocks the event loop for a quarter of the timeout.
    spec: { check: JSON.stringify({ type: "http", url }), timeoutMs: 10_000 },
    ...changes,
  } as MonitorDefinition);
}
