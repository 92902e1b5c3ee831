import { fromBinary } from "@bufbuild/protobuf";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { describe, expect, test } from "vitest";
import { checkSamples } from "./check.ts";
import type { EncodedSample } from "./sample.ts";

const at = "2026-01-31T12:00:00.000Z";
const encoded = (value: unknown): EncodedSample => ({ decode: () => ({ value }) });
const disk = { device: "d", mountPoint: "/", fsType: "ext4", total: 1, used: 1, free: 0, usage: 100 };
const memory = { total: 1, used: 1, free: 0, usage: 100 };
const net = { interface: "e", received: 1, sent: 1, packetsReceived: 1, packetsSent: 1 };

describe("only the sample with an impossible figure is rejected", () => {
  test.each<[string, object]>([
    ["cpu.cores", { cpu: { cores: 2 ** 32 } }],
    ["cpu.cores", { cpu: { cores: 1.5 } }],
    ["cpu.usage", { cpu: { usage: Number.NaN } }],
    ["containers", { containers: 2 ** 32 }],
    ["footprint.queued", { footprint: { rss: 1, queued: 2 ** 32 } }],
    ["footprint.rss", { footprint: { rss: -1 } }],
    ["memory.total", { memory: { ...memory, total: 1e300 } }],
    ["memory.used", { memory: { ...memory, used: Number.POSITIVE_INFINITY } }],
    ["disks.0.inodesTotal", { disks: [{ ...disk, inodesTotal: 1e20 }] }],
    ["disks.0.usage", { disks: [{ ...disk, usage: -1 }] }],
    ["disks.1.mountPoint", { disks: [disk, { ...disk, mountPoint: "/\0" }] }],
    ["disks.0.device", { disks: [{ ...disk, device: "\0" }] }],
    ["disks.0", { disks: [7] }],
    ["disks", { disks: {} }],
    ["network.0.received", { network: [{ ...net, received: 1e300 }] }],
    ["network.0.interface", { network: [{ ...net, interface: "\0" }] }],
    ["load.one", { load: { one: 1e300, five: 0, fifteen: 0 } }],
    ["uptime", { uptime: -1 }],
    ["bootId", { bootId: "\0" }],
    ["sequence", { sequence: 2 ** 53 }],
    ["sequence", { sequence: -1 }],
    ["temperatures.0.celsius", { temperatures: [{ sensor: "s", celsius: 1e300 }] }],
    ["gpus.0.memoryTotal", { gpus: [{ name: "g", usage: 1, memoryTotal: 1e300 }] }],
    ["at", { at: "+012026-01-31T12:00:00Z" }],
    ["at", { at: 1_769_860_800_000 }],
  ])("%s of %j", async (path, more) => {
    const { good, faults } = await checkSamples([encoded({ at }), encoded({ at, ...more })]);
    expect(good.map(({ index }) => index)).toEqual([0]);
    expect(faults.map((fault) => fault.path)).toEqual([`samples.1.${path}`]);
  });

  test("the greatest possible figures are accepted", async () => {
    const most = {
      at,
      cpu: { usage: 100, cores: 2 ** 32 - 1 },
      memory: { ...memory, total: 2 ** 64 },
      disks: [{ ...disk, total: 2 ** 63 }],
      network: [{ ...net, received: 2 ** 64, receiveRate: null }],
      sequence: Number.MAX_SAFE_INTEGER,
      containers: 2 ** 32 - 1,
    };
    const { good } = await checkSamples([encoded(most)]);
    expect(fromBinary(SampleSchema, good[0]!.bytes)).toMatchObject({
      cpu: { cores: 2 ** 32 - 1 },
      sequence: Number.MAX_SAFE_INTEGER,
    });
  });
});

test("only the first invalid entry of a list is reported, and at most a hundred errors per report", async () => {
  const empty = { at, disks: Array(100).fill({}) };
  const { faults } = await checkSamples([encoded(empty)]);
  expect(new Set(faults.map(({ path }) => path.split(".")[3]))).toEqual(new Set(["0"]));
  const many = await checkSamples(Array.from({ length: 500 }, () => encoded(empty)));
  expect(many.faults).toHaveLength(100);
});

test("the event loop keeps running while many samples are validated", async () => {
  let turns = 0;
  let isOver = false;
  const count = () => void (isOver || (turns++, setImmediate(count)));
  setImmediate(count);
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  const slow: EncodedSample = { decode: () => (Atomics.wait(sleeper, 0, 0, 2), { value: { at } }) };
  await checkSamples(Array.from({ length: 30 }, () => slow));
  isOver = true;
  expect(turns).toBeGreaterThan(3);
});
