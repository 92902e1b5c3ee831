import { create } from "@bufbuild/protobuf";
import { steady } from "@sonde/domain/incidents/flapping";
import { PingSchema } from "@sonde/proto/gen/pings/v1/pings";
import { describe, expect, test } from "vitest";
import { createCoverage } from "./coverage.ts";
import { decideHeartbeat, decideSilence, dueFromNow, nextLookMs, rebased, type TrackedHeartbeat } from "./decide.ts";
import { dueAfter } from "./due.ts";

const startMs = Date.UTC(2026, 0, 5, 12);
const minute = 60_000;
const check = { type: "heartbeat", every: 60, grace: 300, keepOutput: true } as const;
let calls = 0;

const heartbeat = (fields: object = {}): TrackedHeartbeat =>
  ({
    id: 1,
    version: 1,
    intervalMs: 60 * minute,
    status: "pending",
    flapping: steady,
    activeSinceMs: startMs,
    sinceMs: startMs,
    state: null,
    check: { ...check, ...fields },
  }) as unknown as TrackedHeartbeat;

/** Applies pings in turn: `minutes:type`, optionally with an exit code or a run id. */
function after(item: TrackedHeartbeat, ...steps: string[]) {
  const found: string[] = [];
  for (const step of steps) {
    const [at = "", type = "", more = ""] = step.split(":");
    const exitCode = type === "fail" && more !== "" ? Number(more) : undefined;
    const runId = type !== "fail" && more !== "" ? more : undefined;
    const ping = create(PingSchema, {
      id: String((calls += 1)),
      monitorId: 1,
      type,
      exitCode,
      runId,
      output: "no space",
    });
    const decided = decideHeartbeat(item, ping, startMs + Number(at) * minute);
    if (decided.ignored !== undefined) found.push(decided.ignored);
    else {
      Object.assign(item, { state: decided.state, status: decided.status });
      const slot = decided.outcome?.slotMs;
      if (decided.outcome)
        found.push(
          `${decided.status} ${slot == null ? "-" : (slot - startMs) / minute} ${decided.outcome.error?.kind ?? ""}`.trim(),
        );
    }
  }
  return found;
}
const silence = (item: TrackedHeartbeat, isCovered = true) => {
  const decided = decideSilence(item, () => isCovered)!;
  Object.assign(item, { state: decided.state, status: decided.status });
  return decided;
};
const inMinutes = (ms: number | null) => (ms === null ? null : (ms - startMs) / minute);

describe("pings", () => {
  test.each([
    [["0:success", "60:success"], ["up 0", "up 60"], "a run is due one period after the last success"],
    [["0:success", "56:success"], ["up 0", "up 56"], "a run early by at most the grace satisfies the due time"],
    [["0:success", "5:success"], ["up 0", "up -"], "a run soon after another has no row"],
    [["0:success", "30:success"], ["up 0", "up 30"], "a much earlier run moves the due time forward"],
    [["0:success", "60:fail"], ["up 0", "down 60 failed"], "a failure counts at once"],
    [["0:fail:3", "1:success"], ["down 0 failed", "up -"], "and ends with the next success"],
    [["-1:success"], ["before"], "a ping from before the resume is ignored"],
    [["0:log"], ["log"], "a log is not a run"],
  ])("%j → %j: %s", (steps, found) => {
    expect(after(heartbeat(), ...steps)).toEqual(found);
  });

  test("a duplicate ping counts once, and pings of a paused heartbeat are ignored", () => {
    const ping = create(PingSchema, { id: "x", monitorId: 1, type: "success" });
    const item = heartbeat();
    Object.assign(item, decideHeartbeat(item, ping, startMs));
    expect(decideHeartbeat(item, ping, startMs + 1)).toEqual({ ignored: "seen" });
    expect(decideHeartbeat({ ...item, activeSinceMs: null }, ping, startMs)).toEqual({ ignored: "paused" });
  });

  test("a success outside its limits fails, a failure does not count for the median, and a restart decides the same", () => {
    const report = (item: TrackedHeartbeat, id: string, facts: Record<string, number>, type = "success") => {
      const ping = create(PingSchema, { id, monitorId: 1, type, facts });
      const decided = decideHeartbeat(item, ping, startMs + calls++ * minute);
      if (decided.ignored !== undefined) throw new Error(decided.ignored);
      Object.assign(item, { state: decided.state, status: decided.status });
      return decided.outcome?.error?.message ?? decided.status;
    };
    const item = heartbeat({ rows: { min: 10, within: 20 } });
    for (const id of ["a", "b", "c"]) expect(report(item, id, { rows: 100 })).toBe("up");
    expect(report(item, "d", { rows: 1 }, "fail")).toBe("The job reported a failure");
    const restarted = heartbeat({ rows: { min: 10, within: 20 } });
    restarted.state = JSON.parse(JSON.stringify(item.state)) as TrackedHeartbeat["state"];
    const words = "The run reported 50 rows, not within 20% of 100, the median of the last 3";
    expect([report(item, "e", { rows: 50 }), report(restarted, "e", { rows: 50 })]).toEqual([words, words]);
    expect(item.state!.facts).toEqual({ rows: [100, 100, 100, 50] });
    expect(report(item, "f", { rows: 5 })).toBe("The run reported 5 rows, less than 10");
    expect(report(item, "g", {})).toBe("up");
  });

  test("a failure includes the exit code and the start of the output", () => {
    const item = heartbeat();
    const ping = create(PingSchema, {
      id: "o",
      monitorId: 1,
      type: "fail",
      exitCode: 3,
      output: `no\nspace ${"x".repeat(900)}`,
    });
    const decided = decideHeartbeat(item, ping, startMs);
    const message = decided.ignored === undefined ? decided.outcome?.error?.message : "";
    expect(message).toMatch(/^The job ended with exit code 3: no space x+$/);
    expect(message!.length).toBeLessThan(540);
  });

  test("runs that are too short or too long fail; runs with other ids are independent", () => {
    const item = heartbeat({ minRuntime: 60, maxRuntime: 600 });
    expect(after(item, "0:start:a", "0.5:success:a")).toEqual(["down 0.5 too_quick"]);
    expect(after(item, "60:start:b", "61:start:c", "65:success:c")).toEqual(["up 60.5"]);
    expect(inMinutes(nextLookMs(item))).toBe(70);
    expect(silence(item).outcome?.error?.kind).toBe("overrun");
    expect(after(item, "71:success:b")).toEqual(["down - overrun"]);
    expect(after(item, "72:start:b")).toEqual([]);
    expect(item.state?.running).toEqual([]);
  });

  test("at most twenty runs are timed", () => {
    const item = heartbeat();
    after(item, ...Array.from({ length: 30 }, (_, at) => `${at}:start:r${at}`));
    expect(item.state?.running).toHaveLength(20);
  });
});

describe("silence", () => {
  test("past the deadline is a failure, and the next run is due one period later", () => {
    const item = heartbeat();
    after(item, "0:success");
    expect(inMinutes(nextLookMs(item))).toBe(65);
    expect(silence(item)).toMatchObject({
      status: "down",
      outcome: { slotMs: startMs + 60 * minute, error: { kind: "missed" } },
    });
    expect(inMinutes(nextLookMs(item))).toBe(125);
  });

  test("while no gateway accepted pings is ignored", () => {
    const item = heartbeat();
    after(item, "0:success");
    expect(silence(item, false)).toMatchObject({ status: "up", outcome: null, unseenMs: startMs + 60 * minute });
    expect(inMinutes(nextLookMs(item))).toBe(125);
  });

  test("past the start deadline is a failure", () => {
    const item = heartbeat({ startGrace: 60 });
    after(item, "0:success");
    expect(inMinutes(nextLookMs(item))).toBe(61);
    after(item, "60:start");
    expect(inMinutes(nextLookMs(item))).toBe(65);
  });

  test("before the first ping is ignored", () => expect(nextLookMs(heartbeat())).toBeNull());

  test("of an imported job counts one period after the import", () => {
    const item = heartbeat();
    item.state = dueFromNow(item, startMs);
    expect(inMinutes(nextLookMs(item))).toBe(65);
    const missed = structuredClone(item);
    expect(silence(missed)).toMatchObject({ status: "down", outcome: { error: { kind: "missed" } } });
    expect(after(item, "1:success")).toEqual(["up 1"]);
    expect(inMinutes(nextLookMs(item))).toBe(66);
  });

  test("an edit before the first ping does not make it due earlier", () => {
    const item = heartbeat();
    item.state = dueFromNow(item, startMs);
    const edited = { ...item, version: 2, activeSinceMs: startMs + 10 * minute };
    expect(inMinutes(rebased(edited)!.dueMs)).toBe(60);
  });
});

describe("cron in a time zone", () => {
  const due = (cron: string, from: string) => {
    const { dueMs, deadlineMs } = dueAfter(
      { ...check, every: undefined, cron, timeZone: "Europe/Berlin" },
      Date.parse(from),
    );
    return [new Date(dueMs).toISOString(), (deadlineMs - dueMs) / minute];
  };
  test.each([
    [
      "30 2 * * *",
      "2026-03-28T12:00:00Z",
      "2026-03-29T01:00:00.000Z",
      65,
      "a run in a skipped hour is due at its end, with an extra hour",
    ],
    [
      "0 3 * * *",
      "2026-03-28T12:00:00Z",
      "2026-03-29T01:00:00.000Z",
      5,
      "a run at the end of the gap gets no extra hour",
    ],
    [
      "30 2 * * *",
      "2026-10-24T12:00:00Z",
      "2026-10-25T00:30:00.000Z",
      65,
      "a run in a repeated hour gets an extra hour",
    ],
    ["*/30 * * * *", "2026-10-25T00:30:00Z", "2026-10-25T02:00:00.000Z", 5, "and its repeat expects no run"],
    ["30 2 * * *", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00.000Z", 5, "one run is enough"],
    ["30 2 * * *", "2026-06-01T12:00:00Z", "2026-06-02T00:30:00.000Z", 5, "other days are unaffected"],
  ])("%s after %s: %s + %i min: %s", (cron, from, at, graceMin) => {
    expect(due(cron, from)).toEqual([at, graceMin]);
  });
});

test("a gap of more than fifteen seconds makes the time around it unknown", () => {
  const coverage = createCoverage({ coveredSinceMs: null, heardMs: null });
  for (const at of [0, 5_000, 10_000]) coverage.observe(at);
  expect(coverage.covers(0, 12_000, null)).toBe(true);
  expect(coverage.isConclusive(20_000, null)).toBe(false);
  expect(coverage.covers(0, 20_000, 24_000)).toBe(true);
  expect(coverage.covers(0, 20_000, 26_000)).toBe(false);
  coverage.observe(26_000);
  expect(coverage.covers(10_000, 27_000, null)).toBe(false);
  expect(coverage.covers(26_000, 27_000, null)).toBe(true);
});
