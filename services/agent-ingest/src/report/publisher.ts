import { create, toBinary } from "@bufbuild/protobuf";
import { type Bus, publishFact } from "@sonde/kit/bus";
import { unavailable } from "@sonde/kit/errors";
import { counter } from "@sonde/kit/telemetry";
import { type AgentSample, AgentSampleSchema, SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { partitionOf, subjects } from "@sonde/proto/subjects";

/** Stores samples in SAMPLES, those of many reports together. */
export type Publisher = {
  /** Resolves once JetStream stored all of them. @throws AppError unavailable */
  store(samples: readonly AgentSample[]): Promise<void>;
  /** Stores what waits. */
  stop(): Promise<void>;
};

const lingerMs = 20;
/** Well below what one message may be. */
const batchBytes = 384 * 1024;
const batchSamples = 5_000;
const waitingBytes = 64 * 2 ** 20;
const stored = counter("sonde_samples_stored_total", "Samples that the bus stored");

type Batch = { samples: AgentSample[]; sizeBytes: number; done: PromiseWithResolvers<void>; timer: NodeJS.Timeout };

export function createPublisher(bus: Bus): Publisher {
  const open = new Map<number, Batch>();
  const underway = new Set<Promise<unknown>>();
  let waiting = 0;

  const send = (partition: number, batch: Batch) => {
    clearTimeout(batch.timer);
    open.delete(partition);
    const bytes = toBinary(SampleBatchSchema, create(SampleBatchSchema, { samples: batch.samples }));
    const sending = publishFact(bus, subjects.samples(partition), bytes)
      .then(() => {
        stored.inc(batch.samples.length);
        batch.done.resolve();
      }, batch.done.reject)
      .finally(() => {
        waiting -= batch.sizeBytes;
        underway.delete(sending);
      });
    underway.add(sending);
  };
  const begin = (partition: number): Batch => {
    const timer = setTimeout(() => send(partition, batch), lingerMs);
    const batch: Batch = { samples: [], sizeBytes: 0, done: Promise.withResolvers(), timer };
    batch.done.promise.catch(() => {});
    open.set(partition, batch);
    return batch;
  };

  return {
    async store(samples) {
      if (!bus.connected()) throw unavailable("bus");
      if (waiting > waitingBytes) throw unavailable("agent-ingest");
      const waitFor = new Set<Promise<void>>();
      for (const sample of samples) {
        const partition = partitionOf(sample.agentId);
        const sizeBytes = toBinary(AgentSampleSchema, sample).length + 8;
        const current = open.get(partition);
        const full =
          current !== undefined &&
          (current.sizeBytes + sizeBytes > batchBytes || current.samples.length >= batchSamples);
        if (full) send(partition, current);
        const batch = open.get(partition) ?? begin(partition);
        batch.samples.push(sample);
        batch.sizeBytes += sizeBytes;
        waiting += sizeBytes;
        waitFor.add(batch.done.promise);
      }
      await Promise.all(waitFor);
    },
    async stop() {
      for (const [partition, batch] of open) send(partition, batch);
      await Promise.allSettled(underway);
    },
  };
}
