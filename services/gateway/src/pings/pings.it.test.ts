import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { followStream } from "@sonde/kit/bus/follow";
import { startNats } from "@sonde/embedded/nats";
import { type Ping, PingBatchSchema, PingTargetSchema } from "@sonde/proto/gen/pings/v1/pings";
import { allPingTargets, buckets, streams } from "@sonde/proto/streams";
import { partitionOf } from "@sonde/proto/subjects";
import { execFile } from "node:child_process";
import { hash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { start } from "../main.ts";
import { type FakeSystem, startFakeSystem } from "../testing/fake-system.ts";
import { startWipeableNats, type WipeableNats } from "../testing/wipeable-nats.ts";

const uuid = "3f0c9f2a-6c1f-4f0e-9a51-0d6f3a7b9c11";
const pingKey = "a-ping-key-of-22-chars";
const token = "kumasPushTokenOf32Characters0000";

let nats: WipeableNats;
let system: FakeSystem;
let gateways: Awaited<ReturnType<typeof start>>[];
const stored: (Ping & { partition: number })[] = [];
const marks: { present: string; subject: string; atMs: number }[] = [];
let following: ReturnType<typeof followStream>;

const put = async (key: string, target: MessageInitShape<typeof PingTargetSchema>) => {
  const bytes = toBinary(PingTargetSchema, create(PingTargetSchema, target));
  await (await system.bus.kv(buckets.pings)).put(hash("sha256", key, "hex"), bytes);
};
/** Marks the bucket as complete. */
const putAll = async ({ bus }: FakeSystem) => (await bus.kv(buckets.pings)).put(allPingTargets, new Uint8Array());
const startGateway = () =>
  start(
    readConfig({
      NATS_URL: nats.url,
      PORT: "0",
      LOG_LEVEL: "silent",
      GATEWAY_WAIT_SECONDS: "20",
      TRUSTED_PROXIES: "127.0.0.1",
    }),
  );

beforeAll(async () => {
  nats = await startWipeableNats();
  system = await startFakeSystem(nats.url);
  await putAll(system);
  await put(uuid, { monitorId: 21 });
  await put(token, { monitorId: 22 });
  await put(`${pingKey}/backup`, { monitorId: 23 });
  await put(pingKey, { creates: true });
  await put("a-key-that-makes-nothing", {});
  await put("a-key-that-makes-nothing/old", { monitorId: 24, untilMs: Date.now() - 1 });
  gateways = [await startGateway(), await startGateway()];
  following = followStream(system.bus, {
    stream: streams.pings.name,
    from: "first",
    onMessage({ data, subject, storedAtMs }) {
      const { pings, present } = fromBinary(PingBatchSchema, data);
      if (present !== "") marks.push({ present, subject, atMs: storedAtMs });
      for (const ping of pings) stored.push({ ...ping, partition: Number(subject.split(".")[1]) });
    },
  });
});
afterAll(async () => {
  await following?.stop();
  await Promise.all(gateways?.map((gateway) => gateway.stop()) ?? []);
  await system?.stop();
  await nats?.stop();
});

let callers = 0;
/** Each call comes from its own address behind a trusted proxy, so that limits do not interfere. */
const nextCaller = () => `198.51.100.${(callers = (callers + 1) % 250) + 1}`;

/** Returns what the real curl prints: status, headers and body. */
async function curl(path: string, ...options: string[]) {
  const url = `http://127.0.0.1:${gateways[callers % 2]!.address.port}${path}`;
  const from = nextCaller();
  const { stdout } = await promisify(execFile)("curl", [
    "-sS",
    "-i",
    "-m",
    "20",
    "-H",
    `X-Forwarded-For: ${from}`,
    ...options,
    url,
  ]);
  const [head = "", ...rest] = stdout.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, "").split("\r\n\r\n");
  const headers = new Map(
    head
      .split("\r\n")
      .slice(1)
      .map((line) => [line.split(": ")[0]!.toLowerCase(), line.split(": ")[1]]),
  );
  return { status: Number(head.split(" ")[1]), headers, body: rest.join("\r\n\r\n"), from };
}
const pingOf = async (from: string) => {
  await expect.poll(() => stored.some((ping) => ping.from === from)).toBe(true);
  return stored.find((ping) => ping.from === from)!;
};
/** One heartbeat per row, because each accepts ten calls at once. */
let monitors = 100;
async function ownAddress(): Promise<{ key: string; monitorId: number }> {
  const key = randomUUID();
  await put(key, { monitorId: (monitors += 1) });
  return { key, monitorId: monitors };
}

test("both gateways mark their presence, only in partitions with heartbeats", async () => {
  await expect.poll(() => new Set(marks.map(({ present }) => present)).size).toBe(2);
  expect([...new Set(marks.map(({ subject }) => subject))].sort()).toEqual([5, 6, 7, 8].map((at) => `pings.${at}`));
  await put(randomUUID(), { monitorId: 32 });
  await expect.poll(() => marks.some(({ subject }) => subject === "pings.0")).toBe(true);
});

const rid = "0e0b6c2d-9d0b-4a7e-8d0b-1f2e3d4c5b6a";
test.each([
  ["GET", "", { type: "success" }],
  ["HEAD", "", { type: "success" }],
  ["POST", "", { type: "success" }],
  ["GET", "/", { type: "success" }],
  ["GET", "/start", { type: "start" }],
  ["POST", "/fail", { type: "fail" }],
  ["GET", "/log", { type: "log" }],
  ["GET", "/0", { type: "success", exitCode: 0 }],
  ["GET", "/1", { type: "fail", exitCode: 1 }],
  ["HEAD", "/255", { type: "fail", exitCode: 255 }],
  ["GET", `/start?rid=${rid}`, { type: "start", runId: rid }],
  ["GET", `/3?rid=${rid}`, { type: "fail", exitCode: 3, runId: rid }],
])("%s /ping/{uuid}%s is stored before the response", async (method, rest, ping) => {
  const { key, monitorId } = await ownAddress();
  const answer = await curl(`/ping/${key}${rest}`, ...(method === "HEAD" ? ["-I"] : ["-X", method]));
  expect([answer.status, answer.body]).toEqual([200, method === "HEAD" ? "" : "OK"]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/plain; charset=utf-8",
    "ping-body-limit": "10000",
    "access-control-allow-origin": "*",
    "cache-control": "no-store",
  });
  const found = await pingOf(answer.from);
  expect(found).toMatchObject({ ...ping, monitorId, partition: partitionOf(monitorId) });
  expect(found.id).toMatch(/^[\da-f-]{36}$/);
});

test.each([
  ["/ping/no-uuid", 400, "invalid url format"],
  [`/ping/${uuid}/256`, 400, "invalid url format"],
  [`/ping/${uuid}/stop`, 400, "invalid url format"],
  [`/ping/${uuid}/start/1`, 400, "invalid url format"],
  [`/ping/${uuid.replaceAll("-", "")}`, 400, "invalid url format"],
  [`/ping/${pingKey}/UPPER`, 400, "invalid url format"],
  [`/ping/${uuid}?x=${"x".repeat(9_000)}`, 400, "invalid url format"],
  [`/ping/${uuid}?rid=1`, 400, "invalid uuid format"],
  [`/ping/${uuid}?rid=`, 400, "invalid uuid format"],
  ["/ping/00000000-0000-4000-8000-000000000000", 404, "not found"],
  [`/ping/${pingKey}/none`, 404, "not found"],
  [`/ping/another-key/backup`, 404, "not found"],
  ["/ping/a-key-that-makes-nothing/old", 404, "not found"],
  ["/ping/a-key-that-makes-nothing/new?create=1", 404, "not found"],
])("GET %s: %i", async (path, status, text) => {
  const answer = await curl(path);
  expect([answer.status, answer.body]).toEqual([status, text]);
  expect(answer.headers.get("ping-body-limit")).toBeUndefined();
});

test("a URL by slug works, and creates its heartbeat if key and call allow that", async () => {
  expect((await curl(`/ping/${pingKey}/backup/fail`)).status).toBe(200);
  expect((await curl(`/ping/${pingKey}/backup?create=1`)).body).toBe("OK");
  const made = await curl(`/ping/${pingKey}/new/7?create=1`);
  expect([made.status, made.body]).toEqual([201, "Created"]);
  expect(await pingOf(made.from)).toMatchObject({ monitorId: 9, type: "fail", exitCode: 7 });
  const again = await curl(`/ping/${pingKey}/known?create=1`);
  expect([again.status, again.body]).toEqual([200, "OK"]);
});

test.each([
  ["?status=up&msg=OK&ping=12.5", { type: "success", output: "OK", durationMs: 12.5 }],
  ["?status=down&msg=disk%20full&ping=", { type: "fail", output: "disk full" }],
  ["", { type: "success" }],
])("/api/push/{token}%s is handled like Uptime Kuma", async (query, ping) => {
  const answer = await curl(`/api/push/${token}${query}`);
  expect([answer.status, answer.body]).toEqual([200, '{"ok":true}']);
  expect(await pingOf(answer.from)).toMatchObject({ ...ping, monitorId: 22 });
});

test("facts come from the query and the output", async () => {
  const { key } = await ownAddress();
  const sent = await curl(`/ping/${key}?rows=120`, "--data-binary", "done\nbytes=5000\nrows=1");
  expect((await pingOf(sent.from)).facts).toEqual({ rows: 120, bytes: 5000 });
});

test("an unknown push token is rejected like Uptime Kuma", async () => {
  for (const path of ["/api/push/unknown?status=up", "/api/push/a/b"]) {
    const answer = await curl(path);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      404,
      { ok: false, msg: "Monitor not found or not active." },
    ]);
  }
});

test("the first 10,000 bytes of a body are stored, as well-formed text", async () => {
  const { key } = await ownAddress();
  const sent = await curl(`/ping/${key}`, "--data-binary", "two\nlines\tand \u0007 a bell");
  expect((await pingOf(sent.from)).output).toBe("two\nlines\tand   a bell");
  // Byte 10,000 is inside a character; a large body is sent with `Expect: 100-continue`.
  const long = await curl(`/ping/${key}/fail`, "--data-binary", `a${"é".repeat(50_000)}`, "-H", "Expect: 100-continue");
  const { output = "" } = await pingOf(long.from);
  expect(Buffer.byteLength(output)).toBeLessThanOrEqual(10_000);
  expect(output).toMatch(/^aé{4999}$/);
  const chunked = await curl(`/ping/${key}`, "-H", "Transfer-Encoding: chunked", "--data-binary", "in chunks");
  expect((await pingOf(chunked.from)).output).toBe("in chunks");
});

test("other methods are rejected, and any site may send a preflight", async () => {
  expect((await curl(`/ping/${uuid}`, "-X", "DELETE")).status).toBe(405);
  const answer = await curl(`/ping/${uuid}`, "-X", "OPTIONS");
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
});

test("a heartbeat accepts ten calls at once, then one per second", async () => {
  const { key } = await ownAddress();
  const url = `http://127.0.0.1:${gateways[0]!.address.port}/ping/${key}`;
  const answers = await Promise.all(Array.from({ length: 15 }, () => fetch(url)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(4);
  expect(refused[0]!.headers.get("retry-after")).toBe("1");
  expect(await refused[0]!.text()).toBe("rate limited");
});

test("a URL that is used before the bucket delivered it is waited for", async () => {
  // Allows for a busy machine that takes longer than the quarter second.
  await expect
    .poll(async () => {
      const key = randomUUID();
      const asked = curl(`/ping/${key}`);
      await sleep(100);
      await put(key, { monitorId: 31 });
      return (await asked).status;
    })
    .toBe(200);
});

/** Starts a call whose body never completes. */
function beginCall(key: string, from: string) {
  const socket = connect(gateways[0]!.address.port, "127.0.0.1").on("error", () => {});
  socket.write(
    `POST /ping/${key} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${from}\r\nContent-Length: 100\r\n\r\nhalf`,
  );
  return socket;
}

test("a sender that disconnects during its body is not counted", async () => {
  const { key } = await ownAddress();
  const from = nextCaller();
  const socket = beginCall(key, from);
  await sleep(300);
  socket.destroy();
  expect((await curl(`/ping/${key}`)).status).toBe(200);
  expect(stored.some((ping) => ping.from === from)).toBe(false);
});

test("an address may have 64 calls in progress; slow bodies are cut off after ten seconds", async () => {
  const from = "203.0.113.5";
  const keys = await Promise.all(Array.from({ length: 9 }, ownAddress));
  const statusOf = async (key: string, caller: string) => {
    const url = `http://127.0.0.1:${gateways[0]!.address.port}/ping/${key}`;
    return (await fetch(url, { headers: { "x-forwarded-for": caller } })).status;
  };
  for (const { key } of keys) await expect.poll(() => statusOf(key, "203.0.113.6")).toBe(200);
  const sockets = Array.from({ length: 72 }, (_, at) => beginCall(keys[at % 9]!.key, from));
  // Those beyond the 64th are rejected immediately.
  await Promise.any(sockets.map((socket) => once(socket, "data")));
  // One heartbeat each, because each accepts ten calls at once.
  const statusFrom = async (caller: string) => statusOf((await ownAddress()).key, caller);
  expect(await statusFrom(from)).toBe(429);
  expect(await statusFrom("203.0.113.6")).toBe(200);
  await expect.poll(() => stored.filter((ping) => ping.from === from && ping.output === "half").length).toBe(64);
  for (const socket of sockets) socket.destroy();
  expect(await statusFrom(from)).toBe(200);
});

test("without the bus a ping gets 503, and no acknowledged ping is lost", async () => {
  const acknowledged: string[] = [];
  let stopped = false;
  const { key } = await ownAddress();
  const keys = await Promise.all(Array.from({ length: 20 }, ownAddress));
  const call = async ({ key: own }: { key: string }, at: number) => {
    while (!stopped) {
      const runId = randomUUID();
      const { port } = gateways[at % 2]!.address;
      const answer = await fetch(`http://127.0.0.1:${port}/ping/${own}?rid=${runId}`).catch(() => null);
      if (answer?.status === 200) acknowledged.push(runId);
      await sleep(100);
    }
  };
  const calls = keys.map(call);
  await sleep(600);
  await nats.without(async () => {
    await sleep(300);
    const answer = await curl(`/ping/${key}`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect((await curl("/ping/00000000-0000-4000-8000-000000000000")).status).toBe(503);
    const push = await curl(`/api/push/${token}`);
    expect([push.status, JSON.parse(push.body)]).toMatchObject([503, { ok: false }]);
    const marked = marks.length;
    await sleep(6_000);
    expect(marks.length).toBe(marked);
  });
  await expect.poll(async () => (await curl(`/ping/${key}`)).status, { timeout: 20_000, interval: 500 }).toBe(200);
  await sleep(300);
  stopped = true;
  await Promise.all(calls);
  expect(acknowledged.length).toBeGreaterThan(20);
  await expect.poll(() => acknowledged.filter((runId) => !stored.some((ping) => ping.runId === runId))).toEqual([]);
});

test("a gateway that never read the bucket responds with 503, never with 404", async () => {
  const empty = await startNats();
  const alone = await startFakeSystem(empty.url);
  await alone.bus.jsm.streams.delete(`KV_${buckets.pings}`);
  const gateway = await start(
    readConfig({ NATS_URL: empty.url, PORT: "0", LOG_LEVEL: "silent", GATEWAY_WAIT_SECONDS: "20" }),
  );
  expect((await fetch(`http://127.0.0.1:${gateway.address.port}/ping/${uuid}`)).status).toBe(503);
  await gateway.stop();
  await alone.stop();
  await empty.stop();
});

test("while a recreated bucket fills, unknown URLs get 503", async () => {
  const other = await startNats();
  const alone = await startFakeSystem(other.url);
  const bytes = toBinary(PingTargetSchema, create(PingTargetSchema, { monitorId: 9 }));
  await (await alone.bus.kv(buckets.pings)).put(hash("sha256", uuid, "hex"), bytes);
  const gateway = await start(
    readConfig({ NATS_URL: other.url, PORT: "0", LOG_LEVEL: "silent", GATEWAY_WAIT_SECONDS: "20" }),
  );
  const statusOf = async (key: string) => (await fetch(`http://127.0.0.1:${gateway.address.port}/ping/${key}`)).status;
  await expect.poll(() => statusOf(uuid)).toBe(200);
  expect(await statusOf(randomUUID())).toBe(503);
  await putAll(alone);
  await expect.poll(() => statusOf(randomUUID())).toBe(404);
  await gateway.stop();
  await alone.stop();
  await other.stop();
});
