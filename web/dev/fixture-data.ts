import type { RecentCheck } from "@sonde/proto/http/monitors/recent-checks";
import {
  type CheckResult,
  type HistoryBucket,
  type HistorySummary,
  stepOfPeriod,
  stepsMs,
  type Timings,
} from "@sonde/proto/http/monitors/checks";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { type Check, targetOf } from "@sonde/proto/http/monitors/kinds";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";

// Sample data to view the screens without services. Deterministic, so that every run looks the same.
const nowMs = Date.now();
export const at = (agoMs: number) => new Date(nowMs - agoMs).toISOString();
const minute = 60_000;
const day = 86_400_000;
const daySeconds = 86_400;
const places = ["default", "eu-west", "ap-southeast"];

export function noise(seed: number): number {
  const value = Math.sin(seed * 12.9898 + 78.233) * 43758.5453;
  return value - Math.floor(value);
}

const names = [
  "Checkout API",
  "Search",
  "Mail gateway",
  "Login",
  "支付回调接口",
  "Image CDN",
  "Docs",
  "Webhooks",
  "Billing export",
  "订单查询",
];

type Probed = Exclude<Check, { type: "heartbeat" | "inbound" | "group" }>;

/** Mostly HTTP, and one in ten of each other kind. */
function makeCheckOf(id: number): Probed & { target: string } {
  const host = `host-${id}.example.com`;
  const url = `https://api-${id}.example.com/v1/health?probe=${id}`;
  const check: Probed =
    id % 10 === 5
      ? { type: "tcp", host, port: 6379, send: "PING\r\n", expect: "+PONG" }
      : id % 10 === 0
        ? { type: "dns", host, recordType: "MX", expect: ["10 mail.example.com", "20 spare.example.com"] }
        : id % 10 === 6
          ? { type: "tls", host, port: 587, minDaysLeft: 14, starttls: "smtp" }
          : {
              type: "http",
              url,
              method: id % 4 === 0 ? "POST" : "GET",
              expectedStatus: id % 2 === 0 ? "2xx" : 200,
              headers:
                id % 4 === 0
                  ? [
                      { name: "Authorization", value: "••••••" },
                      { name: "Content-Type", value: "application/json" },
                    ]
                  : [],
              ...(id % 4 === 0 ? { body: '{\n  "query": "health"\n}' } : {}),
              followRedirects: true,
              verifyTls: true,
              assertions: id === 4 ? [{ source: "json", property: "$.data.ok", op: "equals", value: "true" }] : [],
            };
  return { ...check, target: targetOf(check) };
}

/** Errors of the monitors that are down, by id. */
const errors: Readonly<Record<number, string>> = {
  3: "The answer did not come within 10 seconds (waiting for the response)",
  11: "Status 503 is not the expected 200",
  15: "Connection refused by 192.0.2.17:6379",
  17: "The certificate expired on 2026-01-30 and covers api-17.example.com, www.api-17.example.com",
};
const manyTags = ["production", "checkout-and-payment-provider", "eu-central", "tier-1", "team-orders", "pci"];

function makeP95(id: number, status: string): Monitor["p95"] {
  const usual = Math.round(120 + noise(id + 3) * 400);
  const change = id % 12 === 3 ? 90 + (id % 5) * 40 : Math.round(noise(id + 9) * 24 - 12);
  const last = Math.round(usual * (1 + change / 100));
  return { last, usual, change, slower: status === "up" && change >= 50 };
}

export function makeMonitor(id: number): Monitor {
  const longName = "Checkout, payment and order confirmation of all shops in Europe, the Middle East and Africa";
  const name = id === 11 ? longName : `${names[(id - 1) % names.length]}${id > names.length ? ` ${id}` : ""}`;
  const status = errors[id] !== undefined ? "down" : id === 7 ? "paused" : id === 9 ? "pending" : "up";
  const lastError = errors[id];
  return {
    id,
    name,
    description: id === 1 ? "Takes orders of all shops; owned by the payments team." : "",
    ...makeCheckOf(id),
    interval: id % 3 === 0 ? 5 : 1,
    timeout: 10,
    retries: 1,
    recoverAfter: 1,
    slow: id === 4,
    ...(id === 4 ? { slowAfter: 300, slowChecks: { of: 3, in: 5 } } : {}),
    tags: id % 7 === 4 ? manyTags : id % 3 === 1 ? ["production", "api"] : id % 3 === 2 ? ["production"] : [],
    locations: id === 1 ? places : ["default"],
    paused: status === "paused",
    dependsOn:
      id === 3
        ? [
            { type: "agent", id: 4 },
            { type: "monitor", id: 1 },
          ]
        : [],
    note:
      id === 3
        ? "**Runbook**\n\n1. Look at the queue: https://mail.example.com/queue\n2. Restart with `systemctl restart postfix`"
        : "",
    keepBody: true,
    invert: false,
    status,
    responseTime: status === "pending" ? null : status === "down" ? 10_000 : Math.round(40 + noise(id) * 380),
    p95: status === "pending" || status === "paused" ? undefined : makeP95(id, status),
    uptime:
      status === "pending"
        ? { h24: null, d30: null }
        : { h24: status === "down" ? 97.214 : 99.9 + noise(id) * 0.1, d30: 99.43 + noise(id + 5) * 0.5 },
    lastCheckedAt: status === "pending" ? null : at(18_000),
    nextCheckAt: status === "paused" ? null : at(-42_000),
    statusSince: at(status === "down" ? 14 * minute : 9 * day),
    stale: id === 8,
    flapping: false,
    ...(id === 2 || id === 3 ? { inMaintenance: true as const } : {}),
    ...(id === 3 || id === 4 || id === 11 ? { silencedUntil: at(-2 * 60 * minute) } : {}),
    ...(id % 10 === 0 || id % 10 === 5
      ? {}
      : { certificateExpiresAt: at((id === 17 ? 2.5 : id === 1 ? -9 : -61) * day) }),
    ...(id % 10 === 6 ? { certificateIssuer: "Let's Encrypt R11" } : {}),
    ...(lastError === undefined ? {} : { lastError }),
    createdAt: at(id === 8 ? 40 * minute : 42 * day),
    updatedAt: at(3 * day),
  };
}

const spans: Record<string, number> = { "1h": 3600, "24h": daySeconds, "7d": 7 * daySeconds, "30d": 30 * daySeconds };
const ownSteps: Record<string, number> = { "1h": 60, "24h": 300, "7d": 3600, "30d": daySeconds };

export function makeHistory(id: number, asked: URLSearchParams) {
  const range = asked.get("range") ?? "24h";
  const [from, until] = ["from", "until"].map((name) => Date.parse(asked.get(name) ?? ""));
  const seconds = from && until ? (until - from) / 1000 : (spans[range] ?? daySeconds);
  const own = from && until ? stepsMs[stepOfPeriod(seconds * 1000)] / 1000 : (ownSteps[range] ?? 300);
  const step = asked.get("step") === "1h" ? 3600 : own;
  const count = Math.ceil(seconds / step);
  const last = Math.floor(((until || nowMs + 1) - 1) / (step * 1000)) * step * 1000;
  const buckets = Array.from({ length: count }, (_, index) =>
    makeBucket(id, last - (count - 1 - index) * step * 1000, index / count, step),
  );
  const checks = buckets.reduce((sum, bucket) => sum + bucket.checks, 0);
  const failures = checks - buckets.reduce((sum, bucket) => sum + bucket.up, 0);
  const seen = checks > 0;
  const summary: HistorySummary = {
    from: buckets[0]?.start ?? "",
    until: new Date(nowMs).toISOString(),
    checks,
    failures,
    uptime: seen ? (1 - failures / checks) * 100 : null,
    coverage: seen ? 96.01 : null,
    avg: seen ? 96 : null,
    p50: seen ? 88 : null,
    p95: seen ? 171 : null,
  };
  const previous = id === 4 || !seen ? null : { ...summary, p50: 81, p95: 204, failures: failures + 2, coverage: 97.2 };
  const changes = [{ at: at(5 * 3_600_000), kinds: ["interval" as const] }];
  return { range, step, timeZone: "Europe/Berlin", buckets, summary, previous, changes };
}

/** One day of each location. */
export function makeLocations(id: number) {
  const step = 300;
  const count = daySeconds / step;
  const locations = places.map((name, place) => ({
    name,
    checks: 1440,
    failures: place * 3,
    uptime: 100 - place * 0.21,
    p50: 80 + place * 120,
    p95: 130 + place * 160,
    times: Array.from({ length: count }, (_, index) =>
      place === 2 && index > 100 && index < 110
        ? null
        : 80 + place * 120 + 20 * Math.sin(index / 20) + noise(id + index) * 9,
    ),
  }));
  return { from: at(daySeconds * 1000), step, locations };
}

function makeBucket(id: number, startMs: number, place: number, step: number): HistoryBucket {
  const start = new Date(startMs).toISOString();
  const nothing = { avg: null, p50: null, p95: null, max: null, availability: null, lastCheckedAt: null };
  if (id === 9 || (id === 8 && nowMs - startMs > 40 * minute))
    return { start, checks: 0, up: 0, coverage: null, ...nothing };
  const covered = id === 2 && place > 0.84 ? { inMaintenance: true as const } : {};
  if (id === 2 && place > 0.85 && place < 0.93)
    return { start, checks: 0, up: 0, coverage: null, ...nothing, ...covered };
  if (place > 0.4 && place < 0.44) return { start, checks: 0, up: 0, coverage: 0, ...nothing };
  const checks = Math.round(step / 60);
  const isDown = id === 3 && place > 0.97;
  const isPartly = place > 0.7 && place < 0.72;
  const up = isDown ? 0 : isPartly ? Math.floor(checks * 0.6) : checks;
  const base = 70 + 30 * Math.sin(place * 9) + noise(id * 1000 + place * 777) * 24;
  const p95 = base * 1.6 + noise(place * 991) * 40;
  return {
    start,
    checks,
    up,
    availability: (up / checks) * 100,
    coverage: 100,
    avg: base * 1.1,
    p50: base,
    p95,
    max: p95 * (1.2 + noise(place * 131) * (noise(place * 71) > 0.93 ? 4 : 0.6)),
    timings: timingsOf(id, {
      dns: base * 0.06,
      connect: base * 0.18,
      tls: base * 0.32,
      firstByte: base * (0.5 + noise(place * 37) * 0.2),
      total: base * 1.3,
    }),
    lastCheckedAt: new Date(Math.min(nowMs - 15_000, startMs + step * 1000 - 20_000)).toISOString(),
    ...covered,
    ...(up < checks
      ? { error: isDown ? "The answer did not come within 10 seconds" : "Status 503 is not the expected 200" }
      : {}),
  };
}

/** Latest slots of a monitor, oldest first. */
export function makeRecentChecks(id: number): RecentCheck[] {
  return Array.from({ length: 30 }, (_, index) => {
    const value = noise(id * 31 + index);
    const status = value > 0.97 ? "none" : id === 3 || value > 0.94 ? "down" : "up";
    const covered = (id === 2 && index > 20) || (id === 3 && index > 12);
    return { at: at((30 - index) * minute), status, ...(covered ? { inMaintenance: true } : {}) };
  });
}

export function makeCheck(id: number, agoMs: number, manual = false): CheckResult {
  const isDown = id === 3;
  const dns = 4 + noise(agoMs) * 6;
  const [connect, tls, firstByte] = [
    14 + noise(agoMs + 1) * 9,
    28 + noise(agoMs + 2) * 12,
    isDown ? 9950 : 60 + noise(agoMs + 3) * 90,
  ];
  const total = isDown ? 10_000 : dns + connect + tls + firstByte + 5;
  return {
    monitorId: id,
    location: "default",
    slot: at(agoMs),
    startedAt: at(agoMs),
    status: isDown ? "down" : "up",
    ...(isDown
      ? { error: { kind: "timeout", message: "The answer did not come within 10 seconds (waiting for the response)" } }
      : isHttp(id) && { statusCode: 200 }),
    responseTime: total,
    timings: timingsOf(id, { dns, connect, tls, firstByte, total }),
    attempt: 1,
    failures: isDown ? 4 : 0,
    lateness: 1.2,
    manual,
  };
}

const isHttp = (id: number) => ![0, 5, 6].includes(id % 10);

function timingsOf(id: number, { dns, connect, tls, firstByte, total }: Required<Timings>): Timings {
  if (id % 10 === 0) return { dns, total: dns + 0.2 };
  if (id % 10 === 5) return { dns, connect, firstByte, total };
  return id % 10 === 6 ? { dns, connect, tls, total: dns + connect + tls } : { dns, connect, tls, firstByte, total };
}

export const incidents: Incident[] = [
  {
    id: "m41",
    target: { type: "monitor", id: 3, name: "Mail gateway" },
    kind: "down",
    cause: "The answer did not come within 10 seconds (waiting for the response)",
    openedAt: at(14 * minute),
  },
  {
    id: "m40",
    target: { type: "monitor", id: 1, name: "Checkout API" },
    kind: "down",
    cause: "Status 503 is not the expected 200",
    openedAt: at(7 * 60 * minute),
    closedAt: at(7 * 60 * minute - 195_000),
    resolution: "recovered",
  },
  {
    id: "m39",
    target: { type: "monitor", id: 7, name: "Docs" },
    kind: "down",
    cause: "The name docs.example.com could not be resolved",
    openedAt: at(2 * day),
    closedAt: at(2 * day - 32 * minute),
    resolution: "paused",
  },
];
