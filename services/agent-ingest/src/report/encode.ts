import { EncodedAgentSampleSchema, EncodedSampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { fixed64Tag, lengthTag, varintTag } from "../protobuf/field-reader.ts";

/** A sample on its way to SAMPLES; its own bytes are encoded already. */
export type OutgoingSample = {
  agentId: number;
  receivedAtMs: number;
  skewMs: number;
  /** A `Sample`, its instant corrected. */
  sample: Uint8Array;
  intervalSeconds?: number;
};

const fields = EncodedAgentSampleSchema.field;
const tags = {
  samples: lengthTag(EncodedSampleBatchSchema.field.samples),
  agentId: varintTag(fields.agentId),
  receivedAtMs: fixed64Tag(fields.receivedAtMs),
  skewMs: fixed64Tag(fields.skewMs),
  intervalSeconds: fixed64Tag(fields.intervalSeconds),
  sample: lengthTag(fields.sample),
};
const doubleBytes = 1 + 8;

/**
 * What stands before a sample's bytes in a `SampleBatch`: the bytes of a batch are these and the sample's, entry after
 * entry. Written by hand, since the generated code would copy each sample twice.
 */
export function encodeHead({ agentId, receivedAtMs, skewMs, sample, intervalSeconds }: OutgoingSample): Buffer {
  const doubles = intervalSeconds === undefined ? 2 : 3;
  const ownBytes = 1 + varintBytes(agentId) + doubles * doubleBytes + 1 + varintBytes(sample.length);
  const head = Buffer.allocUnsafe(1 + varintBytes(ownBytes + sample.length) + ownBytes);
  let at = writeNumber(head, tags.samples, ownBytes + sample.length, 0);
  at = writeNumber(head, tags.agentId, agentId, at);
  at = writeDouble(head, tags.receivedAtMs, receivedAtMs, at);
  at = writeDouble(head, tags.skewMs, skewMs, at);
  if (intervalSeconds !== undefined) at = writeDouble(head, tags.intervalSeconds, intervalSeconds, at);
  writeNumber(head, tags.sample, sample.length, at);
  return head;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let left = value; left >= 0x80; left = Math.floor(left / 0x80)) bytes++;
  return bytes;
}

/** A tag, and a whole number: a value or a length. Answers where it ends. */
function writeNumber(head: Buffer, tag: number, value: number, begin: number): number {
  let at = head.writeUInt8(tag, begin);
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) head[at++] = (left % 0x80) | 0x80;
  head[at] = left;
  return at + 1;
}

const writeDouble = (head: Buffer, tag: number, value: number, begin: number): number =>
  head.writeDoubleLE(value, head.writeUInt8(tag, begin));
