import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { expect, test } from "vitest";
import { readSample } from "./samples.ts";

const encoded = (sample: MessageInitShape<typeof SampleSchema>) => toBinary(SampleSchema, create(SampleSchema, sample));

test("missing figures are absent, and the time is in milliseconds", () => {
  expect(readSample(encoded({}))).toMatchObject({ atMs: undefined, disks: [], network: [] });
  expect(readSample(encoded({ cpu: { cores: 4 } })).cpu?.usage).toBeUndefined();
  const sample = { cpu: { usage: 0 }, disks: [{ mountPoint: "/ö", usage: 99.5 }], network: [{ receiveRate: 10 }] };
  expect(readSample(encoded({ ...sample, at: timestampFromMs(1_700_000_000_123) }))).toMatchObject({
    ...sample,
    atMs: 1_700_000_000_123,
  });
});

test("unknown fields are skipped, and invalid bytes are rejected", () => {
  const later = [0xa2, 0x06, 2, 7, 7];
  expect(readSample(Buffer.from([...later, ...encoded({ bootId: "boot" })])).bootId).toBe("boot");
  expect(() => readSample(Buffer.from([0x0b, 1]))).toThrow(Error);
});
