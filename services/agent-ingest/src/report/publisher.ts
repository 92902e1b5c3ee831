import { create, toBinary } from "@bufbuild/protobuf";
import { type Bus, publishFact } from "@sonde/kit/bus/connect";
import { unavailable } from "@sonde/kit/errors";
import { batchBytes } from "@sonde/kit/bus/pack";
import { counter } from "@sonde/kit/telemetry/metrics";
import { EncodedAgentSampleSchema, EncodedSampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { partitionOf, subjects } from "@sonde/proto/subjects";

/** A sample on its way to SAMPLES; its own bytes are encoded already. */
export type OutgoingSample = {
  agentId: number;
  receivedAtMs: number;
  skewMs: number;
  /** A `Sample`, its instant corrected. */
  sample: Uint8Array;
  intervalSeconds?: number;
};

/** Reports of a large fleet fall to sixteen partitions: in less time hardly two of them would travel together. */
const lingerMs = 100;
const batchSamples = 5_000;
const waitingBytes = 64 * 2 ** 20;
const stored = counter("sonde_samples_stored_total", "Samples that the bus stored");

/** `entries`: each sample as a batch of one. */
type Batch = { entries: Uint8Array[]; sizeBytes: number; done: PromiseWithResolvers<void> };

/** Stores samples in SAMPLES, those of many reports together. */
export function createPublisher(bus: Bus) {
  const open = new Map<number, Batch>();
  const underway = new Set<Promise<unknown>>();
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;

  const send = (partition: number, batch: Batch) => {
    open.delete(partition);
    const sending = publishFact(bus, subjects.samples(partition), Buffer.concat(batch.entries, batch.sizeBytes))
      .then(() => {
        stored.inc(batch.entries.length);
        batch.done.resolve();
      }, batch.done.reject)
      .finally(() => {
        waiting -= batch.sizeBytes;
        underway.delete(sending);
      });
    underway.add(sending);
  };
  /** All partitions at once: publishes of one turn of the loop are sent in one write. */
  const sendAll = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const [partition, batch] of open) send(partition, batch);
  };
  const begin = (partition: number): Batch => {
    timer ??= setTimeout(sendAll, lingerMs);
    const batch: Batch = { entries: [], sizeBytes: 0, done: Promise.withResolvers() };
    batch.done.promise.catch(() => {});
    open.set(partition, batch);
    return batch;
  };

  return {
    /** Resolves once JetStream stored all of them. @throws AppError unavailable */
    async store(samples: readonly OutgoingSample[]): Promise<void> {
      if (!bus.connected()) throw unavailable("bus");
      if (waiting > waitingBytes) throw unavailable("agent-ingest");
      const waitFor = new Set<Promise<void>>();
      for (const sample of samples) {
        const partition = partitionOf(sample.agentId);
        const entry = encodeEntry(sample);
        const sizeBytes = entry.length;
        const current = open.get(partition);
        const full =
          current !== undefined &&
          (current.sizeBytes + sizeBytes > batchBytes(bus.nc) || current.entries.length >= batchSamples);
        if (full) send(partition, current);
        const batch = open.get(partition) ?? begin(partition);
        batch.entries.push(entry);
        batch.sizeBytes += sizeBytes;
        waiting += sizeBytes;
        waitFor.add(batch.done.promise);
      }
      await Promise.all(waitFor);
    },
    /** Stores what waits. */
    async stop(): Promise<void> {
      sendAll();
      await Promise.allSettled(underway);
    },
  };
}

/** A batch of one sample; batches in a row are one batch of all their samples. */
export const encodeEntry = (sample: OutgoingSample): Uint8Array =>
  toBinary(
    EncodedSampleBatchSchema,
    create(EncodedSampleBatchSchema, { samples: [create(EncodedAgentSampleSchema, sample)] }),
  );
