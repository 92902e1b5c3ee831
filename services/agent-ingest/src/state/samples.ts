import { fromBinary } from "@bufbuild/protobuf";
import { type AgentSample, SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { partitionOf } from "@sonde/proto/subjects";

/** The samples of a message of SAMPLES. @throws where it holds none */
export const parseSamples = (bytes: Uint8Array): AgentSample[] => fromBinary(SampleBatchSchema, bytes).samples;

/** Why a sample belongs to the dead letters; null where it is good. */
export function faultOf({ agentId, receivedAtMs, sample }: AgentSample, partition: number): string | null {
  if (partitionOf(agentId) !== partition) return "another partition's agent";
  if (!Number.isFinite(receivedAtMs) || receivedAtMs <= 0) return "an impossible instant";
  if (sample?.at === undefined) return "no instant";
  return null;
}
