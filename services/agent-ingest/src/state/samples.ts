import { EncodedAgentSampleSchema, EncodedSampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { partitionOf } from "@sonde/proto/subjects";
import { FieldReader, fixed64Tag, lengthTag, varintTag } from "../protobuf/field-reader.ts";
import { readSample, type SampleFigures } from "./read-sample.ts";

/** A sample as SAMPLES has it, with its bytes: they are kept as they are, and never encoded again. */
export type HeardSample = {
  agentId: number;
  receivedAtMs: number;
  skewMs: number;
  intervalSeconds?: number;
  sample: SampleFigures;
  bytes: Uint8Array;
};

const fields = EncodedAgentSampleSchema.field;
const tags = {
  samples: lengthTag(EncodedSampleBatchSchema.field.samples),
  agentId: varintTag(fields.agentId),
  receivedAtMs: fixed64Tag(fields.receivedAtMs),
  skewMs: fixed64Tag(fields.skewMs),
  sample: lengthTag(fields.sample),
  intervalSeconds: fixed64Tag(fields.intervalSeconds),
};

/** The samples of a message of SAMPLES. @throws where it holds none */
export function parseSamples(message: Uint8Array): HeardSample[] {
  const reader = new FieldReader(message);
  const end = reader.end();
  const samples: HeardSample[] = [];
  for (let tag = reader.next(end); tag !== 0; tag = reader.next(end)) {
    if (tag === tags.samples) samples.push(readHeard(reader));
    else reader.skip(tag);
  }
  return samples;
}

const noBytes = new Uint8Array();

function readHeard(reader: FieldReader): HeardSample {
  let [agentId, receivedAtMs, skewMs] = [0, 0, 0];
  let intervalSeconds: number | undefined;
  let encoded: Uint8Array = noBytes;
  const end = reader.message();
  for (let tag = reader.next(end); tag !== 0; tag = reader.next(end)) {
    if (tag === tags.agentId) agentId = reader.varint();
    else if (tag === tags.receivedAtMs) receivedAtMs = reader.double();
    else if (tag === tags.skewMs) skewMs = reader.double();
    else if (tag === tags.sample) encoded = reader.bytes();
    else if (tag === tags.intervalSeconds) intervalSeconds = reader.double();
    else reader.skip(tag);
  }
  // A copy: what is kept of one sample must not hold the memory of all that came with it.
  const bytes = new Uint8Array(encoded);
  return { agentId, receivedAtMs, skewMs, intervalSeconds, sample: readSample(bytes), bytes };
}

/** Why a sample belongs to the dead letters; null where it is good. */
export function faultOf({ agentId, receivedAtMs, sample }: HeardSample, partition: number): string | null {
  if (partitionOf(agentId) !== partition) return "another partition's agent";
  if (!Number.isFinite(receivedAtMs) || receivedAtMs <= 0) return "an impossible instant";
  if (sample.atMs === undefined) return "no instant";
  return null;
}
