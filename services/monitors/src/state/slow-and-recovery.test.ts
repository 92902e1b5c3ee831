import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { describe, expect, test } from "vitest";
import { type GivenResult, resultOf as anyResult, slot, trackedMonitor } from "../testing/tracked.ts";
import { type AppliedResult, decide } from "./decide.ts";
import { recoveryOf, type TrackedMonitor } from "./tracked.ts";

const monitor = (change: Partial<TrackedMonitor> = {}) => trackedMonitor({ slowAfter: 800, status: "up", ...change });

/** `s` slow, `f` fast, `x` down, `r` a failure before its retry, `.` no check. */
type Look = "s" | "f" | "x" | "r";
const resultOf = (look: Look, number: number, given: GivenResult = {}) =>
  anyResult(number, {
    status: look === "x" || look === "r" ? "down" : "up",
    responseTimeMs: look === "s" ? 801 : 800,
    failures: look === "x" ? 2 : look === "r" ? 1 : 0,
    ...given,
  });

/** What an owner keeps of a decision. */
function apply(now: TrackedMonitor, { status, sinceMs, slow, changed }: AppliedResult): TrackedMonitor {
  const since = status === now.status ? {} : { status, statusSinceMs: sinceMs };
  return { ...now, ...since, isSlow: slow, locationStates: new Map([...now.locationStates, ...changed]) };
}
function after(start: TrackedMonitor, ...results: readonly CheckResult[]): TrackedMonitor {
  return results.reduce((now, one) => {
    const decision = decide(now, one, one.startedAtMs + 1_000);
    return decision.ignored === undefined ? apply(now, decision) : now;
  }, start);
}
const run = (start: TrackedMonitor, looks: string, from = 1): TrackedMonitor =>
  after(
    start,
    ...looks.split("").flatMap((look, index) => (look === "." ? [] : [resultOf(look as Look, from + index)])),
  );
/** The state after each check: `S` slow, `U` up, `D` down. */
const states = (start: TrackedMonitor, looks: string): string =>
  looks
    .split("")
    .map((_, index) => {
      const { status, isSlow } = run(start, looks.slice(0, index + 1));
      return status === "down" ? "D" : isSlow ? "S" : "U";
    })
    .join("");

describe("a monitor is slow", () => {
  test.each([
    ["after 3 of 5 slow checks", "ssffs", "UUUUS"],
    ["not after 2 of 5", "ssfff", "UUUUU"],
    ["not if the third is older than five checks", "sfsfff", "UUUUUU"],
    ["until three checks in a row are fast", "sssffsfff", "UUSSSSSSU"],
    ["without changing back and forth around the limit", "sfsfsfsfsf", "UUUUSSSSSS"],
    ["again only after three more slow checks", "sssfffsss", "UUSSSUUUS"],
    ["also if a check in between fails and its retry is not due yet", "ssrs", "UUUS"],
    ["not while it is down, and not at once after it", "sssxfss", "UUSDUUU"],
    ["after it was down, by checks since then", "sssxsss", "UUSDUUS"],
  ])("%s", (_name, looks, expected) => expect(states(monitor(), looks)).toBe(expected));

  test.each([
    [{ of: 1, in: 1 }, "sfsf", "SUSU"],
    [{ of: 1, in: 4 }, "sffffs", "SSSSUS"],
    [{ of: 5, in: 5 }, "sssssffff", "UUUUSSSSS"],
    [{ of: 2, in: 3 }, "sfsff", "UUSSU"],
  ])("by %j", (slowChecks, looks, expected) => expect(states(monitor({ slowChecks }), looks)).toBe(expected));

  test("by checks that are slower than the limit, not as slow", () => {
    const at = (responseTimeMs: number) => [1, 2, 3].map((number) => resultOf("f", number, { responseTimeMs }));
    expect(after(monitor(), ...at(800)).isSlow).toBe(false);
    expect(after(monitor(), ...at(800.1)).isSlow).toBe(true);
  });

  test("never without a limit, and nothing is kept for it", () => {
    const now = run(monitor({ slowAfter: null }), "sssss");
    expect(now.isSlow).toBe(false);
    expect(now.locationStates.get("default")).not.toHaveProperty("slowness");
    expect(now.locationStates.get("default")).not.toHaveProperty("recovery");
  });

  test("checks before a gap of more than three intervals do not count, but it stays slow", () => {
    expect(run(monitor(), "ss....s").isSlow).toBe(false);
    expect(run(monitor(), "ss..s").isSlow).toBe(true);
    expect(run(monitor(), "sss....ff").isSlow).toBe(true);
    expect(run(monitor(), "sss....fff").isSlow).toBe(false);
  });

  test("while more than half of its locations are", () => {
    const three = monitor({ locations: ["a", "b", "c"] });
    const at = (number: number, looks: Record<string, Look>) =>
      Object.entries(looks).map(([location, look]) => resultOf(look, number, { location }));
    const slots = [1, 2, 3];
    const one = after(three, ...slots.flatMap((number) => at(number, { a: "s", b: "f", c: "f" })));
    expect(one.isSlow).toBe(false);
    const two = after(three, ...slots.flatMap((number) => at(number, { a: "s", b: "s", c: "f" })));
    expect(two).toMatchObject({ isSlow: true, status: "up" });
  });

  test("regardless of a restart in between, and of results that are read twice", () => {
    const looks = "sssffsfff";
    for (let at = 1; at < looks.length; at += 1) {
      const saved = structuredClone(run(monitor(), looks.slice(0, at)));
      const again = run(saved, looks);
      expect(again.isSlow).toBe(run(monitor(), looks).isSlow);
      expect(again.locationStates).toEqual(run(monitor(), looks).locationStates);
    }
  });
});

describe("a monitor that is down recovers", () => {
  const down = (change: Partial<TrackedMonitor> = {}) =>
    run(monitor({ slowAfter: null, recoverAfter: 3, ...change }), "x", 0);

  test.each([
    ["after three good checks in a row", "fff", "DDU"],
    ["not if one of them failed", "ffxff", "DDDDD"],
    ["not if one of them failed and its retry is not due yet", "ffrff", "DDDDD"],
    ["also with gaps between them", "f.f.f", "DDDDU"],
    ["and is down at once by the next failure", "fffx", "DDUD"],
  ])("%s", (_name, looks, expected) => expect(states(down(), looks)).toBe(expected));

  test("its outage ends at the first good check", () => {
    expect(run(down(), "fff")).toMatchObject({ status: "up", statusSinceMs: slot(1) + 5 });
    expect(run(down(), "fxfff")).toMatchObject({ status: "up", statusSinceMs: slot(3) + 5 });
  });

  test("the number of good checks is known meanwhile", () => {
    const progress = (looks: string) => {
      const now = run(down(), looks);
      return recoveryOf(now, now.locationStates);
    };
    expect(progress("")).toEqual({ good: 0, of: 3 });
    expect(progress("ff")).toEqual({ good: 2, of: 3 });
    expect(progress("ffx")).toEqual({ good: 0, of: 3 });
    expect(progress("fff")).toBeUndefined();
  });

  test("at once without a threshold", () => {
    expect(run(down({ recoverAfter: 1 }), "f")).toMatchObject({ status: "up", statusSinceMs: slot(1) + 5 });
  });

  test("with the same threshold whatever the number of retries", () => {
    for (const retries of [0, 3]) {
      const failed = resultOf("x", 0, { failures: retries + 1 });
      const start = after(monitor({ slowAfter: null, recoverAfter: 2, retries }), failed);
      expect(start.status).toBe("down");
      expect(states(start, "ff")).toBe("DU");
    }
  });

  test("a manual check is one of them", () => {
    const once = after(down({ recoverAfter: 2 }), resultOf("f", 1));
    const manual = resultOf("f", 1, { manual: true, startedAtMs: slot(1) + 9_000 });
    expect(after(once, manual).status).toBe("up");
  });

  test("a new monitor is up after its first good check", () => {
    expect(run(monitor({ status: "pending", recoverAfter: 3 }), "f").status).toBe("up");
  });

  test("flapping adds nothing to a threshold of two", () => {
    const flapping = { changesMs: [], isFlapping: true };
    expect(states(down({ recoverAfter: 2, flapping }), "ff")).toBe("DU");
  });

  test("from several locations: the outage ends when enough of them began to succeed", () => {
    const three = monitor({ locations: ["a", "b", "c"], slowAfter: null, recoverAfter: 2 });
    const at = (number: number, looks: Record<string, Look>) =>
      Object.entries(looks).map(([location, look], index) =>
        resultOf(look, number, { location, startedAtMs: slot(number) + index }),
      );
    const start = after(three, ...at(0, { a: "x", b: "x", c: "x" }));
    expect(start.status).toBe("down");
    const later = after(
      start,
      ...at(1, { a: "f", b: "x", c: "x" }),
      ...at(2, { a: "f", b: "f", c: "x" }),
      ...at(3, { a: "f" }),
    );
    expect(later.status).toBe("down");
    expect(recoveryOf(later, later.locationStates)).toEqual({ good: 1, of: 2 });
    const up = after(later, resultOf("f", 3, { location: "b", startedAtMs: slot(3) + 1 }));
    expect(up).toMatchObject({ status: "up", statusSinceMs: slot(2) + 1 });
  });

  test("regardless of a restart in between", () => {
    for (const at of [1, 2]) {
      const saved = structuredClone(run(down(), "fff".slice(0, at)));
      expect(run(saved, "fff")).toMatchObject({ status: "up", statusSinceMs: slot(1) + 5 });
    }
  });
});
