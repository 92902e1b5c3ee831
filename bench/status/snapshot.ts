import type { PageSnapshot, PageStates } from "@sonde/proto/http/status/snapshot";

const dayMs = 86_400_000;

/** A public page with so many services and 90 days of each, some of which were not perfect. */
export function snapshotOf(services: number, nowMs: number, revision: number): PageSnapshot {
  const ids = Array.from({ length: services }, (_, index) => index + 1);
  return {
    revision,
    builtAtMs: nowMs,
    page: {
      title: "Example status",
      description: "What we run, and how it does",
      logoUrl: null,
      theme: { mode: "auto", accent: "#2563eb" },
      showResponseTimes: true,
      searchable: true,
      embedOrigins: [],
      subscribable: true,
    },
    groups: chunks(ids, 10).map((group, index) => ({
      name: `Group ${index + 1}`,
      targets: group.map((id) => ({ type: "monitor" as const, id })),
    })),
    monitors: ids.map((id) => ({
      id,
      name: `Service number ${id}`,
      uptime: 99.98,
      coverage: 99.9,
      responseTime: 20 + id,
      responseTimes: Array.from({ length: 24 }, (_, hour) => 20 + id + ((hour * 7 + id * 3) % 11)),
      days: Array.from({ length: 90 }, (_, day) => dayOf(id, day, nowMs)),
    })),
    agents: [],
    incidents: [],
    maintenance: [],
  };
}

/** One day in twenty had a failure, one in forty was not seen whole, one in ninety was not seen at all. */
function dayOf(id: number, day: number, nowMs: number) {
  const date = new Date(nowMs - (89 - day) * dayMs).toISOString().slice(0, 10);
  const turn = id * 31 + day * 17;
  if (turn % 90 === 0) return { date, uptime: null, coverage: 0 };
  if (turn % 40 === 0) return { date, uptime: 100, coverage: 100 - (turn % 37) };
  if (turn % 20 === 0) return { date, uptime: 99 + (turn % 97) / 100, coverage: 100, incidents: 1 };
  return { date, uptime: 100, coverage: 100 };
}

const wellSinceMs = Date.now() - dayMs;

/** All work, but for those that are named, by when these ceased to. */
export function statesOf(
  services: number,
  nowMs: number,
  revision: number,
  down: ReadonlyMap<number, number> = new Map(),
): PageStates {
  const monitors: PageStates["monitors"] = {};
  for (let id = 1; id <= services; id += 1) {
    const sinceMs = down.get(id);
    monitors[id] = sinceMs === undefined ? { status: "up", sinceMs: wellSinceMs } : { status: "down", sinceMs };
  }
  return { revision, atMs: nowMs, monitors, agents: {} };
}

const chunks = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
