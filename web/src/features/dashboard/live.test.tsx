import { describe, expect, it } from "vitest";
import type { LiveEvent } from "../../app/live/events.ts";
import { dashboard, incident } from "../../testing/fixtures.ts";
import { applyToDashboard, mayChangeFigures } from "./live.ts";

describe("live events on the dashboard", () => {
  it("decrement the previous state and increment the new one, never below zero", () => {
    const shown = structuredClone({ success: true as const, ...dashboard });
    const at = "2026-01-02T10:00:00Z";
    applyToDashboard(shown, {
      id: "1",
      name: "monitor",
      data: { id: 7, change: "state", status: "paused", previousStatus: "up", at },
    });
    expect(shown.monitors).toEqual({ total: 4, active: 2, up: 1, down: 1, slow: 0, stale: 0, pending: 0, paused: 2 });
    applyToDashboard(shown, {
      id: "2",
      name: "monitor",
      data: { id: 8, change: "state", status: "up", previousStatus: "pending", at },
    });
    expect(shown.monitors.pending).toBe(0);
  });

  it("update the counts of agent states", () => {
    const agents = { total: 2, online: 1, connecting: 1, offline: 0 };
    const shown = structuredClone({ success: true as const, ...dashboard, agents });
    const at = "2026-01-02T10:00:00Z";
    const change = { id: 3, change: "state", status: "offline", previousStatus: "online", at } as const;
    applyToDashboard(shown, { id: "1", name: "agent", data: change });
    expect(shown.agents).toEqual({ total: 2, online: 0, connecting: 1, offline: 1 });
    applyToDashboard(shown, { id: "2", name: "agent", data: change });
    expect(shown.agents.offline).toBe(1);
  });

  it("leave an unavailable part unchanged", () => {
    const nothing = {
      monitors: null,
      agents: null,
      uptime: null,
      incidents: null,
      recent: null,
      open: null,
      ended: null,
      attention: null,
      certificates: null,
      slower: null,
      worstAgents: null,
    };
    const shown = { success: true as const, ...nothing };
    const at = "2026-01-02T10:00:00Z";
    const left = { id: 7, change: "state", status: "down", previousStatus: "up", at } as const;
    applyToDashboard(shown, { id: "1", name: "monitor", data: left });
    applyToDashboard(shown, { id: "2", name: "agent", data: { ...left, status: "offline", previousStatus: "online" } });
    applyToDashboard(shown, { id: "3", name: "incident", data: { change: "opened", incident } });
    expect(shown).toEqual({ success: true, ...nothing });
  });

  it("add a new incident first and count it once", () => {
    const shown = structuredClone({ success: true as const, ...dashboard });
    const opened = {
      id: "3",
      name: "incident",
      data: { change: "opened", incident: { ...incident, id: "m9" } },
    } as const;
    applyToDashboard(shown, opened);
    applyToDashboard(shown, opened);
    expect(shown.incidents).toBe(2);
    expect(shown.recent.map(({ id }) => id)).toEqual(["m9", "m3"]);
    expect(shown.open.map(({ id }) => id)).toEqual(["m9", "m3"]);
  });

  it("move a closed incident to the ended ones and count it once", () => {
    const shown = structuredClone({ success: true as const, ...dashboard });
    const closed = { ...incident, closedAt: "2026-01-02T09:05:00Z", resolution: "recovered" } as const;
    const event = { id: "4", name: "incident", data: { change: "closed", incident: closed } } as const;
    applyToDashboard(shown, event);
    applyToDashboard(shown, event);
    expect(shown.incidents).toBe(0);
    expect(shown.open).toEqual([]);
    expect(shown.ended).toEqual([closed]);
  });

  it("show who acknowledged an open incident", () => {
    const shown = structuredClone({ success: true as const, ...dashboard });
    const acknowledged = { ...incident, acknowledgedAt: "2026-01-02T09:05:00Z", acknowledgedBy: "grace" };
    applyToDashboard(shown, { id: "4", name: "incident", data: { change: "acknowledged", incident: acknowledged } });
    expect(shown.open).toEqual([acknowledged]);
    expect(shown.incidents).toBe(1);
    expect(shown.ended).toEqual([]);
  });

  it("update the figures of shown monitors and agents", () => {
    const agent = { id: 3, name: "db-1", status: "online", lastSeen: "2026-01-02T10:00:00Z" } as const;
    const worstAgents = [{ ...agent, cpu: 10, memory: 20, disk: 30 }];
    const shown = structuredClone({ success: true as const, ...dashboard, worstAgents });
    const figures = {
      id: 7,
      change: "figures",
      status: "up",
      responseTime: 88,
      stale: false,
      flapping: false,
      slow: false,
      lastCheckedAt: "2026-01-02T10:05:00Z",
      nextCheckAt: null,
      statusSince: "2026-01-02T10:05:00Z",
    } as const;
    const event: LiveEvent = { id: null, name: "monitor", data: figures };
    expect(mayChangeFigures(shown, event)).toBe(true);
    expect(mayChangeFigures(shown, { ...event, data: { ...figures, id: 8 } })).toBe(false);
    applyToDashboard(shown, event);
    expect(shown.attention[0]).toMatchObject({ status: "up", responseTime: 88, lastError: undefined });
    const meters = { lastSeen: "2026-01-02T10:05:00Z", cpu: 95, memory: 21, disk: 31 };
    applyToDashboard(shown, {
      id: null,
      name: "agent",
      data: { id: 3, change: "figures", status: "online", ...meters, receiveRate: 1, sendRate: 1, load: 1 },
    });
    expect(shown.worstAgents).toEqual([{ ...agent, ...meters }]);
  });
});
