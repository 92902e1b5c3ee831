import { fakeClock } from "@sonde/kit/time/clock";
import type { StoredEvidence } from "@sonde/proto/http/incidents/evidence";
import type { CheckError } from "@sonde/proto/http/monitors/checks";
import { describe, expect, it } from "vitest";
import { createEvidencePolicy, evidenceText, failureReason, type PublishedEvidence } from "./evidence.ts";
import type { CheckVerdict } from "./result.ts";

const error: CheckError = { kind: "status", message: "Expected status 200, got 503" };
const failure = (changes: Partial<CheckVerdict> = {}, found: StoredEvidence = { body: "busy" }): CheckVerdict => ({
  status: "down",
  statusCode: 503,
  timings: { total: 1 },
  error,
  evidence: ({ keepBody }) => (keepBody ? found : {}),
  ...changes,
});

function setUp() {
  const clock = fakeClock(1_750_000_000_000);
  const policy = createEvidencePolicy(clock);
  const keeping = {
    textOf: (verdict: CheckVerdict, keepBody: boolean, last: PublishedEvidence | undefined) =>
      policy.isDue(verdict, last) ? policy.textOf(verdict, keepBody) : undefined,
  };
  const kept = { reason: failureReason(failure()), atMs: clock.now() };
  return { clock, keeping, kept };
}

describe("evidence of a failure", () => {
  it("is published for the first failure, for a different one, and every five minutes while one lasts", () => {
    const { clock, keeping, kept } = setUp();
    expect(keeping.textOf(failure(), true, undefined)).toBe('{"body":"busy"}');
    const other = failure({ statusCode: 502 });
    expect(keeping.textOf(other, true, kept)).toBeUndefined();
    clock.advance(30_000);
    expect(keeping.textOf(failure(), true, kept)).toBeUndefined();
    expect(keeping.textOf(other, true, kept)).toBe('{"body":"busy"}');
    clock.advance(4.5 * 60_000);
    expect(keeping.textOf(failure(), true, kept)).toBe('{"body":"busy"}');
  });

  it("is not published again if the reason differs only in numbers, or beyond its stored length", () => {
    const late = (ms: number) =>
      failure({ error: { kind: "assertion", message: `Expected less than 100 ms, got ${ms} ms` } });
    expect(failureReason(late(120))).toBe(failureReason(late(98_765)));
    const long = { kind: "dns", message: "x".repeat(400) };
    const stored = { kind: "dns", message: `${"x".repeat(297)}…` };
    expect(failureReason({ error: long })).toBe(failureReason({ error: stored }));
  });

  it("is not built unless it is published", () => {
    const { keeping, kept } = setUp();
    let made = 0;
    keeping.textOf(failure({ evidence: () => (made++, {}) }), true, kept);
    expect(made).toBe(0);
  });

  it("of a burst of failures is published partly now and partly later", () => {
    const { clock, keeping } = setUp();
    const large = failure({}, { body: "x".repeat(8_000) });
    const keptNow = () =>
      Array.from({ length: 1_000 }, () => keeping.textOf(large, true, undefined)).filter(Boolean).length;
    const first = keptNow();
    expect(first).toBeGreaterThan(400);
    expect(first).toBeLessThan(600);
    expect(keptNow()).toBe(0);
    clock.advance(10_000);
    expect(keptNow()).toBeGreaterThan(20);
  });

  it("is published without fingerprints that do not fit", () => {
    const at = "2026-01-31T12:00:00.000Z";
    const taken = { fingerprint: { at, server: "x".repeat(6_000) }, lastGood: { at, server: "y".repeat(6_000) } };
    const withBody = (bytes: number) => failure({}, { body: "b".repeat(bytes) });
    expect(JSON.parse(evidenceText(withBody(2_000), true, taken) ?? "")).toMatchObject(taken);
    expect(evidenceText(withBody(8_000), true, taken)).toBe(JSON.stringify({ body: "b".repeat(8_000) }));
  });

  it("never prevents a failure from being published", () => {
    const broken = failure({
      evidence: () => {
        throw new Error("broken");
      },
    });
    expect(evidenceText(broken, true)).toBeUndefined();
    expect(evidenceText(failure({}, { body: "x".repeat(20_000) }), true)).toBeUndefined();
    expect(evidenceText({ status: "down", timings: { total: 0 } }, true)).toBeUndefined();
  });
});
