import type { Agent, Sample } from "@sonde/proto/http/agents/agents";
import type { CheckResult, HistoryBucket, HistorySummary } from "@sonde/proto/http/monitors/checks";
import type { ConfigAnswer } from "@sonde/proto/http/config";
import type { DashboardAnswer } from "@sonde/proto/http/dashboard";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { User } from "@sonde/proto/http/users";

export const config: Omit<ConfigAnswer, "success"> = {
  registration: "open",
  setup: { firstAccount: false, codeRequired: false },
  passkeys: false,
  signIn: { passwords: "on", providers: [] },
  publicUrl: null,
  footerLinks: { blog: "https://blog.example/", video: "https://video.example/", mail: "https://mail.example/" },
  version: "1.2.3",
  minIntervalMinutes: 1,
};

export const admin: User = {
  id: 1,
  username: "ada",
  email: "ada@example.com",
  role: "admin",
  status: "active",
  createdAt: "2026-01-01T00:00:00Z",
};
export const viewer: User = { ...admin, id: 2, username: "vera", role: "viewer" };

const anyTarget = {
  id: 7,
  name: "Shop API",
  tags: ["shop"],
  paused: false,
  dependsOn: [],
  note: "",
  description: "",
  status: "up" as const,
  responseTime: 123,
  uptime: { h24: 99.954, d30: null },
  lastCheckedAt: "2026-01-02T10:00:00Z",
  nextCheckAt: "2026-01-02T10:05:00Z",
  statusSince: "2026-01-01T00:00:00Z",
  stale: false,
  flapping: false,
  slow: false,
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
};
const anyMonitor = {
  ...anyTarget,
  interval: 5,
  timeout: 10,
  retries: 1,
  recoverAfter: 1,
  locations: ["default"],
  keepBody: true,
  invert: false,
};

/** One monitor of each kind. */
const twoOfThree = { interval: 1, members: [11, 12, 13], need: 2, needed: 2, counts: { up: 3, down: 0, ignored: 0 } };
export const monitors = {
  http: {
    ...anyMonitor,
    type: "http",
    target: "https://shop.example/health",
    url: "https://shop.example/health",
    method: "GET",
    expectedStatus: "200-204",
    headers: [{ name: "X-Api-Key", value: "••••••" }],
    followRedirects: true,
    verifyTls: true,
    assertions: [],
  },
  flow: {
    ...anyMonitor,
    type: "flow",
    target: "https://shop.example/login",
    steps: [
      {
        name: "login",
        method: "POST",
        url: "https://shop.example/login",
        headers: [{ name: "X-Api-Key", value: "••••••" }],
        body: "{}",
        expectedStatus: 200,
        assertions: [],
        extract: [{ name: "token", source: "json", property: "$.token" }],
      },
      {
        method: "GET",
        url: "https://shop.example/orders?t={{token}}",
        headers: [],
        expectedStatus: "2xx",
        assertions: [{ source: "json", property: "$.ok", op: "equals", value: "true" }],
        extract: [],
      },
    ],
    followRedirects: true,
    verifyTls: true,
  },
  tcp: {
    ...anyMonitor,
    type: "tcp",
    target: "tcp://cache.example:6379",
    host: "cache.example",
    port: 6379,
    send: "PING\r\n",
    expect: "+PONG",
  },
  dns: {
    ...anyMonitor,
    type: "dns",
    target: "dns://shop.example/MX",
    host: "shop.example",
    recordType: "MX",
    resolver: "192.0.2.53",
    expect: ["10 mail.shop.example", "20 spare.shop.example"],
  },
  tls: {
    ...anyMonitor,
    type: "tls",
    target: "tls://mail.example:587",
    host: "mail.example",
    port: 587,
    minDaysLeft: 21,
    starttls: "smtp",
    certificateExpiresAt: "2026-03-01T00:00:00Z",
    certificateIssuer: "Example Root R1",
  },
  icmp: {
    ...anyMonitor,
    type: "icmp",
    target: "icmp://gateway.example",
    host: "gateway.example",
    count: 5,
    maxLoss: 20,
  },
  domain: {
    ...anyMonitor,
    type: "domain",
    target: "domain://www.shop.example",
    interval: 1440,
    domain: "www.shop.example",
    minDaysLeft: 45,
    certificateExpiresAt: "2027-03-01T00:00:00Z",
  },
  ntp: { ...anyMonitor, type: "ntp", target: "ntp://a.example:123", host: "a.example", port: 123, maxOffset: 250 },
  websocket: {
    ...anyMonitor,
    type: "websocket",
    target: "wss://live.example/feed",
    url: "wss://live.example/feed",
    headers: [{ name: "Authorization", value: "••••••" }],
    send: "hello",
    verifyTls: true,
  },
  grpc: {
    ...anyMonitor,
    type: "grpc",
    target: "grpc://orders.example:50051/shop.v1.Orders",
    host: "orders.example",
    port: 50051,
    service: "shop.v1.Orders",
    tls: true,
    verifyTls: false,
  },
  mail: {
    ...anyMonitor,
    type: "mail",
    target: "imap://mail.example:143",
    protocol: "imap",
    host: "mail.example",
    port: 143,
    security: "starttls",
    username: "sonde@mail.example",
    password: "••••••",
    verifyTls: true,
    minDaysLeft: 14,
  },
  postgres: {
    ...anyMonitor,
    type: "postgres",
    target: "postgres://db.example:5432/shop",
    host: "db.example",
    port: 5432,
    username: "sonde",
    password: "••••••",
    database: "shop",
    query: "SELECT count(*) FROM orders",
    assertions: [{ source: "json", property: "$.count", op: "greaterThan", value: 0 }],
    tls: true,
    verifyTls: true,
  },
  mysql: {
    ...anyMonitor,
    type: "mysql",
    target: "mysql://db.example:3306",
    host: "db.example",
    port: 3306,
    username: "sonde",
    password: "••••••",
    query: "SELECT 1",
    assertions: [],
    tls: false,
    verifyTls: true,
  },
  redis: {
    ...anyMonitor,
    type: "redis",
    target: "redis://cache.example:6379",
    host: "cache.example",
    port: 6379,
    password: "••••••",
    tls: false,
    verifyTls: true,
  },
  heartbeat: {
    ...anyTarget,
    type: "heartbeat",
    target: "0 3 * * *",
    interval: 1440,
    cron: "0 3 * * *",
    timeZone: "Europe/Berlin",
    grace: 300,
    maxRuntime: 7200,
    keepOutput: true,
    pingUrl: "https://sonde.example/ping/0d4f1f0e-2f3a-4c5b-8d6e-7f8091a2b3c4",
    dueAt: "2026-01-03T02:00:00Z",
    deadlineAt: "2026-01-03T02:05:00Z",
    running: [],
    lastRun: { startedAt: "2026-01-02T09:58:00Z", durationMs: 120_000, exitCode: 0 },
  },
  inbound: {
    ...anyTarget,
    type: "inbound",
    target: "alertmanager",
    interval: 1,
    format: "alertmanager",
    closeAfter: 480,
    inboundUrl: "https://sonde.example/api/inbound/0d4f1f0e-2f3a-4c5b-8d6e-7f8091a2b3c4",
  },
  group: {
    ...anyTarget,
    type: "group",
    target: "2 of 3",
    ...twoOfThree,
    notifyMembers: true,
    state: "up",
    groupUptime: { h24: 99.5, d30: 98, d90: null },
  },
} satisfies { [Type in CheckType]: Monitor & { type: Type } };
export const monitor = monitors.http satisfies Monitor;

export const incident: Incident = {
  id: "m3",
  target: { type: "monitor", id: 7, name: "Shop API" },
  kind: "down",
  cause: "Status 503 is not the expected 200",
  openedAt: "2026-01-02T09:00:00Z",
};

export const dashboard = {
  monitors: { total: 4, active: 3, up: 2, down: 1, slow: 0, stale: 0, pending: 0, paused: 1 },
  agents: { total: 0, online: 0, connecting: 0, offline: 0 },
  uptime: { h24: 99.5, d30: 98 },
  incidents: 1,
  recent: [incident],
  open: [incident],
  ended: [],
  attention: [
    {
      id: 7,
      name: "Shop API",
      type: "http",
      target: "https://shop.example/health",
      status: "down",
      statusSince: "2026-01-02T09:00:00Z",
      stale: false,
      flapping: false,
      slow: false,
      responseTime: 123,
      lastCheckedAt: "2026-01-02T10:00:00Z",
      lastError: "Status 503 is not the expected 200",
      uptime: { h24: 91.25, d30: 98 },
      p95: 456,
      recentChecks: [
        { at: "2026-01-02T09:55:00Z", status: "up", responseTime: 120 },
        { at: "2026-01-02T10:00:00Z", status: "down", responseTime: 123 },
      ],
    },
  ],
  certificates: { total: 0, soonest: [] },
  slower: { total: 0, worst: [] },
  worstAgents: [],
} satisfies Omit<DashboardAnswer, "success">;

/** A thousand monitors, a few of them unhealthy. */
export const monitorCounts = { total: 1001, active: 994, up: 981, down: 9, slow: 0, stale: 1, pending: 3, paused: 7 };

export const result: CheckResult = {
  monitorId: 7,
  location: "default",
  slot: "2026-01-02T10:00:00Z",
  startedAt: "2026-01-02T10:00:00Z",
  status: "up",
  statusCode: 200,
  responseTime: 100,
  timings: { dns: 5, connect: 10, tls: 25, firstByte: 50, total: 100 },
  attempt: 1,
  failures: 0,
  lateness: 1,
  manual: true,
};

/** Totals of a day in a history, without a previous period. */
export const historyPeriod: { timeZone: string; summary: HistorySummary; previous: HistorySummary | null } = {
  timeZone: "Europe/Berlin",
  summary: {
    from: "2026-01-01T10:00:00Z",
    until: "2026-01-02T10:00:00Z",
    checks: 10,
    failures: 1,
    uptime: 90,
    coverage: 99.5,
    avg: 100,
    p50: 90,
    p95: 150,
  },
  previous: null,
};

/** A step of a history. Without checks it has no data. */
export function bucket(start: string, checks: number, up = checks): HistoryBucket {
  const seen = checks > 0;
  return {
    start,
    checks,
    up,
    availability: seen ? (up / checks) * 100 : null,
    coverage: seen ? 100 : 0,
    avg: seen ? 100 : null,
    p50: seen ? 90 : null,
    p95: seen ? 150 : null,
    max: seen ? 200 : null,
    lastCheckedAt: seen ? start : null,
    ...(up < checks ? { error: "Status 503 is not the expected 200" } : {}),
  };
}

export const sample: Sample = {
  at: "2026-01-02T10:00:00Z",
  cpu: { usage: 12.34, cores: 4, model: "Example CPU 9000" },
  memory: { total: 8_589_934_592, used: 2_147_483_648, free: 6_442_450_944, usage: 25 },
  disks: [
    {
      device: "/dev/sda1",
      mountPoint: "/",
      fsType: "ext4",
      total: 107_374_182_400,
      used: 96_636_764_160,
      free: 10_737_418_240,
      usage: 90,
    },
  ],
  network: [
    {
      interface: "eth0",
      receiveRate: 2048,
      sendRate: null,
      received: 1_048_576,
      sent: 2_097_152,
      packetsReceived: 1234,
      packetsSent: 5678,
    },
  ],
  load: { one: 0.5, five: 0.4, fifteen: 0.3 },
  uptime: 90_000,
};

export const agent: Agent = {
  id: 3,
  name: "web-1",
  hostname: "web-1.internal",
  ipAddresses: ["10.0.0.5", "fe80::1"],
  os: "Debian GNU/Linux 12",
  version: "0.1.0",
  status: "online",
  lastSeen: "2026-01-02T10:00:00Z",
  uptime: 90_000,
  interval: 10,
  dependsOn: [],
  tags: [],
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
  latest: sample,
  thresholds: { cpu: 90, memory: 90, disk: 90, scope: "global" },
};
