import type { AgentSeries } from "@sonde/proto/rpc/metrics";
import { expect, test } from "vitest";
import { fakeAgentMetrics } from "../../testing/fake-agents.ts";
import { presentAgentMetrics } from "../agents.ts";

const presented = (fields: Partial<AgentSeries>) => presentAgentMetrics({ ...fakeAgentMetrics, ...fields });

test("every step is present, in order, with null for gaps", () => {
  const { cpu, memory, load, network } = presented({});
  expect(cpu).toEqual([
    { start: "2026-01-31T12:00:00.000Z", avg: 10, max: 10 },
    { start: "2026-01-31T12:01:00.000Z", avg: null, max: null },
    { start: "2026-01-31T12:02:00.000Z", avg: 12.35, max: 20 },
  ]);
  expect(memory.map(({ avg, max }) => [avg, max])).toEqual([
    [null, null],
    [50, 60],
    [null, null],
  ]);
  expect(load.one[0]).toMatchObject({ avg: 0.33, max: 0.5 });
  expect(load.fifteen).toHaveLength(3);
  expect(load.fifteen.every(({ avg, max }) => avg === null && max === null)).toBe(true);
  expect(network["eth0"]?.receiveRate[1]).toMatchObject({ avg: 1000, max: 2000 });
  expect(network["eth0"]?.sendRate.map(({ avg }) => avg)).toEqual([null, null, null]);
});

test("a zero is a value, not a gap", () => {
  const { cpu } = presented({ cpu: { steps: [1], avg: [0], max: [0] } });
  expect(cpu.map(({ avg }) => avg)).toEqual([null, 0, null]);
});

test("a step outside the range is ignored", () => {
  const { cpu } = presented({ cpu: { steps: [3, 4_000_000_000], avg: [1, 1], max: [1, 1] } });
  expect(cpu.map(({ avg }) => avg)).toEqual([null, null, null]);
});

test("a mount point may have any name", () => {
  const names = ["__proto__", "constructor", "/mnt/a b", "'; DROP TABLE samples; --"];
  const disks = names.map((mountPoint) => ({ mountPoint, usage: { steps: [0], avg: [4], max: [4] } }));
  const answer = presented({ disks });
  expect(Object.keys(JSON.parse(JSON.stringify(answer.disks)) as object)).toEqual(names);
  expect(Object.getPrototypeOf(answer.disks)).toBe(Object.prototype);
});
