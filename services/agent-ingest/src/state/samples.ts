import { fromBinary } from "@bufbuild/protobuf";
import { type AgentSample, SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { partitionOf } from "@sonde/proto/subjects";

/** The samples of a message with their places in it, and why the message, or a part of it, belongs to the dead letters. */
export type Read = { samples: { index: number; sample: AgentSample }[]; fault: string | null };

/** Reads a message of SAMPLES. Good samples are taken even where others of the batch are faulty. */
export function readSamples(bytes: Uint8Array, partition: number): Read {
  let found: AgentSample[];
  try {
    found = fromBinary(SampleBatchSchema, bytes).samples;
  } catch {
    return { samples: [], fault: "not a batch of samples" };
  }
  let fault: string | null = null;
  const samples = found.flatMap((sample, index) => {
    const wrong = faultOf(sample, partition);
    if (wrong !== null) fault ??= `sample ${index}: ${wrong}`;
    return wrong === null ? [{ index, sample }] : [];
  });
  return { samples, fault };
}

function faultOf({ agentId, receivedAtMs, sample }: AgentSample, partition: number): string | null {
  if (partitionOf(agentId) !== partition) return "another partition's agent";
  if (!Number.isFinite(receivedAtMs) || receivedAtMs <= 0) return "an impossible instant";
  if (sample?.at === undefined) return "no instant";
  return null;
}
