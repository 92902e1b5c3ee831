import { fromBinary } from "@bufbuild/protobuf";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { expect, test } from "vitest";
import { httpClient } from "./http-client.ts";
import { encodeSample } from "./encode.ts";
import { accept, fakeServer, json, type Respond } from "./testing/server.ts";
import { backoffMs, retryAfterMs, sendReport } from "./transport.ts";

const at = { wallMs: 1_700_000_000_123, monotonicMs: 5000.9, bootId: "boot" };
const empty = { at, disks: [], network: [], temperatures: [], gpus: [], scope: "host" as const };
const sample = encodeSample(
  { ...empty, cpu: { usage: undefined, cores: 2 }, load: { one: 1, five: 2, fifteen: 3 } },
  { rss: 1, queued: 7 },
);

async function send(respond: Respond, options: { samples?: Uint8Array[]; timeoutMs?: number } = {}) {
  const server = await fakeServer([respond]);
  const client = httpClient(server.url, { userAgent: "test", timeoutMs: options.timeoutMs ?? 5000 });
  const { samples = [sample] } = options;
  const outcome = await sendReport(client, {
    key: "secret",
    samples,
    intervalSeconds: 10,
    nowMs: () => 1_700_000_001_000,
  });
  client.close();
  return { outcome, received: server.received };
}

test("a sample contains its time, boot and sequence; unknown fields are absent", () => {
  const decoded = fromBinary(SampleSchema, sample);
  expect(decoded).toMatchObject({
    bootId: "boot",
    sequence: 5000,
    scope: "host",
    load: { one: 1 },
    footprint: { queued: 7 },
  });
  expect(decoded.cpu?.cores).toBe(2);
  expect(decoded.cpu?.usage).toBeUndefined();
  expect(decoded.at?.nanos).toBe(123_000_000);
});

test("a single sample is sent uncompressed, a backlog compressed; both with key, interval and the sender's clock", async () => {
  const one = await send(accept);
  expect(one.outcome).toMatchObject({ kind: "accepted", accepted: 1, rejected: [] });
  expect(one.received[0]?.headers).toMatchObject({
    authorization: "Bearer secret",
    "content-type": "application/x-protobuf",
  });
  expect(one.received[0]?.headers).not.toHaveProperty("content-encoding");
  expect(one.received[0]?.report).toMatchObject({ interval: 10, sentAt: { seconds: 1_700_000_001n } });
  const big = encodeSample(
    { ...empty, network: [{ interface: "x".repeat(300), received: 1, sent: 1, packetsReceived: 1, packetsSent: 1 }] },
    { rss: 1, queued: 0 },
  );
  const many = await send(accept, { samples: [sample, big, sample] });
  expect(many.received[0]?.headers["content-encoding"]).toBe("gzip");
  expect(many.received[0]?.report?.samples).toHaveLength(3);
  expect(many.received[0]?.report?.samples[1]?.network[0]?.interface).toHaveLength(300);
});

test("the server's time and requested interval are read", async () => {
  const { outcome } = await send((response) =>
    json(response, 200, {
      success: true,
      accepted: 1,
      serverTime: "2023-11-14T22:13:20.000Z",
      interval: 60,
      rejected: [{ path: "x" }],
    }),
  );
  expect(outcome).toEqual({
    kind: "accepted",
    accepted: 1,
    rejected: ['{"path":"x"}'],
    serverTimeMs: 1_700_000_000_000,
    intervalSeconds: 60,
    resendHost: false,
  });
});

test.each([
  [401, { success: false, message: "revoked" }, { kind: "refused", reason: "revoked" }],
  [413, { success: false, message: "too big" }, { kind: "too large", reason: "too big" }],
  [400, { success: false, message: "none is good" }, { kind: "invalid", reason: "none is good" }],
  [500, { success: false, message: "oops" }, { kind: "later", reason: "oops" }],
])("%i of a Sonde server", async (status, body, outcome) => {
  expect((await send((response) => json(response, status, body))).outcome).toMatchObject(outcome);
});

test.each([[400], [401], [200], [302], [404]])("%i of another server is not final", async (status) => {
  const { outcome } = await send(
    (response) => void response.writeHead(status).end("<html>Log in to the hotel's network"),
  );
  expect(outcome.kind).toBe("later");
});

test.each([[429], [503]])("%i waits as long as requested", async (status) => {
  const { outcome } = await send((response) =>
    json(response, status, { success: false, message: "slow down" }, { "retry-after": "17" }),
  );
  expect(outcome).toEqual({ kind: "later", reason: "slow down", afterMs: 17_000 });
});

test("a broken connection, a slow response and an endless one are retried later", async () => {
  expect((await send((response) => void response.socket?.destroy())).outcome.kind).toBe("later");
  const slow = await send(() => {}, { timeoutMs: 50 });
  expect(slow.outcome).toEqual({ kind: "later", reason: "no response within 0.05 s" });
  const drip = await send((response) => void response.writeHead(200).write("{"), { timeoutMs: 50 });
  expect(drip.outcome.kind).toBe("later");
  const flood = await send((response) => void response.writeHead(200).end("x".repeat(100_000)));
  expect(flood.outcome).toEqual({ kind: "later", reason: "the response is too large" });
});

test("all reports share a connection, and one that the server closed is replaced", async () => {
  const ports = new Set<number | undefined>();
  const server = await fakeServer([
    (response, received) => {
      ports.add(response.socket?.remotePort);
      accept(response, received);
    },
    (response, received) => {
      ports.add(response.socket?.remotePort);
      accept(response, received);
    },
    (response) => void response.socket?.destroy(),
    accept,
  ]);
  const client = httpClient(server.url, { userAgent: "test" });
  const report = { key: "k", samples: [sample], intervalSeconds: 1, nowMs: Date.now };
  await sendReport(client, report);
  await sendReport(client, report);
  expect(ports.size).toBe(1);
  expect((await sendReport(client, report)).kind).toBe("accepted");
  expect(server.received).toHaveLength(4);
  client.close();
});

test("Retry-After is seconds or a date, at most an hour", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  expect(retryAfterMs("5", now)).toBe(5000);
  expect(retryAfterMs("Thu, 01 Jan 2026 00:00:30 GMT", now)).toBe(30_000);
  expect(retryAfterMs("Thu, 01 Jan 2020 00:00:30 GMT", now)).toBe(0);
  expect(retryAfterMs("999999", now)).toBe(3_600_000);
  expect(retryAfterMs("soon", now)).toBeUndefined();
  expect(retryAfterMs(undefined, now)).toBeUndefined();
});

test("pauses double from a second to five minutes, with jitter down to half", () => {
  expect([1, 2, 3, 9, 10, 99].map((failures) => backoffMs(failures, () => 1))).toEqual([
    1000, 2000, 4000, 256_000, 300_000, 300_000,
  ]);
  expect(backoffMs(3, () => 0)).toBe(2000);
});
