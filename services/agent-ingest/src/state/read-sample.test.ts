import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { expect, test } from "vitest";
import { readSample } from "./read-sample.ts";

const encoded = (sample: MessageInitShape<typeof SampleSchema>) => toBinary(SampleSchema, create(SampleSchema, sample));

/** Every field of a sample, each with all that it can say. */
const full = encoded({
  at: timestampFromMs(1_700_000_000_123),
  cpu: { usage: 12.5, cores: 4, model: "A processor" },
  memory: { total: 16e9, used: 4e9, free: 2e9, usage: 25, available: 12e9, swapTotal: 1e9, swapUsed: 0 },
  disks: [
    { device: "/dev/sda1", mountPoint: "/", fsType: "ext4", total: 8e10, used: 4e10, free: 4e10, usage: 50 },
    { device: "/dev/sdb1", mountPoint: "/ö", fsType: "xfs", usage: 99.5, inodesTotal: 7, inodesUsed: 1 },
  ],
  network: [
    { interface: "eth0", receiveRate: 10, sendRate: 5, received: 1, sent: 2, packetsReceived: 3, packetsSent: 4 },
    { interface: "eth1", received: 9 },
  ],
  load: { one: 0.5, five: 0.4, fifteen: 0.3 },
  uptime: 86_400,
  bootId: "boot",
  sequence: 2 ** 40,
  temperatures: [{ sensor: "k10temp", celsius: 48 }],
  gpus: [{ name: "A card", usage: 3, memoryUsed: 1, memoryTotal: 2 }],
  containers: 300,
  scope: "host",
  footprint: { rss: 5e7, queued: 1 },
});

test("of a sample is read what the generated code wrote", () => {
  expect(readSample(full)).toEqual({
    atMs: 1_700_000_000_123,
    cpu: { usage: 12.5 },
    memory: { usage: 25 },
    disks: [
      { mountPoint: "/", usage: 50 },
      { mountPoint: "/ö", usage: 99.5 },
    ],
    network: [{ receiveRate: 10, sendRate: 5 }, {}],
    load: { one: 0.5 },
    uptime: 86_400,
    bootId: "boot",
    sequence: 2 ** 40,
  });
});

test("what was zero or is not told reads as the generated code reads it", () => {
  expect(readSample(encoded({}))).toEqual({ disks: [], network: [] });
  const zeros = { cpu: { usage: 0 }, memory: { usage: 0 }, disks: [{ usage: 0 }], load: { one: 0 }, sequence: 0 };
  expect(readSample(encoded(zeros))).toEqual({ ...zeros, disks: [{ mountPoint: "", usage: 0 }], network: [] });
  expect(readSample(encoded({ cpu: { cores: 4 } })).cpu).toEqual({ usage: undefined });
});

test("an instant before 1970 is no instant of the present, and makes nothing else unreadable", () => {
  const { atMs = 0, bootId } = readSample(encoded({ at: timestampFromMs(-5_000), bootId: "boot" }));
  expect(Math.abs(atMs - Date.now())).toBeGreaterThan(1e12);
  expect(bootId).toBe("boot");
});

test("a field of a later version is skipped, whatever its kind", () => {
  const later = [
    [0xa0, 0x06, 0x96, 0x01],
    [0xa1, 0x06, ...Buffer.alloc(8, 1)],
    [0xa2, 0x06, 2, 7, 7],
    [0xa5, 0x06, 1, 2, 3, 4],
  ];
  expect(readSample(Buffer.from([...later.flat(), ...full]))).toEqual(readSample(full));
});

test("bytes that end too early, or are no message, are refused", () => {
  for (let length = 1; length < full.length; length++) {
    let read: unknown;
    try {
      read = readSample(full.subarray(0, length));
    } catch {
      continue;
    }
    // Cut between two fields it is a shorter sample, and the generated code reads the same.
    expect(read).toEqual(readSample(toBinary(SampleSchema, fromShort(length))));
  }
  expect(() => readSample(Buffer.from([0x0b, 1]))).toThrow(RangeError);
});

const fromShort = (length: number) => fromBinary(SampleSchema, full.subarray(0, length));
