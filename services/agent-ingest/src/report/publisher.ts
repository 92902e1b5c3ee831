import { create, toBinary } from "@bufbuild/protobuf";
import { createBatches } from "@sonde/kit/bus/batches";
import type { Bus } from "@sonde/kit/bus/connect";
import { counter } from "@sonde/kit/telemetry/metrics";
import { EncodedAgentSampleSchema, EncodedSampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { subjects } from "@sonde/proto/subjects";

export type OutgoingSample = {
  agentId: number;
  receivedAtMs: number;
  skewMs: number;
  /** An encoded `Sample` with corrected time. */
  sample: Uint8Array;
  intervalSeconds?: number;
};

/** With less time, hardly two reports for the same one of the sixteen partitions would share a batch. */
const lingerMs = 100;
const bounds = { maxEntries: 5_000, waitingBytes: 64 * 2 ** 20 };
const stored = counter("sonde_samples_stored_total", "Samples stored in the stream SAMPLES");

export function createSamplePublisher(bus: Bus) {
  const onStored = (samples: number) => stored.inc(samples);
  const own = { subject: subjects.samples, lingerMs, ...bounds, name: "agent-ingest", onStored } as const;
  const batches = createBatches(bus, own);
  return {
    /** Resolves when JetStream has stored all samples. @throws AppError unavailable */
    store: (samples: readonly OutgoingSample[]): Promise<void> =>
      batches.store(samples.map((sample) => ({ id: sample.agentId, entry: encodeEntry(sample) }))),
    stop: batches.stop,
  };
}

/** Encodes a batch of one sample. Concatenated batches decode as one batch of all samples. */
export const encodeEntry = (sample: OutgoingSample): Uint8Array =>
  toBinary(
    EncodedSampleBatchSchema,
    create(EncodedSampleBatchSchema, { samples: [create(EncodedAgentSampleSchema, sample)] }),
  );
