import type { PageSnapshot, PageStates } from "@sonde/proto/http/status/snapshot";
import { fakeClock } from "@sonde/kit/time/clock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakePublicPage, fakeView, type FakeView } from "../testing/fake-public-page.ts";
import { fakeSnapshot, fakeStates } from "@sonde/status-page/testing/snapshot";
import { startTestApp, type TestApp } from "../testing/test-app.ts";

type Heartbeats = {
  heartbeatList: Record<string, { status: number; time: string; msg: string; ping: number | null }[]>;
  uptimeList: Record<string, number>;
};
type Page = {
  config: { slug: string; title: string };
  incident: { title: string; createdDate: string } | null;
  publicGroupList: { id: number; name: string; monitorList: { id: number; name: string }[] }[];
  maintenanceList: { title: string }[];
};

const [shop] = fakeSnapshot.monitors;
const day = (date: string, uptime: number | null) => ({ date, uptime, coverage: 100 });
const snapshot: PageSnapshot = {
  ...fakeSnapshot,
  groups: [
    { name: "Shops", targets: [{ type: "monitor", id: 7 }] },
    { name: null, targets: [{ type: "monitor", id: 8 }] },
    { name: null, targets: [{ type: "agent", id: 3 }] },
  ],
  monitors: [
    {
      ...shop!,
      uptime24h: 99.9,
      uptime30d: 98.764,
      days: [day("2026-01-28", null), day("2026-01-29", 100), day("2026-01-30", 90), day("2026-01-31", 95)],
    },
    { id: 8, name: "Mail", uptime: 40, coverage: 100, days: [day("2026-01-31", 50)] },
  ],
  agents: [{ id: 3, name: "db1", uptime: 100, coverage: 100, days: [] }],
};
const states: PageStates = {
  ...fakeStates,
  monitors: { 7: { status: "slow", sinceMs: 1 }, 8: { status: "down", sinceMs: 1 } },
  agents: { 3: { status: "online", sinceMs: 1 } },
};

const clock = fakeClock(fakeStates.atMs);
let view: FakeView;
let shut: FakeView;
let app: TestApp;
beforeEach(async () => {
  view = fakeView({ clock });
  await view.publish({ snapshot, states });
  shut = fakeView({ clock, slug: "acme" });
  await shut.publish({ snapshot: { ...snapshot, monitors: [{ ...shop!, id: 9 }] }, states });
  shut.allow({ mode: "password" });
  app = await startTestApp({ status: await fakePublicPage({ view, others: { acme: shut }, clock }) });
});
afterEach(() => app.stop());

const ask = (path: string, headers: Record<string, string> = {}) => app.ask("GET", path, { headers });
const heartbeats = async () => (await ask("/api/status-page/heartbeat/default")).body as Heartbeats;

describe("what widgets read", () => {
  test("Homepage: a monitor is up if its last beat is 1, and uptime is the mean of all uptimes", async () => {
    const { heartbeatList, uptimeList } = await heartbeats();
    const last = Object.values(heartbeatList).map((beats) => beats.at(-1)!.status);
    expect([last.filter((status) => status === 1).length, last.filter((status) => status !== 1).length]).toEqual([
      1, 1,
    ]);
    const uptimes = Object.values(uptimeList);
    const mean = uptimes.reduce((sum, uptime) => sum + uptime, 0) / uptimes.length;
    expect((mean * 100).toFixed(1)).toBe("75.0");
  });

  test("Glance and others: names by group, then the uptime of `<id>_24` and the last ping of the same id", async () => {
    const page = (await ask("/api/status-page/default")).body as Page;
    const { heartbeatList, uptimeList } = await heartbeats();
    const rows = page.publicGroupList.flatMap(({ id, name: group, monitorList }) =>
      monitorList.map((monitor) => [
        id,
        group,
        monitor.name,
        uptimeList[`${monitor.id}_24`],
        heartbeatList[monitor.id]!.at(-1)!.ping,
      ]),
    );
    expect(rows).toEqual([
      [1, "Shops", "Shop", 0.999, 12],
      [2, "Services", "Mail", 0.5, null],
    ]);
  });

  test("Homer and Homepage: `incident` is null, or has a title and a date", async () => {
    expect((await ask("/api/status-page/default")).body).toMatchObject({ incident: null });
    const incidents: PageSnapshot["incidents"] = [
      {
        id: "p4",
        kind: "announced",
        title: "Slow",
        impact: "minor",
        targets: [],
        openedAt: "2026-01-31T09:00:00.000Z",
        updates: [{ at: "2026-01-31T10:00:00.000Z", state: "identified", text: "We **know**", html: "" }],
      },
    ];
    await view.publish({ snapshot: { ...snapshot, incidents } });
    const { incident: pinned } = (await ask("/api/status-page/default")).body as Page;
    expect(pinned).toMatchObject({ title: "Slow", content: "We **know**", createdDate: "2026-01-31 09:00:00.000" });
  });

  test("bars: a beat per day with data, down unless every check succeeded, then the current state", async () => {
    const { heartbeatList } = await heartbeats();
    expect(heartbeatList[7]).toEqual([
      { status: 1, time: "2026-01-29 23:59:59.000", msg: "", ping: null },
      { status: 0, time: "2026-01-30 23:59:59.000", msg: "", ping: null },
      { status: 1, time: "2026-01-31 12:00:00.000", msg: "", ping: 12 },
    ]);
  });

  test("outdated states are pending, not down and not up", async () => {
    clock.advance(180_001);
    const { heartbeatList } = await heartbeats();
    expect(Object.values(heartbeatList).map((beats) => beats.at(-1)!.status)).toEqual([2, 2]);
    expect((await ask("/api/badge/7/status")).text).toContain("Status: N/A");
    clock.advance(-180_001);
  });
});

test("responses have an ETag, change with the page, and ignore parameters against caches", async () => {
  const first = await ask("/api/status-page/heartbeat/default?cachebust=1");
  expect([first.status, first.headers.get("cache-control")]).toEqual([200, expect.stringContaining("max-age=5")]);
  const tag = { "if-none-match": first.headers.get("etag")! };
  expect((await ask("/api/status-page/heartbeat/default?cachebust=2", tag)).status).toBe(304);
  await view.publish({ states: { ...states, monitors: { 7: { status: "down", sinceMs: 2 } } } });
  expect((await ask("/api/status-page/heartbeat/default", tag)).status).toBe(200);
});

test("unknown, private and network-restricted pages look the same, and so do their monitors", async () => {
  const missing = await ask("/api/status-page/nothing");
  expect(missing.status).toBe(404);
  const same = async () => {
    for (const path of ["/api/status-page/acme", "/api/status-page/heartbeat/acme", "/api/badge/9/status"]) {
      const { status, body } = await ask(path);
      expect([path, status, body]).toEqual([path, 404, missing.body]);
    }
  };
  await same();
  shut.allow({ mode: "public", allowFrom: ["192.0.2.0/24"] });
  await same();
  shut.allow({ mode: "public", allowFrom: ["127.0.0.0/8"] });
  const answer = await ask("/api/status-page/acme");
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
  shut.allow({});
  expect((await ask("/api/badge/9/status")).status).toBe(200);
});

test.each([
  ["7/status", "Status: Up"],
  ["8/status", "Status: Down"],
  ["7/uptime", "Uptime (24h): 99.9%"],
  ["7/uptime/24", "Uptime (24h): 99.9%"],
  ["7/uptime/30d", "Uptime (720h): 98.76%"],
  ["7/uptime/720", "Uptime (720h): 98.76%"],
  ["8/uptime/720h", "Uptime (720h): N/A"],
  ["8/uptime/2160", "Uptime (2160h): 40%"],
  ["7/ping", "Avg. Ping (24h): 11ms"],
  ["8/ping/24", "Avg. Ping (24h): N/A"],
  ["7/uptime?label=%3Cb%3E&style=plastic", "&lt;b&gt;: 99.9%"],
])("badge %s says %s", async (path, text) => {
  const badge = await ask(`/api/badge/${path}`);
  expect([badge.status, badge.headers.get("content-type")]).toEqual([200, "image/svg+xml; charset=utf-8"]);
  expect(badge.text).toContain(`aria-label="${text}"`);
});

test.each(["3/status", "99/status", "7/uptime/48", "7/ping/720", "x/status", "7/nothing"])(
  "badge %s is missing",
  async (path) => expect((await ask(`/api/badge/${path}`)).status).toBe(404),
);
