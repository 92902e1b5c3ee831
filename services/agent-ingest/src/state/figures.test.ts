import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { expect, test } from "vitest";
import { figuresOf, rateOf } from "./samples.ts";

const figures = (sample: MessageInitShape<typeof SampleSchema>) => figuresOf(create(SampleSchema, sample));

test("the fullest disk stands for all of them, the busiest interface by both directions together", () => {
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

test("what a sample does not tell is no figure, and a zero is one", () => {
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

test("an interface of which no rate is known yet stands for nothing; one direction is enough", () => {
  expect(figures({ network: [{ interface: "eth0", received: 9 }] }).network).toBeUndefined();
  const { network } = figures({ network: [{ interface: "eth0", sendRate: 5 }] });
  expect(network && rateOf(network)).toBe(5);
});
