import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { createBatches } from "@sonde/kit/bus/batches";
import type { Bus } from "@sonde/kit/bus/connect";
import { counter } from "@sonde/kit/telemetry/metrics";
import { PingBatchSchema, type PingSchema } from "@sonde/proto/gen/pings/v1/pings";
import { subjects } from "@sonde/proto/subjects";

export type OutgoingPing = MessageInitShape<typeof PingSchema> & { monitorId: number };

const bounds = { lingerMs: 50, maxEntries: 5_000, waitingBytes: 32 * 2 ** 20 };
const stored = counter("sonde_pings_stored_total", "Heartbeat pings stored in the stream PINGS");

export function createPingPublisher(bus: Bus) {
  const onStored = (pings: number) => stored.inc(pings);
  const batches = createBatches(bus, { subject: subjects.pings, ...bounds, name: "gateway", onStored });
  return {
    /** @throws AppError unavailable */
    store: (ping: OutgoingPing): Promise<void> =>
      batches.store([
        { id: ping.monitorId, entry: toBinary(PingBatchSchema, create(PingBatchSchema, { pings: [ping] })) },
      ]),
    stop: batches.stop,
  };
}
