import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import type { Confirm } from "@sonde/proto/http/monitors/monitors";
import { describe, expect, test } from "vitest";
import { type AppliedResult, decide } from "../state/decide.ts";
import { type GivenResult, resultOf, slot, trackedMonitor } from "../testing/tracked.ts";
import { partialOf } from "./suspicion.ts";
import type { TrackedMonitor } from "../state/tracked.ts";

const us: Confirm = { locations: ["us1"], need: 1 };
const two: Confirm = { locations: ["us1", "ap1", "sa1"], need: 2 };

const monitor = (change: Partial<TrackedMonitor> = {}) =>
  trackedMonitor({ locations: ["eu1"], confirm: us, ...change });

const refused = {
  $typeName: "sonde.checks.v1.CheckError",
  kind: "connect",
  message: "The connection was refused",
} as const;
const check = (number: number, status: "up" | "down", given: GivenResult = {}) =>
  resultOf(number, { location: "eu1", status, ...(status === "down" && { error: refused }), ...given });
const opinion = (number: number, status: "up" | "down", location = "us1", given: GivenResult = {}) =>
  check(number, status, {
    location,
    confirms: slot(number),
    slotMs: slot(number) + 1_000,
    startedAtMs: slot(number) + 1_000,
    manual: true,
    failures: 1,
    ...given,
  });

type Seen = { now: TrackedMonitor; decisions: (AppliedResult | string)[] };
function read(start: TrackedMonitor, results: readonly CheckResult[], delayMs = 200): Seen {
  const decisions: Seen["decisions"] = [];
  let now = start;
  for (const result of results) {
    const decision = decide(now, result, result.startedAtMs + delayMs, now.confirm);
    if (decision.ignored !== undefined) {
      decisions.push(decision.ignored);
      continue;
    }
    decisions.push(decision);
    now = {
      ...now,
      status: decision.status,
      hasPartialIncident: decision.partial === undefined ? now.hasPartialIncident : decision.partial === "begins",
      locationStates: new Map([...now.locationStates, ...decision.changed]),
    };
  }
  return { now, decisions };
}
const up = [check(1, "up")];
const suspected = [...up, check(2, "down")];
const outcomeOf = ({ now, decisions }: Seen) => ({
  status: now.status,
  partial: partialOf(now.status, now.locationStates),
  verdict: now.locationStates.get("eu1")?.suspicion?.verdict,
  ignored: decisions.filter((decision) => typeof decision === "string"),
});

test("a repeated failure starts a suspicion and changes nothing", () => {
  const { now, decisions } = read(monitor(), suspected);
  expect(now.status).toBe("up");
  expect(decisions.map((decision) => typeof decision === "object" && decision.suspects)).toEqual([false, true]);
  expect(read(monitor({ confirm: null }), suspected).now.status).toBe("down");
});

const suspicious = read(monitor(), suspected).now;
test.each<[string, TrackedMonitor, CheckResult[], Partial<ReturnType<typeof outcomeOf>>]>([
  ["an opinion that fails confirms it", suspicious, [opinion(2, "down")], { status: "down", verdict: "down" }],
  [
    "an opinion that succeeds ends it: the monitor is down from one location",
    suspicious,
    [opinion(2, "up")],
    { status: "up", verdict: "up", partial: ["eu1"] },
  ],
  [
    "a failure before its retry starts no suspicion",
    suspicious,
    [check(3, "up"), check(4, "down", { failures: 1 })],
    { status: "up", verdict: undefined },
  ],
  ["a recovery ends it", suspicious, [check(3, "up"), opinion(2, "down")], { status: "up", ignored: ["seen"] }],
  ["an opinion on another slot is ignored", suspicious, [opinion(1, "down")], { status: "up", ignored: ["seen"] }],
  [
    "an opinion of an unexpected location is ignored",
    suspicious,
    [opinion(2, "down", "sa1")],
    { status: "up", ignored: ["location"] },
  ],
  [
    "an opinion on an earlier version is ignored",
    suspicious,
    [opinion(2, "down", "us1", { version: 0 })],
    { status: "up", ignored: ["version"] },
  ],
  [
    "a location's own check is not an opinion",
    suspicious,
    [check(2, "down", { location: "us1" })],
    { status: "up", ignored: ["location"] },
  ],
  [
    "without a verdict the next failing slot counts",
    suspicious,
    [check(3, "down")],
    { status: "down", verdict: "none" },
  ],
  [
    "a slot within the waiting time does not count",
    read(monitor({ intervalMs: 5_000, timeoutMs: 4_000 }), [check(1, "up"), check(2, "down")]).now,
    [check(2, "down", { slotMs: slot(2) + 5_000, startedAtMs: slot(2) + 5_005 })],
    { status: "up", verdict: undefined },
  ],
  [
    "one failing opinion is not enough if two are needed",
    read(monitor({ confirm: two }), suspected).now,
    [opinion(2, "down", "us1"), opinion(2, "down", "us1")],
    { status: "up", verdict: undefined, ignored: ["seen"] },
  ],
  [
    "two failing opinions are enough if two are needed",
    read(monitor({ confirm: two }), suspected).now,
    [opinion(2, "down", "us1"), opinion(2, "down", "sa1")],
    { status: "down", verdict: "down" },
  ],
  [
    "one success ends it, regardless of other opinions",
    read(monitor({ confirm: two }), suspected).now,
    [opinion(2, "down", "us1"), opinion(2, "up", "ap1"), opinion(2, "down", "sa1")],
    { status: "up", verdict: "up", partial: ["eu1"] },
  ],
])("%s", (_what, start, results, expected) => {
  expect(outcomeOf(read(start, results))).toMatchObject(expected);
});

describe("down from one location", () => {
  const partial = read(suspicious, [opinion(2, "up")]);

  test("starts once, and each further failing slot is checked again", () => {
    const again = read(partial.now, [check(3, "down"), opinion(3, "up"), check(4, "down"), opinion(4, "down")]);
    const changes = [...partial.decisions, ...again.decisions].map((one) => typeof one === "object" && one.partial);
    expect(changes).toEqual(["begins", undefined, undefined, undefined, undefined]);
    expect(again.now.status).toBe("down");
  });

  test("continues while the next opinion is pending", () => {
    expect(outcomeOf(read(partial.now, [check(3, "down")])).partial).toEqual(["eu1"]);
  });

  test("ends with a successful check there", () => {
    const { decisions } = read(partial.now, [check(3, "up")]);
    expect(decisions).toMatchObject([{ partial: "ends", status: "up" }]);
  });

  test("applies to a new monitor, which is up because others reach it", () => {
    expect(outcomeOf(read(monitor(), [check(2, "down"), opinion(2, "up")]))).toMatchObject({
      status: "up",
      partial: ["eu1"],
    });
  });
});

test("opinions that arrive after the verdict are added to the incident once", () => {
  const three = { ...two, need: 1 };
  const { decisions } = read(read(monitor({ confirm: three }), suspected).now, [
    opinion(2, "down", "us1"),
    opinion(2, "up", "ap1"),
    opinion(2, "up", "ap1"),
  ]);
  expect(decisions).toMatchObject([{ status: "down", isLate: false }, { status: "down", isLate: true }, "seen"]);
});

test("one opinion applies to all locations that failed in its slot", () => {
  const both = monitor({ locations: ["eu1", "eu2"] });
  const failed = [check(1, "up"), check(2, "down"), check(2, "down", { location: "eu2" })];
  expect(outcomeOf(read(both, failed)).status).toBe("up");
  expect(read(both, [...failed, opinion(2, "down")]).now.status).toBe("down");
});

test("results that are read again, or by another owner, give the same decisions", () => {
  const stream = [
    ...suspected,
    opinion(2, "up"),
    check(3, "down"),
    opinion(3, "down"),
    check(4, "down"),
    check(5, "up"),
    check(6, "down"),
    check(7, "down"),
    opinion(7, "up"),
    check(8, "up"),
  ];
  const whole = read(monitor(), stream).now;
  const repeated = read(
    monitor(),
    stream.flatMap((one) => [one, one]),
  ).now;
  expect(repeated).toEqual(whole);
  for (let at = 0; at < stream.length; at++) {
    const saved = structuredClone(read(monitor(), stream.slice(0, at)).now);
    expect(read(saved, stream.slice(at)).now).toEqual(whole);
  }
});
