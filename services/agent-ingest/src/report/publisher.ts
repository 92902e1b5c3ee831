import { create, toBinary } from "@bufbuild/protobuf";
import { createBatches } from "@sonde/kit/bus/batches";
import type { Bus } from "@sonde/kit/bus/connect";
import { counter } from "@sonde/kit/telemetry/metrics";
import { EncodedAgentSampleSchema, EncodedSampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { subjects } from "@sonde/proto/subjects";

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
const bounds = { maxEntries: 5_000, waitingBytes: 64 * 2 ** 20 };
const stored = counter("sonde_samples_stored_total", "Samples stored in the stream SAMPLES");

/** Stores samples in SAMPLES, those of many reports together. */
export function createSamplePublisher(bus: Bus) {
  const onStored = (samples: number) => stored.inc(samples);
  const own = { subject: subjects.samples, lingerMs, ...bounds, name: "agent-ingest", onStored } as const;
  const batches = createBatches(bus, own);
  return {
    /** Resolves once JetStream stored all of them. @throws AppError unavailable */
    store: (samples: readonly OutgoingSample[]): Promise<void> =>
      batches.store(samples.map((sample) => ({ id: sample.agentId, entry: encodeEntry(sample) }))),
    stop: batches.stop,
  };
}

/** A batch of one sample; batches in a row are one batch of all their samples. */
export const encodeEntry = (sample: OutgoingSample): Uint8Array =>
  toBinary(
    EncodedSampleBatchSchema,
    create(EncodedSampleBatchSchema, { samples: [create(EncodedAgentSampleSchema, sample)] }),
  );
