import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ReportSchema } from "@sonde/proto/gen/agents/v1/samples";
import { reportAnswer } from "@sonde/proto/http/agents/agents";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { collectSamples } from "./testing/facts.ts";
import { eventually } from "./testing/eventually.ts";
import { openTestbed, type Replica, sampleOf, type AgentsTestbed } from "./testing/service.ts";

let bed: AgentsTestbed;
let replica: Replica;
let samples: ReturnType<typeof collectSamples>;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  replica = await bed.start();
  samples = collectSamples(bed.bus);
});
afterAll(async () => {
  await samples.stop();
  await bed.stop();
});

let id: number;
let key: string;
beforeEach(async () => void ({ id, key } = await bed.register()));

const paths = (answer: { body: Record<string, unknown> }, name = "errors") =>
  (answer.body[name] as { path: string }[]).map(({ path }) => path);
const protobuf = "application/x-protobuf";

describe("a report", () => {
  test("from a shell script is stored, and makes its agent online with every figure", async () => {
    const answer = await bed.report(key, { samples: [sampleOf({ unheardOf: { at: 1 } })] });
    expect(answer.status).toBe(200);
    expect(reportAnswer.parse(answer.body)).toEqual(answer.body);
    expect(answer.body["accepted"]).toBe(1);
    expect(samples.of(id).length).toBeLessThanOrEqual(1);
    await eventually(async () => expect((await bed.agents.getAgent({ id })).status).toBe("online"));
    const agent = await bed.agents.getAgent({ id });
    expect(agent).toMatchObject({ uptime: 3600, skew: 0 });
    expect(agent.latest).toMatchObject({ cpu: { usage: 12.5, cores: 4 }, memory: { available: 700 } });
    expect(agent.latest?.disks?.[0]).toMatchObject({ mountPoint: "/", usage: 40 });
    expect(agent.latest?.network?.[0]).toMatchObject({ interface: "eth0", receiveRate: 10 });
    expect(Math.abs(Date.parse(agent.lastSeen ?? "") - Date.now())).toBeLessThan(30_000);
  });

  test("can contain only a time", async () => {
    expect((await bed.report(key, { samples: [{ at: new Date().toISOString() }] })).status).toBe(200);
    await eventually(async () => expect((await bed.agents.getAgent({ id })).status).toBe("online"));
  });

  test("as compressed protobuf is equivalent, and belongs only to its key", async () => {
    const atMs = Date.now();
    const sample = {
      at: timestampFromMs(atMs),
      cpu: { usage: 7 },
      bootId: "b",
      sequence: 3,
      network: [{ interface: "e" }],
    };
    const bytes = toBinary(ReportSchema, create(ReportSchema, { samples: [sample], sentAt: timestampFromMs(atMs) }));
    const options = { key, type: protobuf, headers: { "content-encoding": "gzip" } };
    expect((await bed.post("/agent/v1/report", gzipSync(bytes), options)).status).toBe(200);
    await eventually(() => expect(samples.of(id)).toHaveLength(1));
    expect(samples.of(id)[0]).toMatchObject({ agentId: id, skewMs: 0, sample: { cpu: { usage: 7 }, sequence: 3 } });
    expect(samples.of(id)[0]?.sample?.network[0]?.receiveRate).toBeUndefined();
  });

  test("is stored without its invalid samples, which are listed by path", async () => {
    const bad = [sampleOf({ cpu: { usage: 101 } }), sampleOf({ at: "yesterday" }), { memory: {} }];
    const answer = await bed.report(key, { samples: [sampleOf(), ...bad] });
    expect([answer.status, answer.body["accepted"]]).toEqual([200, 1]);
    expect(paths(answer, "rejected")).toEqual([
      "samples.1.cpu.usage",
      "samples.2.at",
      "samples.3.at",
      "samples.3.memory.total",
      "samples.3.memory.used",
      "samples.3.memory.free",
      "samples.3.memory.usage",
    ]);
    await eventually(() => expect(samples.of(id)).toHaveLength(1));
  });

  test("without a valid sample is 400", async () => {
    const answer = await bed.report(key, { samples: [sampleOf({ uptime: -1 })] });
    expect([answer.status, answer.body["message"]]).toEqual([400, "The report contains no valid samples"]);
    expect(paths(answer)).toEqual(["samples.0.uptime"]);
  });

  test("with a value that is not a number is rejected, in JSON and in protobuf", async () => {
    const infinite = JSON.stringify({ samples: [sampleOf()] }).replace('"usage":12.5', '"usage":1e999');
    expect((await bed.report(key, infinite)).status).toBe(400);
    expect((await bed.report(key, infinite.replace("1e999", "NaN"))).status).toBe(400);
    const sample = { at: timestampFromMs(Date.now()), load: { one: Number.NaN, five: Infinity, fifteen: 1 } };
    const bytes = toBinary(ReportSchema, create(ReportSchema, { samples: [sample] }));
    const answer = await bed.post("/agent/v1/report", bytes, { key, type: protobuf });
    expect(answer.status).toBe(400);
    expect(paths(answer)).toEqual(["samples.0.load.one", "samples.0.load.five"]);
  });

  test.each([
    ["invalid JSON", "{", "application/json", "The body is not valid JSON"],
    ["a list", "[]", "application/json", "The body must be a JSON object"],
    ["no samples", "{}", "application/json", "The request is not valid"],
    ["an empty list", '{"samples":[]}', "application/json", "The request is not valid"],
    ["invalid protobuf", "not protobuf", protobuf, "The body is not a valid report"],
    ["empty protobuf", "", protobuf, "The request is not valid"],
    ["another type", "a=b", "text/plain", "The content type must be application/json or application/x-protobuf"],
  ])("of %s is 400 with a clear message", async (_what, body, type, message) => {
    const answer = await bed.post("/agent/v1/report", body, { key, type });
    expect([answer.status, answer.body["message"]]).toEqual([400, message]);
  });

  test("with a huge body is 413, with or without a declared length, compressed or not", async () => {
    const huge = Buffer.alloc(4 * 2 ** 20 + 1, 32);
    expect((await bed.post("/agent/v1/report", huge, { key })).status).toBe(413);
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, 32));
    const inflated = await bed.post("/agent/v1/report", bomb, { key, headers: { "content-encoding": "gzip" } });
    expect([inflated.status, inflated.body["code"]]).toEqual([413, "too_large"]);
    const stream = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 5; part++) controller.enqueue(new Uint8Array(2 ** 20));
        controller.close();
      },
    });
    const streamed = await fetch(`${replica.url}/agent/v1/report`, {
      method: "POST",
      body: stream,
      duplex: "half",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
    expect(streamed.status).toBe(413);
    const many = await bed.report(key, { samples: Array.from({ length: 501 }, () => sampleOf()) });
    expect([many.status, many.body["message"]]).toEqual([413, "A report can contain at most 500 samples"]);
    const broken = await bed.post("/agent/v1/report", "no gzip", { key, headers: { "content-encoding": "gzip" } });
    expect([broken.status, broken.body["message"]]).toEqual([400, "The body is not valid gzip"]);
  });

  const padded = (count: number) => {
    const text = JSON.stringify({ samples: Array.from({ length: count }, () => sampleOf({ x: "x".repeat(60_000) })) });
    return bed.post("/agent/v1/report", gzipSync(text), { key, headers: { "content-encoding": "gzip" } });
  };

  test("over 4 MiB after inflating is 413", async () => {
    expect((await padded(70)).status).toBe(413);
    expect((await padded(69)).status).toBe(200);
  });

  test("counts against its agent's rate by its inflated size", async () => {
    // Each uses most of the rate of a minute, so six are too many even on a slow machine.
    const answers = await Promise.all(Array.from({ length: 6 }, () => padded(69)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.map(({ status }) => status)).toContain(200);
    expect(refused.length).toBeGreaterThan(0);
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("with a number over 32 bits loses only that sample", async () => {
    const answer = await bed.report(key, { samples: [sampleOf(), sampleOf({ cpu: { usage: 1, cores: 2 ** 32 } })] });
    expect([answer.status, answer.body["accepted"]]).toEqual([200, 1]);
    expect(paths(answer, "rejected")).toEqual(["samples.1.cpu.cores"]);
  });

  test.each(["//", "/agent/v1/report/", "/agent/v1/../v1/nothing"])("to %s is 404", async (path) => {
    expect((await bed.post(path, {}, { key })).status).toBe(404);
  });

  test.each([
    ["no key", {}],
    ["a wrong key", { authorization: `Bearer ${"k".repeat(43)}` }],
    ["another scheme", { authorization: "Basic abc" }],
  ])("with %s is 401, and nothing of it is read", async (_what, headers) => {
    const answer = await bed.post("/agent/v1/report", "{", { headers: headers as Record<string, string> });
    expect([answer.status, answer.body["code"], answer.body["message"]]).toEqual([
      401,
      "unauthenticated",
      "The agent key is not valid or has been revoked",
    ]);
  });

  test("from the future or the distant past is rejected with a reason", async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const future = await bed.report(key, { samples: [sampleOf({ at: at(3_600_000) })] });
    expect(future.status).toBe(400);
    expect(future.body["errors"]).toEqual([{ path: "samples.0.at", message: "The sample is from the future" }]);
    const old = await bed.report(key, { samples: [sampleOf(), sampleOf({ at: at(-30 * 86_400_000) })] });
    expect(old.body["rejected"]).toEqual([{ path: "samples.1.at", message: "The sample is too old to store" }]);
  });

  test("from a wrong clock is corrected, and the skew is shown", async () => {
    const at = new Date(Date.now() + 7_200_000).toISOString();
    expect((await bed.report(key, { samples: [sampleOf({ at })], sentAt: at })).status).toBe(200);
    await eventually(async () => {
      const { latest, skew = 0, status } = await bed.agents.getAgent({ id });
      expect([status, Math.round(skew / 60)]).toEqual(["online", 120]);
      expect(Math.abs(Date.parse(latest?.at ?? "") - Date.now())).toBeLessThan(60_000);
    });
  });

  test("over the rate is 429 with Retry-After", async () => {
    const answers: Awaited<ReturnType<typeof bed.report>>[] = [];
    // At most as many concurrent requests as one agent may have.
    for (let round = 0; round < 20; round++) {
      const some = Array.from({ length: 10 }, () => bed.report(key, { samples: [sampleOf()] }));
      answers.push(...(await Promise.all(some)));
    }
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.body["message"]).toBe("At most 120 reports per minute");
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(120);
    const other = await bed.register();
    expect((await bed.report(other.key, { samples: [sampleOf()] })).status).toBe(200);
  });
});

test("unknown paths and wrong methods have different errors", async () => {
  expect((await fetch(`${replica.url}/agent/v1/report`)).status).toBe(405);
  expect((await fetch(`${replica.url}/agent/v1/else`, { method: "POST", body: "x" })).status).toBe(404);
});

test("an invalid message in SAMPLES goes to the dead letters and blocks nothing", async () => {
  await bed.bus.js.publish(subjects.samples(id % 16), new TextEncoder().encode("no batch"));
  await bed.report(key, { samples: [sampleOf()] });
  await eventually(async () => expect((await bed.agents.getAgent({ id })).status).toBe("online"));
  const dead = await bed.bus.jsm.streams.getMessage(streams.deadLetters.name, {
    last_by_subj: subjects.deadLetter(streams.samples.name),
  });
  expect(new TextDecoder().decode(dead?.data)).toBe("no batch");
});

describe("a report that cannot be stored is not acknowledged", () => {
  test("503 with Retry-After while SAMPLES is over 80 % full, and 200 afterwards", async () => {
    const { config } = await bed.bus.jsm.streams.info(streams.samples.name);
    await bed.bus.jsm.streams.update(streams.samples.name, { ...config, max_bytes: 100_000 });
    const filling = subjects.samples((id + 1) % 16);
    for (let part = 0; part < 9; part++) await bed.bus.js.publish(filling, new Uint8Array(10_000));
    await eventually(async () => {
      const answer = await bed.report(key, { samples: [sampleOf()] });
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "30"]);
    });
    await bed.bus.jsm.streams.update(streams.samples.name, config);
    await eventually(async () => expect((await bed.report(key, { samples: [sampleOf()] })).status).toBe(200));
  });

  test("503 while the bus is unavailable, and 200 afterwards", async () => {
    const away = await bed.stopBus();
    const answer = await bed.report(key, { samples: [sampleOf()] });
    expect([answer.status, answer.body["code"]]).toEqual([503, "unavailable"]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    await away.back();
    await eventually(async () => expect((await bed.report(key, { samples: [sampleOf()] })).status).toBe(200));
  });
});
