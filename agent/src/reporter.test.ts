import { expect, test } from "vitest";
import { KeyRefused, createReporter } from "./reporter.ts";
import { openSpool } from "./spool.ts";
import { temporaryFolder } from "./testing/fixture.ts";
import { type ReportOutcome, readOutcome } from "./transport.ts";

const accepted = (more: Partial<ReportOutcome & { kind: "accepted" }> = {}): ReportOutcome => ({
  kind: "accepted",
  accepted: 1,
  rejected: [],
  resendHost: false,
  ...more,
});
const later = (afterMs?: number): ReportOutcome => ({ kind: "later", reason: "away", afterMs });

function reporterWith(waiting: number, answer: (samples: string[], attempt: number) => ReportOutcome) {
  const spool = openSpool(temporaryFolder(), { maxBytes: 1_000_000 });
  for (let index = 0; index < waiting; index += 1) spool.append(Buffer.from(`s${index}`));
  const seen = {
    sent: [] as string[][],
    waits: [] as number[],
    log: [] as string[],
    intervals: [] as (number | undefined)[],
  };
  let nowMs = 1_000_000;
  const reporter = createReporter({
    spool,
    limits: { maxBatchSamples: 4, maxBodyBytes: 100_000, reportsPerMinute: 60 },
    send: async (samples) => {
      seen.sent.push(samples.map((sample) => Buffer.from(sample).toString()));
      nowMs += 100;
      return answer(seen.sent.at(-1)!, seen.sent.length);
    },
    wait: async (ms) => {
      seen.waits.push(ms);
      nowMs += ms;
    },
    nowMs: () => nowMs,
    random: () => 1,
    log: (line) => seen.log.push(line),
    onInterval: (seconds) => seen.intervals.push(seconds),
    onState: () => {},
  });
  return { reporter, spool, seen };
}

const forever = new AbortController().signal;

test("a backlog is sent oldest first, in batches, at the allowed rate", async () => {
  const { reporter, spool, seen } = reporterWith(6, () => accepted());
  await reporter.drain(forever);
  expect(seen.sent).toEqual([
    ["s0", "s1", "s2", "s3"],
    ["s4", "s5"],
  ]);
  expect(seen.waits).toEqual([1000]);
  expect(spool.waiting()).toBe(0);
});

test("while the server is unavailable samples are kept, pauses grow, and it is logged once", async () => {
  const { reporter, spool, seen } = reporterWith(1, (_, attempt) => (attempt <= 4 ? later() : accepted()));
  await reporter.drain(forever);
  expect(seen.waits).toEqual([1000, 2000, 4000, 8000]);
  expect(seen.sent).toHaveLength(5);
  expect(seen.log).toHaveLength(2);
  expect(reporter.state).toMatchObject({ failures: 0, lastError: undefined });
  expect(spool.waiting()).toBe(0);
});

test("a report that arrives too slowly is sent again, and no sample is dropped", async () => {
  const message = "The body did not arrive in time";
  const late = { status: 503, headers: { "retry-after": "2" }, body: JSON.stringify({ success: false, message }) };
  const { reporter, spool, seen } = reporterWith(2, (_, attempt) => (attempt <= 2 ? readOutcome(late, 0) : accepted()));
  await reporter.drain(forever);
  expect(seen.sent).toEqual([
    ["s0", "s1"],
    ["s0", "s1"],
    ["s0", "s1"],
  ]);
  expect(seen.log).toHaveLength(2);
  expect(spool.waiting()).toBe(0);
});

test("Retry-After is honoured if it is longer than the pause", async () => {
  const { reporter, seen } = reporterWith(1, (_, attempt) =>
    attempt === 1 ? later(60_000) : attempt === 2 ? later(1) : accepted(),
  );
  await reporter.drain(forever);
  expect(seen.waits).toEqual([60_000, 2000]);
});

test("a batch that is too large is halved, and a single sample that is too large is dropped", async () => {
  const { reporter, spool, seen } = reporterWith(4, (samples) =>
    samples.includes("s2") ? { kind: "too large", reason: "too big" } : accepted(),
  );
  await reporter.drain(forever);
  expect(spool.waiting()).toBe(0);
  expect(seen.sent).toContainEqual(["s2"]);
  expect(seen.sent).toContainEqual(["s3"]);
  expect(seen.log).toEqual(["A sample was dropped: too big"]);
});

test("invalid samples are isolated by halving, and valid ones are sent", async () => {
  const taken: string[] = [];
  const { reporter } = reporterWith(3, (samples) => {
    if (samples.every((text) => text === "s0")) return { kind: "invalid", reason: "no good" };
    taken.push(...samples.filter((text) => text !== "s0"));
    return accepted({ rejected: ["s0"] });
  });
  await reporter.drain(forever);
  expect(taken).toEqual(["s1", "s2"]);
});

test("a rejected key ends it, and the samples are kept", async () => {
  const { reporter, spool } = reporterWith(2, () => ({ kind: "refused", reason: "revoked" }));
  await expect(reporter.drain(forever)).rejects.toThrow(KeyRefused);
  expect(spool.waiting()).toBe(2);
});

test("interval and clock skew are taken from the server's response", async () => {
  const { reporter, seen } = reporterWith(1, () => accepted({ intervalSeconds: 60, serverTimeMs: 990_050 }));
  await reporter.drain(forever);
  expect(seen.intervals).toEqual([60]);
  expect(reporter.state.clockSkewMs).toBe(10_000);
});

test("nothing is sent after an abort", async () => {
  const { reporter, seen } = reporterWith(1, () => accepted());
  await reporter.drain(AbortSignal.abort());
  expect(seen.sent).toEqual([]);
});
