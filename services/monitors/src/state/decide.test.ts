import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { describe, expect, test } from "vitest";
import { type GivenResult, minute, resultOf as result, slot, trackedMonitor as monitor } from "../testing/tracked.ts";
import { type ResultDecision, decide } from "./decide.ts";
import type { TrackedMonitor } from "./tracked.ts";

const manual = (atMs: number, given: GivenResult = {}) =>
  result(0, { slotMs: atMs, startedAtMs: atMs, manual: true, failures: given.status === "down" ? 1 : 0, ...given });

/** Applies results in turn, each stored a second after it began, and returns the monitor afterwards. */
function after(start: TrackedMonitor, ...results: CheckResult[]): TrackedMonitor {
  return results.reduce((now, one) => follow(now, one, decide(now, one, one.startedAtMs + 1_000)), start);
}
function follow(now: TrackedMonitor, _one: CheckResult, decision: ResultDecision): TrackedMonitor {
  if (decision.ignored !== undefined) return now;
  return {
    ...now,
    status: decision.status,
    locationStates: new Map([...now.locationStates, ...decision.changed]),
  };
}
const soon = (now: TrackedMonitor, one: CheckResult) => decide(now, one, one.startedAtMs + 1_000);

describe("one location", () => {
  test("the first success changes it from pending to up", () => {
    expect(after(monitor(), result(1)).status).toBe("up");
  });

  test("errors are stored in at most 300 bytes, regardless of what the runner sent", () => {
    const error = {
      $typeName: "sonde.checks.v1.CheckError" as const,
      kind: "assertion",
      message: "检\0".repeat(9_999),
    };
    const kept = after(monitor(), result(1, { status: "down", error })).locationStates.get("default")?.error ?? "";
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(300);
    expect(kept).toMatch(/^(?:检 )+检?…$/);
  });

  test("the first repeated failure changes it from pending to down", () => {
    expect(after(monitor(), result(1, { status: "down", failures: 2 })).status).toBe("down");
  });

  test("a failure that has not been retried changes nothing", () => {
    expect(after(monitor(), result(1, { status: "down", failures: 1 })).status).toBe("pending");
    expect(after(monitor(), result(1), result(2, { status: "down", failures: 1 })).status).toBe("up");
  });

  test("failures count across slots", () => {
    const once = after(monitor({ retries: 2 }), result(1), result(2, { status: "down", failures: 2 }));
    expect(once.status).toBe("up");
    expect(after(once, result(3, { status: "down", failures: 3 })).status).toBe("down");
  });

  test("without retries one failure makes it down", () => {
    expect(after(monitor({ retries: 0 }), result(1, { status: "down", failures: 1 })).status).toBe("down");
  });

  test("one success makes it up again", () => {
    expect(after(monitor(), result(1, { status: "down" }), result(2)).status).toBe("up");
  });

  test("a new runner counts from zero, and the monitor stays down", () => {
    const down = after(monitor(), result(1, { status: "down", failures: 5 }));
    expect(after(down, result(2, { status: "down", failures: 1 })).status).toBe("down");
  });
});

describe("results are ignored", () => {
  test("of a paused monitor", () => {
    expect(soon(monitor({ status: "paused", activeSinceMs: null }), result(1))).toEqual({ ignored: "paused" });
    expect(soon(monitor({ status: "paused", activeSinceMs: null }), manual(slot(1)))).toEqual({ ignored: "paused" });
  });

  test("of an earlier definition", () => {
    expect(soon(monitor({ version: 2 }), result(1, { status: "down" }))).toEqual({ ignored: "version" });
  });

  test("of a location that is not the monitor's", () => {
    expect(soon(monitor(), result(1, { location: "mars" }))).toEqual({ ignored: "location" });
  });

  test("if stored later than an interval and the timeout after the slot", () => {
    const limitMs = slot(1) + minute + 10_000;
    expect(decide(monitor(), result(1), limitMs)).toMatchObject({ status: "up" });
    expect(decide(monitor(), result(1), limitMs + 1)).toEqual({ ignored: "late" });
  });

  test("of a runner whose clock is ahead", () => {
    expect(decide(monitor(), result(1), slot(1) + 5 - 60_000)).toMatchObject({ status: "up" });
    expect(decide(monitor(), result(1), slot(1) + 4 - 60_000)).toEqual({ ignored: "early" });
  });

  test("but future times are capped, so that a fast clock blocks no other runner", () => {
    const ahead = decide(monitor(), result(2, { startedAtMs: slot(2) }), slot(1) + 5_000);
    expect(ahead).toMatchObject({ locationState: { slotMs: slot(1) + 5_000, checkedAtMs: slot(1) + 5_000 } });
    const up = follow(monitor(), result(2), ahead);
    expect(after(up, result(2, { status: "down", startedAtMs: slot(2) + 5 })).status).toBe("down");
  });

  test("if duplicated, by the same or another runner", () => {
    const up = after(monitor(), result(1));
    expect(soon(up, result(1))).toEqual({ ignored: "seen" });
    expect(soon(up, result(1, { status: "down", startedAtMs: slot(1) + 900 }))).toEqual({ ignored: "seen" });
  });

  test("if out of order", () => {
    const up = after(monitor(), result(1), result(3));
    expect(decide(up, result(2, { status: "down" }), slot(2) + 1_000)).toEqual({ ignored: "seen" });
  });

  test("if they began before a newer manual check", () => {
    const up = after(monitor(), manual(slot(1) + 2_000));
    expect(soon(up, result(1, { status: "down", startedAtMs: slot(1) + 5 }))).toEqual({ ignored: "seen" });
  });
});

describe("manual checks", () => {
  test("a success makes a monitor up", () => {
    expect(after(monitor(), result(1, { status: "down" }), manual(slot(1) + 9_000)).status).toBe("up");
  });

  test("one failure does not make it down", () => {
    expect(after(monitor(), result(1), manual(slot(1) + 9_000, { status: "down" })).status).toBe("up");
    expect(after(monitor(), manual(slot(1), { status: "down" })).status).toBe("pending");
  });

  test("one failure without retries makes it down", () => {
    const up = after(monitor({ retries: 0 }), result(1));
    expect(after(up, manual(slot(1) + 9_000, { status: "down" })).status).toBe("down");
  });

  test("a failure after another counts as its retry", () => {
    const once = after(monitor(), result(1), manual(slot(1) + 9_000, { status: "down" }));
    expect(after(once, manual(slot(1) + 12_000, { status: "down" })).status).toBe("down");
  });

  test("a failure does not change a monitor that is down", () => {
    const down = after(monitor(), result(1, { status: "down" }));
    expect(after(down, manual(slot(1) + 9_000, { status: "down" })).status).toBe("down");
  });

  test("a manual check does not replace the next slot", () => {
    const checked = after(monitor(), result(1), manual(slot(1) + 30_000));
    expect(after(checked, result(2, { status: "down" })).status).toBe("down");
  });

  test("a retry that began after a manual check still counts for its slot", () => {
    const once = after(monitor(), manual(slot(1) + 500, { status: "down" }));
    expect(once.status).toBe("pending");
    expect(after(once, result(1, { status: "down", failures: 2, startedAtMs: slot(1) + 2_005 })).status).toBe("down");
  });
});

describe("while flapping", () => {
  const changesMs = [slot(-3), slot(-2), slot(-1)];
  const flapping = monitor({ status: "down", flapping: { changesMs, isFlapping: true } });

  test("two successes in a row make it up, one does not", () => {
    const down = after(flapping, result(1, { status: "down" }));
    const once = after(down, result(2));
    expect(once.status).toBe("down");
    expect(after(once, result(3, { status: "down" }), result(4)).status).toBe("down");
    expect(after(once, result(3)).status).toBe("up");
  });

  test("ten minutes without a change end it", () => {
    const up = after(flapping, result(1), result(2));
    const soonAfter = decide(up, result(8), slot(9));
    expect(soonAfter).toMatchObject({ status: "up", calms: false });
    expect(decide(up, result(12), slot(13))).toMatchObject({ status: "up", calms: true });
  });
});

describe("several locations", () => {
  const three = (change: Partial<TrackedMonitor> = {}) => monitor({ locations: ["a", "b", "c"], ...change });
  const at = (location: string, number: number, status: "up" | "down", startedAtMs = slot(number) + 5) =>
    result(number, { location, status, startedAtMs });

  test("it is down while more than half of the verdicts are failures", () => {
    const well = after(three(), at("a", 1, "up"), at("b", 1, "up"), at("c", 1, "up"));
    const one = after(well, at("a", 2, "down"));
    expect(one.status).toBe("up");
    const two = after(one, at("b", 2, "down"));
    expect(two.status).toBe("down");
    expect(after(two, at("a", 3, "up")).status).toBe("up");
  });

  test("half of the verdicts are not enough", () => {
    const well = after(three(), at("a", 1, "up"), at("b", 1, "up"));
    expect(after(well, at("a", 2, "down")).status).toBe("up");
  });

  test("a verdict expires after three intervals", () => {
    const silent = after(three(), at("a", 1, "up"), at("b", 1, "up"), at("c", 1, "down"));
    expect(after(silent, at("c", 3, "down")).status).toBe("up");
    expect(after(silent, at("c", 4, "down")).status).toBe("down");
  });

  test("two locations in one slot can each change the state, regardless of whose clock is ahead", () => {
    const up = after(three(), at("a", 1, "up", slot(1) + 50));
    const decision = soon(up, at("b", 1, "down", slot(1) + 20));
    expect(decision).toMatchObject({ status: "up" });
    const half = follow(up, at("b", 1, "down"), decision);
    expect(soon(half, at("c", 1, "down", slot(1) + 10))).toMatchObject({ status: "down" });
  });

  test("verdicts on an earlier version do not count", () => {
    const before = after(three(), at("a", 1, "down"), at("b", 1, "down"));
    const edited: TrackedMonitor = { ...before, version: 2, status: "pending" };
    expect(after(edited, { ...at("c", 2, "up"), version: 2 }).status).toBe("up");
  });
});
