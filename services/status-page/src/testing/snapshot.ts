import type { PageSnapshot, PageStates } from "@sonde/proto/http/status/snapshot";

const atMs = Date.UTC(2026, 0, 31, 12);

export const fakeSnapshot: PageSnapshot = {
  revision: 1,
  builtAtMs: atMs,
  page: {
    title: "Example status",
    description: "All that we run",
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
    subscribable: false,
  },
  groups: [{ name: null, targets: [{ type: "monitor", id: 7 }] }],
  monitors: [
    {
      id: 7,
      name: "Shop",
      responseTime: 12,
      responseTimes: [10, null, 12],
      uptime: 99.5,
      coverage: 100,
      days: [{ date: "2026-01-31", uptime: 99.5, coverage: 100 }],
    },
  ],
  agents: [],
  incidents: [],
  maintenance: [],
};
export const fakeStates: PageStates = {
  revision: 1,
  atMs,
  monitors: { 7: { status: "up", sinceMs: atMs - 60_000 } },
  agents: {},
};
