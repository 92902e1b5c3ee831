import { fromBinary, toJson } from "@bufbuild/protobuf";
import { ReportSchema, SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { sample as publicSample } from "@sonde/proto/http/agents/agents";
import { expect, test } from "vitest";
import type { Collected } from "./collectors/collector.ts";
import { encodeReport, encodeSample } from "./encode.ts";

const collected: Collected = {
  at: { wallMs: 1_700_000_000_123, monotonicMs: 5_000_000_000.9, bootId: "boot" },
  cpu: { usage: 12.5, cores: 300, model: "Föö" },
  memory: { total: 7e12, used: 1, free: 2, usage: 3, available: 4, swapTotal: 5, swapUsed: 6 },
  disks: [
    {
      device: "/dev/a",
      mountPoint: "/",
      fsType: "ext4",
      total: 10,
      used: 11,
      free: 12,
      usage: 13,
      inodesTotal: 14,
      inodesUsed: 15,
    },
    { device: "/dev/b", mountPoint: "/ö", fsType: "btrfs", total: 0, used: 0, free: 0, usage: 0 },
  ],
  network: [
    { interface: "eth0", receiveRate: 20, sendRate: 21, received: 22, sent: 23, packetsReceived: 24, packetsSent: 25 },
    { interface: "eth1", received: 1, sent: 2, packetsReceived: 3, packetsSent: 4 },
  ],
  load: { one: 30, five: 31, fifteen: 32 },
  uptime: 40.5,
  temperatures: [{ sensor: "cpu", celsius: -1.5 }],
  gpus: [{ name: "card", usage: 50, memoryUsed: 51, memoryTotal: 52 }],
  containers: 0,
  scope: "host",
};

test("the generated code reads back every collected field", () => {
  const { at: _, ...figures } = collected;
  const sample = fromBinary(SampleSchema, encodeSample(collected, { rss: 60, queued: 61 }));
  const json = toJson(SampleSchema, sample, { alwaysEmitImplicit: true });
  expect(json).toEqual({
    ...figures,
    at: "2023-11-14T22:13:20.123Z",
    bootId: "boot",
    sequence: 5_000_000_000,
    footprint: { rss: 60, queued: 61 },
  });
  expect(sample.$unknown).toBeUndefined();
  expect(publicSample.safeParse(json).error).toBeUndefined();
});

test("unknown fields are absent", () => {
  const bare = { at: collected.at, disks: [], network: [], temperatures: [], gpus: [], scope: "host" as const };
  const sample = fromBinary(SampleSchema, encodeSample({ ...bare, cpu: { cores: 1 } }, { rss: 1, queued: 0 }));
  expect(sample.cpu?.usage).toBeUndefined();
  for (const field of ["memory", "load", "uptime", "containers"] as const) expect(sample[field]).toBeUndefined();
});

test("a report contains the encoded samples, the clock and the interval", () => {
  const one = encodeSample(collected, { rss: 1, queued: 1 });
  const report = fromBinary(ReportSchema, encodeReport([one, one], 1_700_000_001_999, 0.5));
  expect(report.samples).toEqual([fromBinary(SampleSchema, one), fromBinary(SampleSchema, one)]);
  expect(report).toMatchObject({ interval: 0.5, sentAt: { seconds: 1_700_000_001n, nanos: 999_000_000 } });
  expect(report.host).toBeUndefined();
});

test("a report contains the given host facts", () => {
  const host = { hostname: "wéb-1", ipAddresses: ["192.0.2.7", "2001:db8::7"], os: "Debian 12", version: "1.2.3" };
  const report = fromBinary(ReportSchema, encodeReport([], 1_700_000_001_999, 10, host));
  expect(report.host).toMatchObject(host);
  expect(report.$unknown).toBeUndefined();
});
