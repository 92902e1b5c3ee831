import { fromBinary } from "@bufbuild/protobuf";
import {
  type EncodedAgentSample,
  EncodedSampleBatchSchema,
  type Sample,
  SampleSchema,
} from "@sonde/proto/gen/agents/v1/samples";
import { partitionOf } from "@sonde/proto/subjects";

/** A sample as SAMPLES has it, with its bytes: they are kept as they are, and never encoded again. */
export type HeardSample = Omit<EncodedAgentSample, "sample" | "$typeName"> & { sample: Sample; bytes: Uint8Array };

/** The samples of a message of SAMPLES. @throws where it holds none */
export const parseSamples = (message: Uint8Array): HeardSample[] =>
  fromBinary(EncodedSampleBatchSchema, message).samples.map(({ sample: encoded, ...rest }) => ({
    ...rest,
    sample: fromBinary(SampleSchema, encoded),
    // A copy: what is kept of one sample must not hold the memory of all that came with it.
    bytes: new Uint8Array(encoded),
  }));

/** Why a sample belongs to the dead letters; null where it is good. */
export function faultOf({ agentId, receivedAtMs, sample }: HeardSample, partition: number): string | null {
  if (partitionOf(agentId) !== partition) return "another partition's agent";
  if (!Number.isFinite(receivedAtMs) || receivedAtMs <= 0) return "an impossible instant";
  if (sample.at === undefined) return "no instant";
  return null;
}
