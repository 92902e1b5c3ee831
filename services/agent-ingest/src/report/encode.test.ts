import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { SampleBatchSchema, SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { expect, test } from "vitest";
import { encodeEntry, type OutgoingSample } from "./publisher.ts";

const at = timestampFromMs(1_700_000_000_123);
const full = create(SampleSchema, { at, cpu: { usage: 12.5, cores: 4 }, disks: [{ mountPoint: "/ö", total: 7e12 }] });
const bare = create(SampleSchema, { at });
const long = create(SampleSchema, { at, cpu: { model: "x".repeat(20_000) } });
const entryOf = (given: typeof full, more: Partial<OutgoingSample>) => {
  const sample = toBinary(SampleSchema, given);
  return encodeEntry({ agentId: 300, receivedAtMs: 1e12 + 0.5, skewMs: 0, sample, ...more });
};

test("concatenated entries decode as one batch with the generated code", () => {
  const entries = [
    entryOf(full, { skewMs: -7000, intervalSeconds: 15 }),
    entryOf(bare, { agentId: 1 }),
    entryOf(long, { agentId: 2 ** 32 - 1 }),
  ];
  const { samples, $unknown } = fromBinary(SampleBatchSchema, Buffer.concat(entries));
  expect($unknown).toBeUndefined();
  expect(samples).toMatchObject([
    { agentId: 300, receivedAtMs: 1e12 + 0.5, skewMs: -7000, intervalSeconds: 15, sample: full },
    { agentId: 1, receivedAtMs: 1e12 + 0.5, skewMs: 0, sample: bare },
    { agentId: 2 ** 32 - 1, receivedAtMs: 1e12 + 0.5, skewMs: 0, sample: long },
  ]);
  expect(samples[1]?.intervalSeconds).toBeUndefined();
  expect(samples.map(({ $unknown: unread }) => unread)).toEqual([undefined, undefined, undefined]);
});
