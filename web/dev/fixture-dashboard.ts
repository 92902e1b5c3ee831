import type { AttentionMonitor, DashboardAnswer, WorstAgent } from "@sonde/proto/http/dashboard";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { at, incidents as known, makeMonitor, makeRecentChecks, noise } from "./fixture-data.ts";

const minute = 60_000;
const day = 86_400_000;

const causes = [
  "Expected status 200, got 502",
  "The connection was refused",
  "The answer did not come within 10 s (waiting for the response)",
  "The certificate expired on 2026-01-01",
  'Expected the body to contain "status":"ok", which it does not: <!doctype html><html><head><title>Service unavailable</title>',
];

function makeOutage(index: number): Incident {
  const isAgent = index === 4;
  return {
    id: `${isAgent ? "a" : "m"}${index + 900}`,
    target: {
      type: isAgent ? "agent" : "monitor",
      id: index + 1,
      name: isAgent ? "db-primary" : makeMonitor(index + 1).name,
    },
    kind: isAgent ? "offline" : index === 6 ? "stale" : "down",
    cause: isAgent ? "No report for 31 s" : (causes[index % causes.length] ?? ""),
    ...(index === 2 ? { flaps: 7 } : {}),
    ...(index === 5 ? { acknowledgedAt: at(9 * minute), acknowledgedBy: "ada" } : {}),
    openedAt: at((index * index * 11 + 1) * minute),
  };
}

/** 57 monitors with the same failure. */
export function makeMany(): Incident[] {
  return Array.from({ length: 57 }, (_, index) => ({
    id: `m${index + 2000}`,
    target: { type: "monitor", id: index + 2000, name: `${makeMonitor((index % 60) + 1).name} (fra-${index + 1})` },
    kind: "down",
    cause: "The connection was refused",
    openedAt: at((3 + (index % 4)) * minute),
  }));
}

function makeAttention(id: number, status: "up" | "down"): AttentionMonitor {
  const { name, type, target, lastCheckedAt } = makeMonitor(id);
  return {
    id,
    name,
    type,
    target,
    lastCheckedAt,
    status,
    stale: id === 7,
    flapping: id === 3,
    slow: id === 4,
    statusSince: at(id * 40 * minute),
    responseTime: 40 + noise(id) * 900,
    p95: 90 + noise(id + 1) * 2000,
    uptime: { h24: status === "up" ? 100 : 90 + noise(id) * 9, d30: 99.9 },
    recentChecks: makeRecentChecks(id),
    ...(id === 2 ? { inMaintenance: true } : {}),
  };
}

const makeAgent = (id: number): WorstAgent => ({
  id,
  name:
    ["db-primary", "web-1", "build-runner-with-a-name-that-is-long", "edge-fra", "edge-sin", "queue-2"][id - 1] ?? "",
  status: id === 1 ? "offline" : "online",
  lastSeen: at(5000),
  cpu: id === 1 ? 71 : 97.4 - id * 9,
  memory: 92.5 - id * 7,
  disk: id === 4 ? null : 94 - id * 12,
});

/** A thousand monitors: `full` has ten outages, `calm` none. `empty` is a new installation. */
export function makeDashboard(fixture: string): Omit<DashboardAnswer, "success"> {
  if (fixture === "empty") {
    return {
      monitors: { total: 0, active: 0, up: 0, down: 0, slow: 0, stale: 0, pending: 0, paused: 0 },
      agents: { total: 0, online: 0, connecting: 0, offline: 0 },
      uptime: { h24: null, d30: null },
      incidents: 0,
      recent: [],
      open: [],
      ended: [],
      attention: [],
      worstAgents: [],
      certificates: { total: 0, soonest: [] },
      slower: { total: 0, worst: [] },
    };
  }
  const isCalm = fixture === "calm";
  const many = fixture === "outage" ? makeMany() : [];
  const open = isCalm ? [] : [...many, ...Array.from({ length: 10 }, (_, index) => makeOutage(index))];
  const ended = known.filter(({ closedAt }) => closedAt !== undefined).slice(0, 5);
  const down = isCalm ? 0 : 8;
  const stale = isCalm ? 0 : 1;
  return {
    monitors: { total: 1000, active: 988, up: 988 - down - stale, down, slow: 1, stale, pending: 0, paused: 12 },
    agents: { total: 22, online: isCalm ? 22 : 21, connecting: 0, offline: isCalm ? 0 : 1 },
    uptime: { h24: isCalm ? 100 : 99.873, d30: 99.918 },
    incidents: open.length,
    recent: [...open, ...ended].slice(0, 10),
    open,
    ended,
    attention: Array.from({ length: 10 }, (_, index) => makeAttention(index + 1, isCalm ? "up" : "down")).map((each) =>
      isCalm ? { ...each, stale: false, flapping: false } : each,
    ),
    certificates: isCalm
      ? { total: 0, soonest: [] }
      : {
          total: 7,
          soonest: [-1, 2, 5, 9, 13].map((days, index) => ({
            monitorId: index + 20,
            name: makeMonitor(index + 20).name,
            expiresAt: at(-days * day),
          })),
        },
    slower: isCalm
      ? { total: 0, worst: [] }
      : {
          total: 5,
          worst: [3, 4, 5].map((id) => ({
            monitorId: id,
            name: makeMonitor(id).name,
            p95: { last: 900 - id * 20, usual: 320, change: Math.round((900 - id * 20) / 3.2) - 100, slower: true },
          })),
        },
    worstAgents: [1, 2, 3, 4, 5].map(makeAgent).map((agent) => (isCalm ? { ...agent, status: "online" } : agent)),
  };
}
