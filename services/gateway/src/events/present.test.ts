import { create } from "@bufbuild/protobuf";
import { AgentFiguresSchema } from "@sonde/proto/gen/agents/v1/agents";
import { EventSchema } from "@sonde/proto/gen/events/v1/events";
import { agentEvent, deliveryEvent, incidentEvent, monitorEvent } from "@sonde/proto/http/events";
import { expect, test } from "vitest";
import { presentAgentFigures, presentEvent } from "./present.ts";

const atMs = Date.UTC(2026, 0, 31, 12);

test("a change of an agent's state has the old and new state and its time", () => {
  const value = { agentId: 7, name: "web-1", change: "state", status: "offline", previousStatus: "online" };
  const event = create(EventSchema, {
    id: "a7:9:offline",
    atMs,
    fact: { case: "agent", value: { ...value, statusSinceMs: atMs } },
  });
  const frame = presentEvent(event);
  expect(frame?.event).toBe("agent");
  expect(agentEvent.parse(frame?.data)).toEqual({
    id: 7,
    change: "state",
    status: "offline",
    previousStatus: "online",
    statusSince: "2026-01-31T12:00:00.000Z",
    name: "web-1",
    at: "2026-01-31T12:00:00.000Z",
  });
});

test("a new agent has no previous state", () => {
  const value = { agentId: 7, name: "web-1", change: "registered", status: "connecting", statusSinceMs: atMs };
  const frame = presentEvent(create(EventSchema, { id: "a7:1:registered", atMs, fact: { case: "agent", value } }));
  expect(JSON.stringify(frame?.data)).not.toContain("previousStatus");
});

test("an unknown status is an error that names it", () => {
  const value = { agentId: 7, name: "web-1", change: "state", status: "asleep", statusSinceMs: atMs };
  const event = create(EventSchema, { id: "a7:1:asleep", atMs, fact: { case: "agent", value } });
  expect(() => presentEvent(event)).toThrow('"asleep" is not a known status of an agent');
});

test("live figures are rounded, and null if not measured", () => {
  const measured = { cpuUsage: 12.345, receiveRate: 1024.6, loadOne: 0.4567 };
  const figures = create(AgentFiguresSchema, { agentId: 7, status: "online", lastSeenMs: atMs, ...measured });
  const { data } = presentAgentFigures(figures);
  expect(agentEvent.parse(data)).toEqual(data);
  expect(data).toMatchObject({ change: "figures", cpu: 12.3, memory: null, disk: null });
  expect(data).toMatchObject({ receiveRate: 1025, sendRate: null, load: 0.46 });
});

test("an incident has its snooze, unless that has ended", () => {
  const of = { id: "m5", targetType: "monitor", targetId: 7, targetName: "shop", kind: "down", openedAtMs: atMs };
  const snoozed = (untilMs?: number) => {
    const incident = { ...of, snoozedUntilMs: untilMs, snoozedBy: untilMs === undefined ? undefined : "ada" };
    const fact = { case: "incident" as const, value: { change: "snoozed", incident } };
    return incidentEvent.parse(presentEvent(create(EventSchema, { id: "m5:snoozed", atMs, fact }))?.data);
  };
  expect(snoozed(atMs + 60_000)).toMatchObject({
    change: "snoozed",
    incident: { snoozedUntil: "2026-01-31T12:01:00.000Z", snoozedBy: "ada" },
  });
  for (const untilMs of [atMs, undefined]) expect(snoozed(untilMs).incident.snoozedUntil).toBeUndefined();
});

test("an agent's incident keeps its metric", () => {
  const incident = { id: "a3", targetType: "agent", targetId: 7, targetName: "web-1", kind: "threshold" };
  const value = {
    change: "opened",
    incident: { ...incident, metric: "disk:/data", cause: "Disk /data at 95 %, above 90 %", openedAtMs: atMs },
  };
  const frame = presentEvent(create(EventSchema, { id: "a3:opened", atMs, fact: { case: "incident", value } }));
  expect(incidentEvent.parse(frame?.data).incident).toMatchObject({
    target: { type: "agent", id: 7 },
    metric: "disk:/data",
  });
});

test("a stale monitor keeps its status", () => {
  const value = { monitorId: 7, name: "shop", change: "stale", status: "up", statusSinceMs: atMs };
  const frame = presentEvent(create(EventSchema, { id: "m7:1:5:stale", atMs, fact: { case: "monitor", value } }));
  expect(frame?.event).toBe("monitor");
  expect(monitorEvent.parse(frame?.data)).toMatchObject({ id: 7, change: "stale", status: "up" });
});

test.each(["opened", "acknowledged", "flapping", "steady", "closed"])(
  "an incident that is %s is presented",
  (change) => {
    const incident = {
      id: "m3",
      targetType: "monitor",
      targetId: 7,
      targetName: "shop",
      kind: "down",
      openedAtMs: atMs,
    };
    const acknowledged = { acknowledgedAtMs: atMs, acknowledgedBy: "ada", note: "on it" };
    const value = { change, incident: { ...incident, ...acknowledged } };
    const frame = presentEvent(create(EventSchema, { id: `m3:${change}`, atMs, fact: { case: "incident", value } }));
    expect(frame?.event).toBe("incident");
    expect(incidentEvent.parse(frame?.data)).toMatchObject({
      change,
      incident: { acknowledgedAt: "2026-01-31T12:00:00.000Z", acknowledgedBy: "ada", note: "on it" },
    });
  },
);

test("a delivery has its new status, channel and incident; a test has no incident", () => {
  const frameOf = (incidentId: string) => {
    const value = { deliveryId: 40, channelId: 7, status: "failed", incidentId };
    return presentEvent(create(EventSchema, { id: "d40:failed", atMs, fact: { case: "delivery", value } }));
  };
  const told = frameOf("m3");
  expect(told?.event).toBe("delivery");
  expect(deliveryEvent.parse(told?.data)).toEqual({ id: 40, channelId: 7, status: "failed", incidentId: "m3" });
  expect(JSON.stringify(frameOf("")?.data)).not.toContain("incidentId");
});
