import { systemClock } from "@sonde/kit/time/clock";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

// Monitor 7 and agent 7 are in maintenance for the hour, monitor 8 is not.
let app: TestApp;
const nowMs = Date.UTC(2026, 0, 31, 12);
const hour = { fromMs: nowMs - 1_000, toMs: nowMs + 3_600_000 };
beforeAll(async () => {
  app = await startTestApp({
    clock: { ...systemClock, now: () => nowMs },
    maintenance: {
      at: (_type, id, atMs) => (id === 7 && atMs === nowMs ? hour : undefined),
      covered: () => new Set<number>(),
      silencedUntil: () => undefined,
    },
  });
});
afterAll(() => app.stop());

const ask = async <Body>(path: string, method = "GET", body?: unknown) => {
  const answer = await app.ask(method, path, { as: "user", body });
  expect(answer.status).toBe(200);
  return answer.body as Body;
};
type Shown = { id: number; inMaintenance?: true };

test("monitors and agents in maintenance say so, in lists and alone", async () => {
  const { monitors } = await ask<{ monitors: Shown[] }>("/api/monitors");
  expect(monitors.map(({ id, inMaintenance }) => [id, inMaintenance])).toEqual([
    [7, true],
    [8, undefined],
  ]);
  expect(await ask("/api/monitors/7")).toMatchObject({ monitor: { inMaintenance: true } });
  expect((await ask<{ monitor: Shown }>("/api/monitors/8")).monitor).not.toHaveProperty("inMaintenance");
  expect(await ask("/api/agents")).toMatchObject({ agents: [{ id: 7, inMaintenance: true }] });
  expect(await ask("/api/agents/7")).toMatchObject({ agent: { inMaintenance: true } });
});

test("responses to changes include it, too", async () => {
  const covered = { monitor: { inMaintenance: true } };
  expect(await ask("/api/monitors/7", "PUT", { name: "shop" })).toMatchObject(covered);
  expect(await ask("/api/monitors/7/pause", "POST")).toMatchObject(covered);
  expect(await ask("/api/monitors/7/check", "POST")).toMatchObject(covered);
  expect(await ask("/api/agents/7", "PUT", { name: "web" })).toMatchObject({ agent: { inMaintenance: true } });
});

test("checks and history have the maintenance that metrics reports, not the current one", async () => {
  const { checks } = await ask<{ checks: Shown[] }>("/api/monitors/8/checks");
  expect(checks.map(({ inMaintenance }) => inMaintenance)).toEqual([undefined, true]);
  const { buckets } = await ask<{ buckets: Shown[] }>("/api/monitors/8/history");
  expect(buckets.map(({ inMaintenance }) => inMaintenance)).toEqual([undefined, true]);
});
