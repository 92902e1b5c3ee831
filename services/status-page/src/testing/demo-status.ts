import type { PublicDay, PublicIncident, PublicMaintenance, PublicMonitor } from "@sonde/proto/http/status/status";
import type { PageSnapshot, PageStates } from "@sonde/proto/http/status/snapshot";

// A demo page with everything that a page can have, for tests and screenshots.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
export const demoNowMs = Date.UTC(2026, 10, 22, 11, 40);
const at = (agoMs: number) => new Date(demoNowMs - agoMs).toISOString();

export function noise(seed: number): number {
  const value = Math.sin(seed * 12.9898 + 78.233) * 43_758.5453;
  return value - Math.floor(value);
}

/** Returns ninety perfect days up to today, with overrides by age in days. */
export function daysWith(special: Record<number, Partial<PublicDay>>): PublicDay[] {
  return Array.from({ length: 90 }, (_, index) => {
    const ago = 89 - index;
    const date = new Date(demoNowMs - ago * dayMs).toISOString().slice(0, 10);
    return { date, uptime: 100, coverage: 100, ...special[ago] };
  });
}

const absent = (from: number): Record<number, Partial<PublicDay>> =>
  Object.fromEntries(Array.from({ length: 90 - from }, (_, at) => [from + at, { uptime: null, coverage: null }]));

export function totalsOf(days: readonly PublicDay[]) {
  const seen = days.filter(({ uptime }) => uptime !== null);
  const due = days.filter(({ coverage }) => coverage !== null);
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    uptime: seen.length === 0 ? null : mean(seen.map(({ uptime }) => uptime!)),
    coverage: due.length === 0 ? null : mean(due.map(({ coverage }) => coverage!)),
    days: [...days],
  };
}

function monitor(id: number, name: string, meanMs: number, special: Record<number, Partial<PublicDay>> = {}) {
  const responseTimes = Array.from({ length: 48 }, (_, index) =>
    id === 4 && index > 40
      ? null
      : Math.round(meanMs * (0.8 + noise(id * 100 + index) * 0.4 + Math.sin(index / 8) / 6)),
  );
  const shown: PageSnapshot["monitors"][number] = {
    id,
    name,
    responseTimes,
    ...(id === 4 ? {} : { responseTime: responseTimes.at(-1) ?? 0 }),
    ...totalsOf(daysWith(special)),
  };
  return shown satisfies Omit<PublicMonitor, "status">;
}

const maintained = { uptime: null, coverage: null, maintenanceMinutes: 1440 };
const monitors = [
  monitor(1, "Website", 84),
  monitor(2, "Checkout API", 132, {
    5: { uptime: 99.72, incidents: 1 },
    33: { uptime: 96.4, incidents: 1 },
    34: { uptime: 88.2, incidents: 2 },
  }),
  monitor(3, "Login and accounts", 61, { 12: { uptime: 99.93 }, 58: { uptime: null, coverage: 0 } }),
  monitor(4, "Search", 210, {
    0: { uptime: 93.1, coverage: 98.9, incidents: 1 },
    21: { uptime: 99.98 },
    61: { uptime: 97.5, incidents: 1 },
  }),
  monitor(5, "Payments", 318, { 0: { uptime: 98.4, incidents: 1 }, 47: { uptime: 100, maintenanceMinutes: 90 } }),
  monitor(6, "支付回调接口", 1240, { 9: maintained, 10: maintained }),
  monitor(7, "Webhooks", 45, { 2: { pausedMinutes: 400 }, 3: { uptime: null, coverage: null, pausedMinutes: 1440 } }),
  monitor(8, "Image delivery", 23, {
    18: { coverage: 71.5 },
    19: { uptime: null, coverage: 0 },
    20: { uptime: null, coverage: 0 },
  }),
  monitor(9, "Public API v2", 96, absent(38)),
  monitor(10, "Documentation", 37),
  monitor(11, "Internal reports with a rather long name that has to be broken somewhere", 640, { 1: { uptime: 99.1 } }),
];
const agents = [
  { id: 1, name: "edge-fra-1", ...totalsOf(daysWith({ 27: { uptime: 98.61, incidents: 1 } })) },
  { id: 2, name: "edge-sin-1", ...totalsOf(daysWith({ 6: { uptime: 99.3, incidents: 1 }, 66: { coverage: 84 } })) },
  { id: 3, name: "db-primary", ...totalsOf(daysWith({ 0: { maintenanceMinutes: 100 } })) },
];

const text = (words: string) => ({ text: words, html: `<p>${words}</p>` });
const target = (id: number, type: "monitor" | "agent" = "monitor") => ({
  type,
  id,
  name: (type === "agent" ? agents : monitors).find((one) => one.id === id)?.name ?? "",
});

const incidents: PublicIncident[] = [
  {
    id: "p12",
    kind: "announced",
    title: "Payments by card fail now and then",
    impact: "major",
    state: "identified",
    targets: [target(5), target(2)],
    openedAt: at(96 * minuteMs),
    updates: [
      {
        at: at(14 * minuteMs),
        state: "identified",
        text: "One of our two payment providers **refuses** every third request.",
        html: "<p>One of our two payment providers <strong>refuses</strong> every third request. We send all payments through the other one until it recovers; you need not do anything.</p>",
      },
      {
        at: at(90 * minuteMs),
        state: "investigating",
        ...text("Some card payments are refused. We are looking into it."),
      },
    ],
  },
  { id: "m41", kind: "down", targets: [target(4)], openedAt: at(22 * minuteMs), updates: [] },
  {
    id: "m40",
    kind: "down",
    targets: [target(2)],
    openedAt: at(5 * dayMs + 3 * hourMs),
    closedAt: at(5 * dayMs + 3 * hourMs - 4 * minuteMs),
    updates: [],
  },
  {
    id: "a7",
    kind: "offline",
    targets: [target(2, "agent")],
    openedAt: at(6 * dayMs + hourMs),
    closedAt: at(6 * dayMs + 50 * minuteMs),
    updates: [],
  },
  {
    id: "p11",
    kind: "announced",
    title: "Orders could not be placed",
    impact: "critical",
    state: "resolved",
    targets: [target(2), target(1)],
    openedAt: at(34 * dayMs + 6 * hourMs),
    closedAt: at(33 * dayMs + 20 * hourMs),
    updates: [
      { at: at(33 * dayMs + 20 * hourMs), state: "resolved", ...text("Orders work again since 15:40 UTC.") },
      { at: at(34 * dayMs), state: "monitoring", ...text("A fix is live. We keep watching.") },
      { at: at(34 * dayMs + 4 * hourMs), state: "identified", ...text("A migration locked the table of orders.") },
      { at: at(34 * dayMs + 6 * hourMs), state: "investigating", ...text("Orders fail for everybody. We are on it.") },
    ],
    postMortem: {
      text: "## What happened",
      html: "<h2>What happened</h2><p>A migration took a lock that <code>orders</code> waited for.</p><ul><li>We now run migrations with a lock timeout.</li><li>We rehearse them on a copy first.</li></ul>",
    },
  },
  {
    id: "m22",
    kind: "down",
    targets: [target(4)],
    openedAt: at(61 * dayMs + hourMs),
    closedAt: at(61 * dayMs + 20 * minuteMs),
    updates: [],
  },
];

const maintenance: PublicMaintenance[] = [
  {
    id: 3,
    name: "Upgrade of the database",
    note: text("Reading goes on; saving may take a few seconds longer."),
    status: "running",
    start: at(40 * minuteMs),
    end: at(-80 * minuteMs),
    timeZone: "Europe/Berlin",
    targets: [target(3, "agent")],
  },
  {
    id: 4,
    name: "Move to a new data centre",
    status: "scheduled",
    start: at(-3 * dayMs),
    end: at(-3 * dayMs - 4 * hourMs),
    timeZone: "Europe/Berlin",
    targets: [target(6), target(7), target(8)],
  },
  {
    id: 2,
    name: "Change of the payment callback",
    status: "ended",
    start: at(10 * dayMs + 11 * hourMs),
    end: at(9 * dayMs - 11 * hourMs),
    timeZone: "UTC",
    targets: [target(6)],
  },
];

export const demoSnapshot: PageSnapshot = {
  revision: 12,
  builtAtMs: demoNowMs - 20_000,
  page: {
    title: "Acme Status",
    description: "The state of Acme's shop, its interfaces and its servers.",
    logo: null,
    logoUrl: null,
    favicon: null,
    languages: ["zh-CN", "en-US"],
    css: "",
    footerHtml: "",
    theme: { mode: "auto", accent: "#2563eb" },
    showResponseTimes: true,
    searchable: true,
    embedOrigins: [],
    subscribable: true,
  },
  groups: [
    { name: "Shop", targets: [1, 2, 3, 4].map((id) => ({ type: "monitor", id })) },
    { name: "Payments and partners", targets: [5, 6, 7].map((id) => ({ type: "monitor", id })) },
    { name: null, targets: [8, 9, 10, 11].map((id) => ({ type: "monitor", id })) },
    { name: null, targets: [1, 2, 3].map((id) => ({ type: "agent", id })) },
  ],
  monitors,
  agents,
  incidents,
  maintenance,
};

const since = (status: string, agoMs = 3 * dayMs) => ({ status, sinceMs: demoNowMs - agoMs });
const statesExcept = (ids: readonly { id: number }[], well: string, others: Record<number, string>) =>
  Object.fromEntries(ids.map(({ id }) => [id, since(others[id] ?? well)]));

export const demoStates = {
  revision: 13,
  atMs: demoNowMs - 20_000,
  monitors: statesExcept(monitors, "up", { 4: "down", 9: "pending", 10: "paused", 11: "unknown" }),
  agents: statesExcept(agents, "online", { 3: "maintenance" }),
} as PageStates;
