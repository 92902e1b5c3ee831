import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { expect, test } from "vitest";
import { figuresOf, rateOf } from "./samples.ts";

const figures = (sample: MessageInitShape<typeof SampleSchema>) => figuresOf(create(SampleSchema, sample));

test("figures use the fullest disk and the interface with the highest rate in both directions", () => {
  const { disk, network } = figures({
    disks: [
      { mountPoint: "/", usage: 40 },
      { mountPoint: "/data", usage: 91 },
      { mountPoint: "/boot", usage: 12 },
    ],
    network: [
      { interface: "eth0", receiveRate: 100, sendRate: 0 },
      { interface: "eth1", receiveRate: 40, sendRate: 80 },
      { interface: "eth2" },
    ],
  });
  expect(disk?.mountPoint).toBe("/data");
  expect(network?.interface).toBe("eth1");
});

test("a missing value is not a figure, but zero is", () => {
  expect(figures({})).toEqual({
    cpu: undefined,
    memory: undefined,
    disk: undefined,
    network: undefined,
    load: undefined,
  });
  const { cpu, load, disk } = figures({
    cpu: { usage: 0 },
    load: { one: 0, five: 1, fifteen: 1 },
    disks: [{ usage: 0 }],
  });
  expect([cpu, load, disk?.usage]).toEqual([0, 0, 0]);
});

test("an interface without rates is ignored; one direction is enough", () => {
  expect(figures({ network: [{ interface: "eth0", received: 9 }] }).network).toBeUndefined();
  const { network } = figures({ network: [{ interface: "eth0", sendRate: 5 }] });
  expect(network && rateOf(network)).toBe(5);
});
