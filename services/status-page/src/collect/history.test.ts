import { unavailable } from "@sonde/kit/errors";
import { beforeEach, expect, test } from "vitest";
import { fakeSources } from "../testing/sources.ts";
import { dayMs } from "../compose/days.ts";
import { type History, openHistory } from "./history.ts";
import type { AgentFacts } from "./targets.ts";

const noonMs = Date.UTC(2026, 0, 31, 12);
const minuteMs = 60_000;
const agent: AgentFacts = { name: "a", status: "online", sinceMs: 0, intervalMs: 60_000, createdAtMs: 0 };
const callCounts = { monitors: [1, 2], agents: new Map([[1, agent]]) };

type DaysRequest = { monitorIds?: number[]; agents?: { agentId: number; offline: unknown[] }[]; dayCount: number };

let fake: ReturnType<typeof fakeSources>;
let history: History;
/** Queries to metrics, such as `monitors 1,2: 90`. */
let questions: string[];
let offline: unknown[];
beforeEach(() => {
  fake = fakeSources();
  questions = [];
  offline = [];
  const { metrics } = fake.sources;
  const hear = (name: string, request: DaysRequest) => {
    const ids = request.monitorIds ?? request.agents?.map(({ agentId }) => agentId) ?? [];
    offline.push(...(request.agents ?? []).flatMap((each) => each.offline));
    questions.push(`${name} ${ids.length > 5 ? ids.length : ids.join()}: ${request.dayCount}`);
  };
  fake.sources.metrics = {
    ...metrics,
    monitorDays: (request) => (hear("monitors", request as DaysRequest), metrics.monitorDays(request)),
    agentDays: (request) => (hear("agents", request as DaysRequest), metrics.agentDays(request)),
  };
  history = openHistory(fake.sources);
});

const daysOfMonitor = () => history.daysOf({ type: "monitor", id: 1 })?.days.length ?? null;

test("queries all days first, then only the current one, and all again after ten minutes", async () => {
  await history.refresh(callCounts, noonMs);
  expect(questions.splice(0)).toEqual(["monitors 1,2: 90", "agents 1: 90"]);
  await history.refresh(callCounts, noonMs + minuteMs);
  expect(questions.splice(0)).toEqual(["monitors 1,2: 1", "agents 1: 1"]);
  expect(daysOfMonitor()).toBe(90);
  await history.refresh({ ...callCounts, monitors: [1, 2, 3] }, noonMs + 2 * minuteMs);
  expect(questions.splice(0)).toEqual(["monitors 3: 90", "monitors 1,2: 1", "agents 1: 1"]);
  await history.refresh(callCounts, noonMs + 10 * minuteMs);
  expect(questions).toEqual(["monitors 1,2: 90", "agents 1: 90"]);
});

test("queries all days on another day, after the clock was set back, and after `forget`", async () => {
  const midnightMs = noonMs + dayMs / 2;
  await history.refresh(callCounts, midnightMs - minuteMs);
  await history.refresh(callCounts, midnightMs);
  await history.refresh(callCounts, noonMs);
  history.forget();
  await history.refresh(callCounts, noonMs + 1);
  expect(questions.filter((question) => question === "monitors 1,2: 90")).toHaveLength(4);
});

test("queries many targets in portions that fit into a message", async () => {
  const monitors = Array.from({ length: 250 }, (_, index) => index + 1);
  await history.refresh({ monitors, agents: new Map() }, noonMs);
  expect(questions.splice(0)).toEqual(["monitors 100: 90", "monitors 100: 90", "monitors 50: 90"]);
  await history.refresh({ monitors, agents: new Map() }, noonMs + minuteMs);
  expect(questions).toEqual(["monitors 250: 1"]);
});

test("counts an agent's days with its offline periods within the queried days", async () => {
  const incident = { targetType: "agent", targetId: 1, kind: "offline" };
  const dayBeganMs = noonMs - dayMs / 2;
  fake.addIncident({ ...incident, id: "a1", openedAtMs: noonMs });
  fake.addIncident({ ...incident, id: "a2", openedAtMs: dayBeganMs - 1000, closedAtMs: dayBeganMs + 1000 });
  fake.addIncident({ ...incident, id: "a3", targetId: 2, openedAtMs: noonMs });
  fake.addIncident({ ...incident, id: "a4", kind: "threshold", openedAtMs: noonMs });
  await history.refresh(callCounts, noonMs + minuteMs);
  expect(offline.splice(0)).toEqual([
    { fromMs: dayBeganMs - 1000, toMs: dayBeganMs + 1000 },
    { fromMs: noonMs, toMs: noonMs + minuteMs },
  ]);
  await history.refresh(callCounts, noonMs + 2 * minuteMs);
  expect(offline).toEqual([
    { fromMs: dayBeganMs, toMs: dayBeganMs + 1000 },
    { fromMs: noonMs, toMs: noonMs + 2 * minuteMs },
  ]);
});

test("keeps counted days while metrics is unavailable", async () => {
  fake.unavailableServices.add("metrics");
  await expect(history.refresh(callCounts, noonMs)).rejects.toThrow(unavailable("metrics").message);
  expect([daysOfMonitor(), history.responseTimesOf(1)]).toEqual([null, undefined]);
  fake.unavailableServices.clear();
  await history.refresh(callCounts, noonMs);
  expect([daysOfMonitor(), history.responseTimesOf(1)]).toEqual([90, expect.arrayContaining([null, 12.3])]);
  fake.unavailableServices.add("metrics");
  await expect(history.refresh(callCounts, noonMs + minuteMs)).rejects.toThrow();
  expect(daysOfMonitor()).toBe(90);
});

test("updates monitors while agents cannot be queried", async () => {
  await history.refresh(callCounts, noonMs);
  fake.unavailableServices.add("incidents");
  questions.length = 0;
  await expect(history.refresh({ ...callCounts, monitors: [1, 3] }, noonMs + minuteMs)).rejects.toThrow();
  expect(questions).toEqual(["monitors 3: 90", "monitors 1: 1"]);
});

test("drops targets that are no longer shown", async () => {
  await history.refresh(callCounts, noonMs);
  history.keep([{ type: "monitor", id: 2 }]);
  expect([daysOfMonitor(), history.responseTimesOf(1)]).toEqual([null, undefined]);
  expect(history.daysOf({ type: "agent", id: 1 })).toBeNull();
  expect(history.daysOf({ type: "monitor", id: 2 })).not.toBeNull();
});

test("asks again in the next pass if metrics knows response times but no uptimes yet", async () => {
  const { metrics } = fake.sources;
  let uptimes = [] as { monitorId: number; h24: number; d30: number }[];
  fake.sources.metrics = {
    ...metrics,
    monitorSparklines: async () => ({ firstHourMs: noonMs, monitors: [{ monitorId: 1, avgMs: [-1, 22] }] }),
    monitorUptimes: async () => ({ uptimes }),
  };
  history = openHistory(fake.sources);
  const monitors = { monitors: [1], agents: new Map() };
  await history.refresh(monitors, noonMs);
  expect(history.uptimesOf(1).uptime24h).toBeUndefined();
  uptimes = [{ monitorId: 1, h24: 100, d30: 100 }];
  await history.refresh(monitors, noonMs + minuteMs);
  expect(history.uptimesOf(1).uptime24h).toBe(100);
});
