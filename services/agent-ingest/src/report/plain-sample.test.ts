import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { expect, test } from "vitest";
import { checkSamples } from "./check.ts";
import { readPlainSample } from "./plain-sample.ts";
import { protobufSample } from "./sample.ts";

const atMs = Date.parse("2026-01-31T12:00:00.123Z");
const gibibyte = 2 ** 30;
const disk = { device: "/dev/sda1", mountPoint: "/", fsType: "ext4", total: gibibyte, used: 1, free: 2, usage: 50 };
const link = {
  interface: "eth0",
  receiveRate: 1.5,
  sendRate: 0,
  received: 2 ** 40,
  sent: 7,
  packetsReceived: 5,
  packetsSent: 3,
};
const full = {
  at: timestampFromMs(atMs),
  cpu: { usage: 12.5, cores: 8, model: "AMD EPYC 7763" },
  memory: { total: gibibyte, used: 5, free: 6, usage: 40, available: 7, swapTotal: 8, swapUsed: 0 },
  disks: [disk, { ...disk, mountPoint: "/var", inodesTotal: 9, inodesUsed: 1 }],
  network: [link, { ...link, interface: "eth1" }],
  load: { one: 0.5, five: 0.25, fifteen: 0 },
  uptime: 1e6,
  bootId: "0f8fad5b-d9cb-469f-a165-70867728950e",
  sequence: 123_456,
  temperatures: [{ sensor: "k10temp Tctl", celsius: -4.5 }],
  gpus: [{ name: "NVIDIA L4", usage: 100, memoryUsed: 1, memoryTotal: 2 }],
  containers: 12,
  scope: "host",
  footprint: { rss: 5e7, queued: 300 },
} satisfies MessageInitShape<typeof SampleSchema>;
type Sample = MessageInitShape<typeof SampleSchema>;
const bytesOf = (sample: Sample) => Buffer.from(toBinary(SampleSchema, create(SampleSchema, sample)));

/** What decoding the sample and checking it as public JSON makes of it; null where it is bad. */
async function readSlowly(bytes: Buffer) {
  const { decode } = protobufSample(bytes);
  const { good } = await checkSamples([{ decode }]).catch(() => ({ good: [] }));
  return good[0] ?? null;
}

test("a sample with everything in it, and one with nothing but its instant, are good as they are", () => {
  expect(readPlainSample(bytesOf(full))).toBe(atMs);
  expect(readPlainSample(bytesOf({ at: full.at }))).toBe(atMs);
});

const nanosecond = { seconds: 1n, nanos: 1 };
test.each<[string, Sample]>([
  ["no instant", { ...full, at: undefined }],
  ["an instant between milliseconds", { ...full, at: nanosecond }],
  ["an instant before 1970", { ...full, at: timestampFromMs(-1) }],
  ["more than all of a processor", { ...full, cpu: { usage: 100.1 } }],
  ["no number", { ...full, cpu: { usage: Number.NaN } }],
  ["a negative size", { ...full, memory: { ...full.memory, used: -1 } }],
  ["more than a system counts to", { ...full, uptime: 2 ** 65 }],
  ["a text that is too long", { ...full, disks: [{ ...disk, fsType: "x".repeat(101) }] }],
  ["a text with NUL", { ...full, disks: [{ ...disk, device: "\0" }] }],
  ["a text beyond ASCII", { ...full, disks: [{ ...disk, mountPoint: "/ö" }] }],
  ["too many entries", { ...full, gpus: Array(33).fill(full.gpus[0]) }],
  ["a sequence between numbers", { ...full, sequence: 1.5 }],
  ["a sequence that no number holds", { ...full, sequence: 2 ** 53 }],
  ["a temperature of the sun's core", { ...full, temperatures: [{ sensor: "s", celsius: 15_000_000 }] }],
  ["another scope", { ...full, scope: "pod" }],
])("a sample with %s has to be decoded", (_what, sample) => {
  expect(readPlainSample(bytesOf(sample))).toBeNull();
});

test("so has one with an unknown field, with a part that comes twice, or that ends within a field", () => {
  const bytes = bytesOf(full);
  const unknown = Buffer.from([0x78, 0x01]);
  const load = Buffer.from([0x32, 0x00]);
  expect(readPlainSample(Buffer.concat([bytes, unknown]))).toBeNull();
  expect(readPlainSample(Buffer.concat([bytesOf({ at: full.at }), load]))).toBe(atMs);
  expect(readPlainSample(Buffer.concat([bytesOf({ at: full.at }), load, load]))).toBeNull();
  for (let length = 0; length < bytes.length; length++) {
    const cut = readPlainSample(bytes.subarray(0, length));
    if (cut !== null) expect(fromBinary(SampleSchema, bytes.subarray(0, length)).at).toBeDefined();
  }
});

test("what is good as it is, is the same once it was decoded and checked, whatever bytes were changed", async () => {
  const original = bytesOf(full);
  // A linear congruential generator (Numerical Recipes): the same changes in each run.
  let state = 1;
  const random = (below: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
  let good = 0;
  for (let round = 0; round < 6_000; round++) {
    const bytes = Buffer.from(original);
    for (let changes = 1 + random(3); changes > 0; changes--) bytes[random(bytes.length)] = random(256);
    const instant = readPlainSample(bytes);
    if (instant === null) continue;
    good++;
    const slow = await readSlowly(bytes);
    expect(slow?.atMs).toBe(instant);
    const [sample, checked] = [bytes, slow!.bytes].map((encoded) => fromBinary(SampleSchema, encoded));
    expect(checked).toEqual(sample);
  }
  expect(good).toBeGreaterThan(1_000);
});
