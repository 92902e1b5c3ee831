import { create } from "@bufbuild/protobuf";
import { slotAfter } from "@sonde/kit/time/slots";
import { CheckResultSchema } from "@sonde/proto/gen/checks/v1/checks";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { expect, test } from "vitest";
import { compareAlerts, examineIncidents } from "./alerts.ts";
import type { Acknowledged } from "./facts.ts";
import { shownAsCovered } from "./gaps.ts";
import { absent, createLedger } from "./ledger.ts";
import type { Untouched } from "./monitors.ts";
import { accountForSlots, type Kill, unknownToTarget } from "./slots.ts";
import type { StoredCheck } from "./stored.ts";

// The judges of a kills run must detect losses.
const monitor: Untouched = { id: 7, key: 70, kind: "flap", intervalMs: 10_000, createdAtMs: 1_000_000 };
const first = slotAfter(monitor.id, monitor.intervalMs, monitor.createdAtMs);
const slots = [0, 1, 2, 3].map((k) => first + k * monitor.intervalMs);
const untilMs = first + 4 * monitor.intervalMs;
const checkOf = (slotMs: number): StoredCheck => ({
  monitorId: monitor.id,
  slotMs,
  startedAtMs: slotMs + 2,
  tookMs: 5,
  up: true,
  answered: true,
});
const arrivals = new Map([[monitor.key, slots.map((slotMs) => slotMs + 3)]]);
const account = (stored: number[], kills: Kill[]) =>
  accountForSlots([monitor], stored.map(checkOf), arrivals, kills, untilMs);

test("a slot that is missing far from any runner kill has no kill assigned", () => {
  const kills = [
    { name: "gateway", atMs: slots[2]! + 100 },
    { name: "probe-runner", atMs: slots[0]! + 100 },
  ];
  expect(account(slots, kills)).toEqual({ expected: 4, stored: 4, missing: [] });
  expect(account(slots.toSpliced(2, 1), kills).missing).toEqual([{ monitorId: 7, slotMs: slots[2] }]);
});

test("a slot is lost if its healthy target was requested and no runner was killed", () => {
  const stored = slots.toSpliced(2, 1).map(checkOf);
  const account = (requests: typeof arrivals) =>
    accountForSlots([{ ...monitor, kind: "ok" }], stored, requests, [], untilMs).missing;
  expect(account(arrivals)).toEqual([{ monitorId: 7, slotMs: slots[2], resultLost: true }]);
  const unasked = new Map([[monitor.key, slots.toSpliced(2, 1).map((slotMs) => slotMs + 3)]]);
  expect(account(unasked)).toEqual([{ monitorId: 7, slotMs: slots[2] }]);
});

test("a slot is assigned to a kill that interrupted its check, not to one long after it", () => {
  const kill = (aheadMs: number) => [{ name: "probe-runner-2", atMs: slots[2]! + 3 + aheadMs }];
  expect(account(slots.toSpliced(2, 1), kill(150)).missing).toMatchObject([{ kill: kill(150)[0], aheadMs: 150 }]);
  expect(account(slots.toSpliced(2, 1), kill(4000)).missing[0]).not.toHaveProperty("kill");
});

test("a check without a request, and a second check for one request, are detected", () => {
  const keyOf = new Map([[monitor.id, monitor.key]]);
  expect(unknownToTarget(slots.map(checkOf), arrivals, keyOf)).toEqual([]);
  const invented = { ...checkOf(slots[0]!), startedAtMs: slots[0]! + 5000 };
  expect(unknownToTarget([invented], arrivals, keyOf)).toEqual([invented]);
  expect(unknownToTarget([checkOf(slots[1]!), checkOf(slots[1]!)], arrivals, keyOf)).toHaveLength(1);
});

test("a missing slot in a step with full coverage is detected", () => {
  const missing = [{ monitorId: 7, slotMs: slots[3]! }];
  const step = (startMs: number, coverage: number) => ({
    start: new Date(startMs).toISOString(),
    checks: 2,
    up: 2,
    availability: 100,
    coverage,
    avg: 1,
    p50: 1,
    p95: 1,
    max: 1,
    lastCheckedAt: null,
  });
  const histories = (coverage: number) =>
    new Map([[7, [step(slots[0]!, 100), step(slots[2]!, coverage), step(untilMs, 100)]]]);
  const laterMs = untilMs + 60_000;
  expect(shownAsCovered({ expected: 4, stored: 3, missing }, histories(50), laterMs)).toEqual([]);
  expect(shownAsCovered({ expected: 4, stored: 3, missing }, histories(100), laterMs)).toHaveLength(1);
});

const resultOf = (slotMs: number, status: string, storedAtMs = slotMs + 50): Acknowledged => ({
  ...create(CheckResultSchema, { monitorId: 7, slotMs, startedAtMs: slotMs + 2, status }),
  storedAtMs,
});
const stateEvent = (id: string, status: string): Event =>
  create(EventSchema, { id, fact: { case: "monitor", value: { monitorId: 7, change: "state", status } } });

test("lost and additional state changes are detected; repeated events and late results are ignored", () => {
  const results = [
    resultOf(slots[0]!, "up"),
    resultOf(slots[1]!, "down"),
    resultOf(slots[1]!, "up", slots[1]! + 200),
    resultOf(slots[2]!, "up", slots[2]! + 60_000),
    resultOf(slots[3]!, "down"),
  ];
  const [up, down] = [stateEvent("a", "up"), stateEvent("b", "down")];
  expect(compareAlerts([monitor], results, [up, down, down]).problems).toEqual([]);
  expect(compareAlerts([monitor], results, [up]).problems).toHaveLength(1);
  expect(compareAlerts([monitor], results, [up, down, stateEvent("c", "up")]).problems).toHaveLength(1);
});

test("for a flapping monitor, one good check between two bad ones is not a state change", () => {
  const results = (statuses: string) =>
    statuses.split(" ").map((status, index) => resultOf(first + index * monitor.intervalMs, status));
  const published = (statuses: string) => statuses.split(" ").map((status, index) => stateEvent(`e${index}`, status));
  const changes = "up down up down up down up down up down up";
  const problems = (checks: string, events: string) =>
    compareAlerts([monitor], results(checks), published(events)).problems;
  expect(problems(`${changes} down up down`, `${changes} down`)).toEqual([]);
  expect(problems(`${changes} down up up`, `${changes} down up`)).toEqual([]);
  expect(problems(`${changes} down up up`, `${changes} down`)).toHaveLength(1);
  expect(problems(changes, changes.slice(0, -3))).toHaveLength(1);
});

test("overlapping incidents and unpublished ends are detected", () => {
  const incident = (id: string, openedAt: string, closedAt?: string): Incident => ({
    id,
    target: { type: "monitor", id: 7, name: "Seven" },
    kind: "down",
    cause: "503",
    openedAt,
    ...(closedAt === undefined ? {} : { closedAt, resolution: "recovered" }),
  });
  const published = (change: string, id: string) =>
    create(EventSchema, { id: change + id, fact: { case: "incident", value: { change, incident: { id } } } });
  const good = [incident("m1", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"), incident("m2", "2026-01-01T00:02:00Z")];
  const events = [published("opened", "m1"), published("closed", "m1"), published("opened", "m2")];
  expect(examineIncidents(good, events)).toEqual([]);
  expect(examineIncidents(good, events.toSpliced(1, 1))).toHaveLength(1);
  expect(examineIncidents([incident("m1", good[0]!.openedAt), good[1]!], events)).toHaveLength(1);
});

test("an unacknowledged write may have taken effect, an acknowledged one must have", async () => {
  const ledger = createLedger("thing");
  const answer = (status: number) => () => Promise.resolve({ status, body: {} });
  await ledger.write("x", "made", answer(201));
  await ledger.write("y", "made", answer(0));
  await ledger.write("z", "made", answer(201));
  await ledger.write("z", "changed", answer(503));
  const problems = (states: Record<string, string>) => ledger.compare((key) => states[key] ?? absent);
  expect(await problems({ x: "made", z: "made" })).toEqual([]);
  expect(await problems({ x: "made", y: "made", z: "changed" })).toEqual([]);
  expect(await problems({ y: "made" })).toHaveLength(2);
  expect(ledger.counts).toEqual({ acknowledged: 2, unanswered: 2 });
  await ledger.write("x", "changed", answer(404));
  expect(ledger.refusals).toHaveLength(1);
});
