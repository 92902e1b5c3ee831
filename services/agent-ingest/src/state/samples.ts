import { fromBinary } from "@bufbuild/protobuf";
import { EncodedSampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { partitionOf } from "@sonde/proto/subjects";
import { readSample, type SampleFigures } from "./read-sample.ts";

/** A sample as SAMPLES has it, with its bytes: they are kept as they are, and never encoded again. */
export type ReceivedSample = {
  agentId: number;
  receivedAtMs: number;
  skewMs: number;
  intervalSeconds?: number;
  sample: SampleFigures;
  bytes: Uint8Array;
};

/** The samples of a message of SAMPLES. @throws where it holds none */
export function parseSamples(message: Uint8Array): ReceivedSample[] {
  return fromBinary(EncodedSampleBatchSchema, message).samples.map(
    ({ agentId, receivedAtMs, skewMs, intervalSeconds, sample }) => {
      // A copy: what is kept of one sample must not hold the memory of all that came with it.
      const bytes = new Uint8Array(sample);
      return { agentId, receivedAtMs, skewMs, intervalSeconds, sample: readSample(bytes), bytes };
    },
  );
}

/** Why a sample belongs to the dead letters; null where it is good. */
export function faultOf({ agentId, receivedAtMs, sample }: ReceivedSample, partition: number): string | null {
  if (partitionOf(agentId) !== partition) return "another partition's agent";
  if (!Number.isFinite(receivedAtMs) || receivedAtMs <= 0) return "an impossible instant";
  if (sample.atMs === undefined) return "no instant";
  return null;
}
