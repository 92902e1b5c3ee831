import { configFile } from "@sonde/proto/http/config/document";
import { agentSettings, globalAgentSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import { secretMask } from "@sonde/proto/http/secrets";
import { defaultStatusConfig } from "@sonde/proto/http/status/config";
import { expect, test } from "vitest";
import { fakeChannel } from "../testing/fake-notifier.ts";
import { fakeMaintenance } from "../testing/fake-status-page.ts";
import { fakeDrill } from "../testing/fake-drills.ts";
import { fakeSlo } from "../testing/fake-slos.ts";
import { fakeReport } from "../testing/fake-reports.ts";
import { fakeSchedule } from "../testing/fake-on-call.ts";
import { fakeMonitor } from "../testing/fakes.ts";
import { exportDocument, type Exporting } from "./export.ts";

const managed = { source: "git", key: "shop", fields: ["url"] };
const given: Exporting = {
  monitors: [
    {
      ...fakeMonitor(7),
      dependsOn: [
        { type: "monitor", id: 8 },
        { type: "agent", id: 3 },
      ],
    },
    { ...fakeMonitor(8), name: "商店", managed },
  ],
  agents: [{ id: 3, name: "web-1" }],
  channels: [fakeChannel(7)],
  templates: [],
  settings: {
    globalMonitor: monitorSettings.parse({ channels: [7] }),
    globalAgent: globalAgentSettings.parse({ rules: [{ tags: ["critical"], channels: [7], policyId: 3 }] }),
    monitors: { 7: monitorSettings.parse({ enabled: false }) },
  },
  schedules: [fakeSchedule(7)],
  policies: [
    {
      id: 3,
      name: "Ops",
      repeat: 2,
      lowUrgency: { monitors: [8], tags: ["batch"] },
      steps: [
        { after: 5, notify: ["channel:7", "user:2"], needs: 1 },
        { after: 10, notify: ["schedule:7", "everyone:7", "user:1"], needs: 2 },
        // The account was deleted.
        { after: 10, notify: ["user:2"], needs: 1 },
      ],
    },
  ],
  slos: [fakeSlo(7, { policyId: 3, latency: { ms: 300, percent: 95 } })],
  reports: [
    fakeReport(7),
    // For a page; its channel was deleted.
    { ...fakeReport(7), id: 8, name: "Page", targets: undefined, pageId: "default", channelId: 99, managed },
    // All of its targets were deleted.
    { ...fakeReport(7), id: 9, targets: [{ type: "monitor", id: 99, name: "#99" }] },
  ],
  drills: [
    fakeDrill(7, { target: "user:1", targetName: "ada", schedule: "weekly", nextAt: "2026-02-07T12:00:00.000Z" }),
    fakeDrill(7, { id: 8, target: "policy:3", schedule: "monthly", nextAt: "2026-02-28T12:00:00.000Z", managed }),
    // Runs once, and the account of the other one was deleted.
    fakeDrill(7, { target: "user:1" }),
    fakeDrill(7, { target: "user:2", schedule: "weekly", nextAt: "2026-02-07T12:00:00.000Z" }),
  ],
  people: [
    { id: 1, name: "ada" },
    { id: 2, name: undefined },
  ],
  maintenance: [{ ...fakeMaintenance(7), tags: ["shop"] }],
  page: { ...defaultStatusConfig, title: "Ours", monitors: [8], names: [{ type: "monitor", id: 8, name: "Shop" }] },
};

test("a document has what differs from the defaults, with keys, names and variables for secrets", () => {
  const config = exportDocument(given);
  expect(configFile.safeParse(config).error).toBeUndefined();
  expect(config).toEqual({
    channels: {
      "slack-ops": { type: "slack", name: "Slack ops", webhookUrl: { env: "SLACK_OPS_WEBHOOKURL" }, adopt: true },
    },
    monitors: {
      "monitor-7": {
        name: "monitor 7",
        url: "https://example.com/health",
        headers: [{ name: "authorization", value: { env: "MONITOR_7_AUTHORIZATION" } }],
        assertions: [{ source: "latency", op: "lessThan", value: 500 }],
        tags: ["shop"],
        dependsOn: ["monitor:shop", "agent:web-1"],
        notify: { enabled: false },
        adopt: true,
      },
      shop: {
        name: "商店",
        url: "https://example.com/health",
        headers: [{ name: "authorization", value: { env: "SHOP_AUTHORIZATION" } }],
        assertions: [{ source: "latency", op: "lessThan", value: 500 }],
        tags: ["shop"],
      },
    },
    settings: {
      monitors: { channels: ["slack-ops"] },
      agents: { rules: [{ tags: ["critical"], channels: ["slack-ops"], policy: "ops" }] },
    },
    maintenance: {
      "database-upgrade": {
        name: "Database upgrade",
        targets: ["monitor:monitor-7"],
        start: "2026-01-31T13:00:00.000Z",
        end: "2026-01-31T14:00:00.000Z",
        timeZone: "Europe/Berlin",
        tags: ["shop"],
        rrule: "FREQ=WEEKLY;BYDAY=SU",
        adopt: true,
      },
    },
    schedules: {
      primary: {
        name: "Primary",
        timeZone: "Europe/Berlin",
        // The account of the second member was deleted.
        layers: [
          {
            members: ["ada"],
            every: { n: 1, unit: "week" },
            handoff: { weekday: 1, time: "09:00" },
            from: "2026-01-01",
          },
        ],
        adopt: true,
      },
    },
    policies: {
      ops: {
        name: "Ops",
        steps: [
          { after: 5, notify: ["channel:slack-ops"] },
          { after: 10, notify: ["schedule:primary", "everyone:primary", "user:ada"], needs: 2 },
        ],
        repeat: 2,
        lowUrgency: { tags: ["batch"] },
        adopt: true,
      },
    },
    slos: {
      checkout: {
        name: "Checkout",
        targets: ["monitor:monitor-7"],
        objective: 99.9,
        window: "month",
        latency: { ms: 300, percent: 95 },
        policy: "ops",
        adopt: true,
      },
    },
    drills: {
      ada: { target: "user:ada", schedule: "weekly", adopt: true },
      shop: { target: "policy:ops", schedule: "monthly" },
    },
    reports: {
      "shop-7": {
        name: "Shop",
        targets: ["monitor:monitor-7"],
        every: "week",
        timeZone: "Europe/Berlin",
        recipients: ["customer@example.com"],
        channel: "slack-ops",
        adopt: true,
      },
      shop: {
        name: "Page",
        page: "default",
        every: "week",
        timeZone: "Europe/Berlin",
        recipients: ["customer@example.com"],
      },
    },
    page: { title: "Ours", monitors: ["shop"], names: [{ target: "monitor:shop", name: "Shop" }] },
  });
});

test("duplicate names get unique keys, and an empty installation gives an empty document", () => {
  const twins = [8, 7].map((id) => ({ ...fakeMonitor(id), name: "Same" }));
  expect(Object.keys(exportDocument({ ...given, monitors: twins }).monitors!)).toEqual(["same", "same-7"]);
  const settings = {
    ...given.settings,
    globalMonitor: monitorSettings.parse({}),
    globalAgent: agentSettings.parse({}),
    monitors: {},
  };
  const empty = {
    monitors: [],
    agents: [],
    channels: [],
    templates: [],
    schedules: [],
    policies: [],
    drills: [],
    slos: [],
    reports: [],
    people: [],
    maintenance: [],
    settings,
  };
  expect(exportDocument({ ...empty, page: defaultStatusConfig })).toEqual({});
});

test("a secret of a check becomes a variable named after its monitor", () => {
  const redis = {
    ...fakeMonitor(8),
    type: "redis",
    name: "Cache",
    host: "cache",
    port: 6379,
    password: secretMask,
    tls: false,
  } as unknown as Exporting["monitors"][number];
  const config = exportDocument({ ...given, monitors: [redis], maintenance: [] });
  expect(configFile.safeParse(config).error).toBeUndefined();
  expect(config.monitors).toMatchObject({ cache: { type: "redis", password: { env: "CACHE_PASSWORD" } } });
});

test("a nested secret becomes a variable, too", () => {
  const monitor = {
    ...fakeMonitor(7),
    proxy: { url: "http://proxy.example:3128", username: "sonde", password: secretMask },
    oauth: {
      tokenUrl: "https://a.example/",
      clientId: "a",
      clientSecret: secretMask,
      authentication: "basic" as const,
    },
  };
  const config = exportDocument({ ...given, monitors: [monitor as (typeof given.monitors)[number]] });
  expect(configFile.safeParse(config).error).toBeUndefined();
  expect(config.monitors!["monitor-7"]).toMatchObject({
    proxy: { url: "http://proxy.example:3128", password: { env: "MONITOR_7_PROXY_PASSWORD" } },
    oauth: { clientSecret: { env: "MONITOR_7_OAUTH_CLIENTSECRET" } },
  });
});
