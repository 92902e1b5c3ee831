import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { SampleBatchSchema, SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { expect, test } from "vitest";
import { parseSamples } from "./samples.ts";

const sample = create(SampleSchema, { at: timestampFromMs(1_700_000_000_123), cpu: { usage: 12.5 }, bootId: "b" });
const figures = { atMs: 1_700_000_000_123, cpu: { usage: 12.5 }, bootId: "b", disks: [], network: [] };
const samples = [
  { agentId: 7, receivedAtMs: 1e12, skewMs: -7000, sample, intervalSeconds: 15 },
  { agentId: 23, receivedAtMs: 1e12, sample },
];
const message = Buffer.from(toBinary(SampleBatchSchema, create(SampleBatchSchema, { samples })));

test("the samples of a message are read with their original bytes", () => {
  const bytes = toBinary(SampleSchema, sample);
  const parsed = parseSamples(message);
  expect(parsed).toMatchObject([
    { agentId: 7, receivedAtMs: 1e12, skewMs: -7000, intervalSeconds: 15, sample: figures, bytes },
    { agentId: 23, receivedAtMs: 1e12, skewMs: 0, sample: figures, bytes },
  ]);
  expect(parsed[1]?.intervalSeconds).toBeUndefined();
});

test("a stored sample retains no other memory", () => {
  for (const { bytes } of parseSamples(message)) expect(bytes.buffer.byteLength).toBe(bytes.length);
});

test("a message with invalid samples is rejected", () => {
  expect(() => parseSamples(Buffer.from([0x0a, 0x04, 0x22, 0x02, 0x0a, 0x05]))).toThrow();
});
