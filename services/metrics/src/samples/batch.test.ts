import { create } from "@bufbuild/protobuf";
import { type AgentSample, AgentSampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { expect, test } from "vitest";
import { sampleBatchOf, sampleOf } from "../testing/samples.ts";
import { readSamples, sampleColumns } from "./row.ts";

const nowMs = 1_750_000_000_000;
const dayMs = 86_400_000;
const read = (...samples: AgentSample[]) => readSamples(sampleBatchOf(samples), { nowMs, rawDays: 30 });
const at = (atMs: number) => sampleOf({ agentId: 1, atMs });
const rowOf = (sample: AgentSample) =>
  Object.fromEntries(sampleColumns.map((column, index) => [column, read(sample).samples[0]?.row[index]]));

test("bytes that are not a batch are an error; an empty batch is valid", () => {
  const options = { nowMs, rawDays: 30 };
  expect(readSamples(new Uint8Array([0x0a, 0xff]), options).problem).toBe("not a batch of samples");
  expect(read()).toEqual({ samples: [], rows: 0, news: false, refused: { old: 0, future: 0 }, problem: null });
});

test("valid samples of a batch are accepted even if others are invalid", () => {
  const { samples, problem } = read(at(nowMs), sampleOf({ agentId: 0, atMs: nowMs }), at(nowMs - 1));
  expect(samples).toHaveLength(2);
  expect(problem).toBe("sample 1: no agent");
});

test.each([
  ["missing sample or timestamp", create(AgentSampleSchema, { agentId: 1 })],
  ["missing sample or timestamp", create(AgentSampleSchema, { agentId: 1, sample: {} })],
  ["cpu is not a number", sampleOf({ agentId: 1, atMs: nowMs, cpu: Number.NaN })],
  ["disk_usage is not a number", sampleOf({ agentId: 1, atMs: nowMs, disks: { "/": Number.POSITIVE_INFINITY } })],
  ["send_rate is not a number", sampleOf({ agentId: 1, atMs: nowMs, network: { eth0: [1, Number.NaN] } })],
  ["sequence is not a whole number", sampleOf({ agentId: 1, atMs: nowMs, bootId: "a", sequence: 1.5 })],
  ["skewMs is not a number", sampleOf({ agentId: 1, atMs: nowMs, skewMs: Number.NaN })],
  ["receivedAtMs is not a number", sampleOf({ agentId: 1, atMs: nowMs, receivedAtMs: Number.NaN })],
  ["at is not a valid time", create(AgentSampleSchema, { agentId: 1, sample: { at: { seconds: 2n ** 62n } } })],
])("is invalid: %s", (problem, sample) => {
  expect(read(sample)).toMatchObject({ samples: [], problem: `sample 0: ${problem}` });
});

test("samples near the end of raw retention, or over an hour ahead, are refused", () => {
  const { samples, refused } = read(
    at(nowMs - 29 * dayMs - 1),
    at(nowMs - 29 * dayMs),
    at(nowMs + 3_600_000),
    at(nowMs + 3_600_001),
  );
  expect(samples).toHaveLength(2);
  expect(refused).toEqual({ old: 1, future: 1 });
});

test("figures are stored as whole numbers within bounds, and unknown ones as null", () => {
  const row = rowOf(
    sampleOf({
      agentId: 7,
      atMs: nowMs,
      cpu: null,
      memory: 33.336,
      load: [0.125, 1.999, 5e12],
      disks: { "/": 120, "/data": -3 },
      network: { eth0: [null, 12.5], huge: [1e300, 0] },
    }),
  );
  expect(row).toMatchObject({
    agent_id: 7,
    at: nowMs,
    cpu: null,
    memory: 3_334,
    load_one: 13,
    load_five: 200,
    load_fifteen: 0xffffffff,
    disks: ["/", "/data"],
    disk_usage: [10_000, 0],
    interfaces: ["eth0", "huge"],
    receive_rate: [null, 1e14],
    send_rate: [13, 0],
  });
});

test("the share of used inodes is stored per disk, and null if the file system has none", () => {
  const row = rowOf(sampleOf({ agentId: 7, atMs: nowMs, disks: { "/": 40, "/btrfs": 40 } }));
  expect(row).toMatchObject({ disks: ["/", "/btrfs"], disk_inodes: [4_000, null] });
});

test("a sample is identified by boot and sequence, or else by its instant", () => {
  const key = (sample: AgentSample) => [rowOf(sample)["boot"], rowOf(sample)["sequence"]];
  const first = key(sampleOf({ agentId: 1, atMs: nowMs, bootId: "b1", sequence: 4 }));
  expect(first).toEqual([expect.stringMatching(/^[1-9]\d{10,19}$/), 4]);
  expect(key(sampleOf({ agentId: 1, atMs: nowMs - 9, bootId: "b1", sequence: 4 }))).toEqual(first);
  expect(key(sampleOf({ agentId: 1, atMs: nowMs, bootId: "b2", sequence: 4 }))).not.toEqual(first);
  expect(key(sampleOf({ agentId: 1, atMs: nowMs, bootId: "b1" }))).toEqual(["0", nowMs]);
  expect(key(sampleOf({ agentId: 1, atMs: nowMs, sequence: 4 }))).toEqual(["0", nowMs]);
  expect(key(sampleOf({ agentId: 1, atMs: nowMs - 7_000, skewMs: 7_000 }))).toEqual(["0", nowMs]);
  expect(key(sampleOf({ agentId: 1, atMs: nowMs, skewMs: -2 * nowMs }))).toEqual(["0", 0]);
});

test("the first of several mount points with the same name counts, and at most a hundred are kept", () => {
  const many = sampleOf({
    agentId: 1,
    atMs: nowMs,
    disks: Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`/${index}`, index / 2])),
  });
  expect(rowOf(many)["disks"]).toHaveLength(100);
  const twice = sampleOf({ agentId: 1, atMs: nowMs, disks: { "/a": 10, "/b": 20 } });
  twice.sample!.disks[1]!.mountPoint = "/a";
  expect(rowOf(twice)).toMatchObject({ disks: ["/a"], disk_usage: [1_000] });
});
