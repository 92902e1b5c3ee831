import { fakeClock } from "@sonde/kit/time/clock";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { expect, it } from "vitest";
import type { TraceRequest } from "../checks/trace.ts";
import type { Assignment } from "../definitions/watch.ts";
import type { Traces } from "../probe/traces.ts";
import { resolverOf, targetOf } from "../testing/check.ts";
import { createEntry, createSlotRunner } from "./slot-run.ts";

const usual: Assignment = {
  monitorId: 1,
  version: 1,
  intervalMs: 10_000,
  timeoutMs: 5_000,
  retries: 0,
  keepBody: true,
  target: targetOf({ url: "http://a.test/" }),
};

const tracesAt = (address: string): Traces => ({
  host: undefined,
  addresses: [address],
  proxy: undefined,
  resolver: undefined,
  serial: undefined,
  issuer: undefined,
  redirects: undefined,
  server: undefined,
  status: undefined,
  digest: undefined,
  timings: { total: 1 },
  secrets: undefined,
});

/** One monitor whose checks fail with a configurable status; 200 succeeds. */
function setUp(changes: Partial<Assignment> = {}) {
  const clock = fakeClock(1_750_000_000_000);
  const world = { code: 503, attempts: 0, isSilent: false, address: "" };
  const published: CheckResult[] = [];
  const traced: TraceRequest[] = [];
  const runner = createSlotRunner({
    clock,
    location: "here",
    resolver: resolverOf({}),
    runner: "r",
    publish: (result) => void published.push(result),
    tracer: { trace: (request) => void traced.push(request) },
    onBegun: () => undefined,
    onSkipped: () => undefined,
    checker: {
      async run() {
        const { code: statusCode } = world;
        const attempt = ++world.attempts;
        const timings = { total: 1 };
        const silence = { of: "host", addresses: ["192.0.2.1"], unrouted: false } as const;
        const error = { kind: "timeout", message: "The connection timed out" } as const;
        if (world.isSilent) return { startedAtMs: clock.now(), outcome: { status: "down", timings, error, silence } };
        const traces = world.address === "" ? undefined : tracesAt(world.address);
        if (statusCode === 200)
          return { startedAtMs: clock.now(), outcome: { status: "up", statusCode, timings, traces } };
        const evidence = ({ keepBody }: { keepBody: boolean }) => ({
          status: { code: statusCode },
          ...(keepBody && { body: `attempt ${attempt}` }),
        });
        return { startedAtMs: clock.now(), outcome: { status: "down", statusCode, timings, evidence, traces } };
      },
    },
  });
  const entry = createEntry({ ...usual, ...changes }, false);
  entry.dueMs = Infinity;
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  const slot = async () => {
    runner.begin(entry, clock.now(), "due");
    for (let passed = 0; passed < 10_000; passed += 1_000) {
      await settle();
      clock.advance(1_000);
    }
    const { evidence } = published.at(-1) ?? {};
    return evidence === undefined ? undefined : (JSON.parse(evidence) as unknown);
  };
  return { world, entry, slot, traced, published };
}

it("publishes evidence with the first failure, and every five minutes while it lasts", async () => {
  const { world, slot } = setUp();
  world.code = 200;
  expect(await slot()).toBeUndefined();
  world.code = 503;
  expect(await slot()).toEqual({ status: { code: 503 }, body: "attempt 2" });
  for (let index = 1; index < 30; index++) expect(await slot()).toBeUndefined();
  expect(await slot()).toEqual({ status: { code: 503 }, body: "attempt 32" });
});

it("publishes evidence for another failure reason, without the body if it must not be kept", async () => {
  const { world, entry, slot } = setUp();
  expect(await slot()).toMatchObject({ body: "attempt 1" });
  for (let index = 0; index < 3; index++) await slot();
  world.code = 502;
  entry.assignment = { ...entry.assignment, keepBody: false };
  expect(await slot()).toEqual({ status: { code: 502 } });
});

it("publishes evidence for the same reason after a recovery, but not within 30 seconds", async () => {
  const { world, slot } = setUp();
  expect(await slot()).toMatchObject({ body: "attempt 1" });
  world.code = 200;
  await slot();
  world.code = 503;
  expect(await slot()).toBeUndefined();
  expect(await slot()).toMatchObject({ body: "attempt 4" });
});

it("publishes the evidence of the last re-check", async () => {
  const { slot } = setUp({ retries: 2 });
  expect(await slot()).toMatchObject({ body: "attempt 3" });
  expect(await slot()).toBeUndefined();
});

it("traces the path at the first timeout of a host and at its recovery, only for icmp and tcp", async () => {
  const { world, entry, slot, traced } = setUp({ retries: 1, target: { kind: "tcp", host: "a.test:22" } as never });
  const step = async (change: Partial<typeof world>) => {
    Object.assign(world, change);
    traced.length = 0;
    await slot();
    return traced.map(({ address, recovered }) => [address, recovered]);
  };
  expect(await step({ code: 200 })).toEqual([]);
  expect(await step({ code: 503 })).toEqual([]);
  expect(await step({ code: 200 })).toEqual([]);
  expect(await step({ isSilent: true })).toEqual([["192.0.2.1", false]]);
  expect(await step({})).toEqual([]);
  expect(await step({ isSilent: false })).toEqual([["192.0.2.1", true]]);
  expect(await step({})).toEqual([]);
  expect(await step({ code: 503 })).toEqual([]);
  expect(await step({ isSilent: true })).toEqual([["192.0.2.1", false]]);
  await step({ isSilent: false, code: 200 });
  entry.assignment = { ...entry.assignment, target: usual.target };
  expect(await step({ isSilent: true })).toEqual([]);
});

it("publishes fingerprints: the first, one each hour, and both sides with evidence", async () => {
  const { world, slot, published } = setUp();
  const sent = () => {
    const { fingerprint } = published.at(-1) ?? {};
    return fingerprint === undefined ? undefined : (JSON.parse(fingerprint) as { addresses: string[] }).addresses;
  };
  Object.assign(world, { code: 200, address: "192.0.2.1" });
  await slot();
  expect(sent()).toEqual(["192.0.2.1"]);
  world.address = "192.0.2.2";
  for (let index = 0; index < 359; index++) {
    await slot();
    expect(sent()).toBeUndefined();
  }
  await slot();
  expect(sent()).toEqual(["192.0.2.2"]);
  Object.assign(world, { code: 503, address: "192.0.2.3" });
  expect(await slot()).toMatchObject({
    fingerprint: { addresses: ["192.0.2.3"] },
    lastGood: { addresses: ["192.0.2.2"] },
  });
  expect(sent()).toEqual(["192.0.2.3"]);
  await slot();
  expect(sent()).toBeUndefined();
});
