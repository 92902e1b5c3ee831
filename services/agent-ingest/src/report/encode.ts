import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** A sample on its way to SAMPLES; its own bytes are encoded already. */
export type OutgoingSample = {
  agentId: number;
  receivedAtMs: number;
  skewMs: number;
  /** A `Sample`, its instant corrected. */
  sample: Uint8Array;
  intervalSeconds?: number;
};

// Field numbers of proto/sonde/agents/v1/samples.proto, AgentSample. Written by hand around bytes that exist, since the
// generated code would encode each sample once more to measure it and once more to send it.
const field = { samples: 1, agentId: 1, receivedAtMs: 2, skewMs: 3, sample: 4, intervalSeconds: 5 } as const;

/** One entry of a `SampleBatch`: the bytes of a batch are those of its entries, one after the other. */
export function encodeEntry({ agentId, receivedAtMs, skewMs, sample, intervalSeconds }: OutgoingSample): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(field.samples, WireType.LengthDelimited).fork();
  writer.tag(field.agentId, WireType.Varint).uint32(agentId);
  writer.tag(field.receivedAtMs, WireType.Bit64).double(receivedAtMs);
  writer.tag(field.skewMs, WireType.Bit64).double(skewMs);
  writer.tag(field.sample, WireType.LengthDelimited).bytes(sample);
  if (intervalSeconds !== undefined) writer.tag(field.intervalSeconds, WireType.Bit64).double(intervalSeconds);
  return writer.join().finish();
}
