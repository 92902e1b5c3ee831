import { fakeClock } from "@sonde/kit/time/clock";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { expect, it } from "vitest";
import type { Assignment } from "../definitions/watch.ts";
import { targetOf } from "../testing/check.ts";
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

/** One monitor whose checks fail with a configurable status; 200 succeeds. */
function setUp(changes: Partial<Assignment> = {}) {
  const clock = fakeClock(1_750_000_000_000);
  const world = { code: 503, attempts: 0 };
  const published: CheckResult[] = [];
  const runner = createSlotRunner({
    clock,
    location: "here",
    runner: "r",
    publish: (result) => void published.push(result),
    onBegun: () => undefined,
    onSkipped: () => undefined,
    checker: {
      async run() {
        const { code: statusCode } = world;
        const attempt = ++world.attempts;
        const timings = { total: 1 };
        if (statusCode === 200) return { startedAtMs: clock.now(), outcome: { status: "up", statusCode, timings } };
        const evidence = ({ keepBody }: { keepBody: boolean }) => ({
          status: { code: statusCode },
          ...(keepBody && { body: `attempt ${attempt}` }),
        });
        return { startedAtMs: clock.now(), outcome: { status: "down", statusCode, timings, evidence } };
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
  return { world, entry, slot };
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
