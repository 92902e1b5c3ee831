import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ReportSchema } from "@sonde/proto/gen/agents/v1/samples";
import { describe, expect, test } from "vitest";
import { readReport } from "./read.ts";

const protobuf = "application/x-protobuf";
const json = "application/json";
const at = "2026-01-31T12:00:00.000Z";
/** Reports as bytes: field 1 is a sample. */
const sampleBytes = (...content: number[]) => Buffer.from([0x0a, content.length, ...content]);
const decoded = async (type: string, body: Buffer) =>
  (await readReport(type, body)).samples.map((sample) => {
    const result = sample.decode();
    return "fault" in result ? result.fault : result.value;
  });

describe("the cost of a report is known before decoding", () => {
  test("millions of empty samples are rejected by their number", async () => {
    const body = Buffer.alloc(4 * 2 ** 20, Buffer.from([0x0a, 0x00]));
    await expect(readReport(protobuf, body)).rejects.toThrow("A report can contain at most 500 samples");
    const list = Buffer.from(`{"samples":[{}${",{}".repeat(1_000_000)}]}`);
    await expect(readReport(json, list)).rejects.toThrow("A report can contain at most 500 samples");
  });

  test("reading a report decodes no sample", async () => {
    // A truncated sample.
    const { samples } = await readReport(protobuf, sampleBytes(0x0a, 0x05));
    expect(samples).toHaveLength(1);
    expect(() => samples[0]?.decode()).toThrow("The body is not a valid report");
    const { samples: texts } = await readReport(json, Buffer.from('{"samples":[{"at" 1}]}'));
    expect(() => texts[0]?.decode()).toThrow("The body is not valid JSON");
  });

  test.each([
    ["fields besides the samples", Buffer.alloc(2000, Buffer.from([0x10, 0x01])), "The body is not a valid report"],
    [
      "addresses of a host",
      Buffer.concat([Buffer.from([0x22, 0xca, 0x01]), Buffer.alloc(202, Buffer.from([0x12, 0x00]))]),
      "The body is not a valid report",
    ],
    ["a length beyond its end", Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]), "The body is not a valid report"],
    ["an endless varint", Buffer.alloc(20, 0xff), "The body is not a valid report"],
    ["a group", Buffer.from([0x0b, 0x0c]), "The body is not a valid report"],
  ])("%s are refused", async (_what, body, message) => {
    await expect(readReport(protobuf, Buffer.concat([body, sampleBytes()]))).rejects.toThrow(message);
  });

  test.each([
    ["at most a hundred disks are accepted", 0x22, "disks", 100],
    ["at most a hundred interfaces are accepted", 0x2a, "network", 100],
    ["at most a hundred temperatures are accepted", 0x52, "temperatures", 100],
    ["at most 32 graphics cards are accepted", 0x5a, "gpus", 32],
  ])("%s", async (_what, tag, path, max) => {
    const entries = (count: number) => {
      const body = Buffer.alloc(2 * count, Buffer.from([tag, 0x00]));
      return Buffer.concat([Buffer.from([0x0a, (body.length & 0x7f) | 0x80, body.length >> 7]), body]);
    };
    expect((await decoded(protobuf, entries(max)))[0]).toHaveProperty(path);
    const fault = { path, message: "Too many entries (maximum {max})", params: { max } };
    expect(await decoded(protobuf, entries(max + 1))).toEqual([fault]);
    const text = (count: number) => Buffer.from(JSON.stringify({ samples: [{ [path]: Array(count).fill(0) }] }));
    expect((await decoded(json, text(max)))[0]).toHaveProperty(path);
    expect(await decoded(json, text(max + 1))).toEqual([fault]);
  });

  test("only the sample with too many fields or bytes is rejected", async () => {
    const wide = Buffer.alloc(10_000, Buffer.from([0x60, 0x01]));
    const body = Buffer.concat([Buffer.from([0x0a, (wide.length & 0x7f) | 0x80, wide.length >> 7]), wide]);
    expect(await decoded(protobuf, Buffer.concat([body, sampleBytes()]))).toMatchObject([
      { message: "The sample is too large" },
      { disks: [] },
    ]);
    const long = JSON.stringify({ samples: [{ x: "x".repeat(65 * 1024) }, {}] });
    expect(await decoded(json, Buffer.from(long))).toEqual([{ path: "", message: "The sample is too large" }, {}]);
  });
});

describe("a report as protobuf", () => {
  test("contains its time, interval and host facts", async () => {
    const host = { hostname: "h", ipAddresses: ["192.0.2.1"], os: "o", version: "1" };
    const sentAt = timestampFromMs(Date.parse(at));
    const bytes = toBinary(
      ReportSchema,
      create(ReportSchema, { samples: [{ at: sentAt }], sentAt, interval: 5, host }),
    );
    const report = await readReport(protobuf, Buffer.from(bytes));
    expect(report).toMatchObject({ sentAtMs: Date.parse(at), intervalSeconds: 5, host });
    expect(report.samples[0]?.decode()).toMatchObject({ value: { at } });
  });
});

describe("a report as JSON", () => {
  test.each([
    ['{"samples":[{"a":1},{"b":"]}"}]}'],
    ['{ "sentAt" : "2026-01-31T12:00:00Z" , "samples" : [ { "a" : [ 1, 2 ] } , { } ] , "interval" : 5 }'],
    ['{"samples":[{"a":"\\""},{"b":"\\\\"}]}'],
    ['{"samples":[{"a":"\\\\\\",["}]}'],
    ['{"host":{"samples":[1,2,3]},"samples":[{"samples":[{}]}]}'],
    ['{"samples":[1],"samples":[2,3]}'],
    ['{"samples":[null,"x",[[]]]}'],
    ['{"other":[[{}]],"samples":[{}]}'],
    ['\uFEFF{"samples":[{"a":1}]}'],
  ])("%s is split into the same samples that a parser finds", async (text) => {
    const { samples } = JSON.parse(text.replace("\uFEFF", "")) as { samples: unknown[] };
    expect(await decoded(json, Buffer.from(text))).toEqual(samples);
  });

  test.each([
    "{",
    "[",
    '{"samples":[}',
    '{"samples":[{}',
    '{"samples":[{}]',
    '{"samples":[{}]}}',
    '{"samples":[{}}}',
    '{"samples":[{}}]',
    '{"samples":[[}]}',
    '{"samples":[{}]]',
    '}{"samples":[{}]',
    '{"a"',
    '{"samples":[{},]}',
  ])("%s is invalid JSON", async (text) => {
    await expect(decoded(json, Buffer.from(text))).rejects.toThrow("The body is not valid JSON");
  });

  test.each(["{}", '{"samples":[]}', '{"samples":[ \n ]}', '{"samples":{}}', '{"samples":"[]"}'])(
    "%s has no samples",
    async (text) => {
      await expect(readReport(json, Buffer.from(text))).rejects.toThrow("The request is not valid");
    },
  );

  test("that is deeply nested, or has too much besides its samples, is rejected", async () => {
    const deep = Buffer.from(`{"samples":[${"[".repeat(100_000)}${"]".repeat(100_000)}]}`);
    await expect(readReport(json, deep)).rejects.toThrow("The body is not valid JSON");
    const wide = Buffer.from(JSON.stringify({ samples: [{}], host: "x".repeat(70_000) }));
    await expect(readReport(json, wide)).rejects.toThrow("The body is too large (maximum 64 KiB)");
  });
});
