import type { MonitorUptime } from "@sonde/proto/gen/metrics/v1/metrics";
import type { Assertion as AssertionMessage } from "@sonde/proto/gen/monitors/v1/definitions";
import type { Monitor as MonitorMessage } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Assertion, AssertionOp, AssertionSource } from "@sonde/proto/http/assertions";
import type { Method, Monitor, MonitorStatus } from "@sonde/proto/http/monitors";
import { tenthsOrNull } from "./figures.ts";
import { instantOf, instantOrNull } from "./instant.ts";

/** A monitor as people see it. `uptime` in percent; undefined where `metrics` said nothing. */
export function presentMonitor(monitor: MonitorMessage, uptime: MonitorUptime | undefined): Monitor {
  const fields = monitor.fields;
  if (fields === undefined) throw new Error(`monitor ${monitor.id} came without its fields`);
  return {
    id: monitor.id,
    name: fields.name ?? "",
    url: fields.url ?? "",
    method: (fields.method ?? "GET") as Method,
    interval: fields.intervalMinutes ?? 1,
    timeout: fields.timeoutSeconds ?? 10,
    expectedStatus: presentExpectedStatus(fields.expectedStatus ?? "200"),
    headers: (fields.headers?.headers ?? []).map(({ name, value }) => ({ name, value })),
    ...(fields.body === undefined ? {} : { body: fields.body }),
    followRedirects: fields.followRedirects ?? true,
    verifyTls: fields.verifyTls ?? true,
    retries: fields.retries ?? 1,
    assertions: (fields.assertions?.assertions ?? []).map(presentAssertion),
    tags: fields.tags?.values ?? [],
    locations: fields.locations?.values ?? [],
    paused: fields.paused ?? false,
    status: monitor.status as MonitorStatus,
    responseTime: tenthsOrNull(monitor.responseTimeMs),
    uptime: { h24: uptime?.h24 ?? null, d30: uptime?.d30 ?? null },
    lastCheckedAt: instantOrNull(monitor.lastCheckedAtMs),
    nextCheckAt: instantOrNull(monitor.nextCheckAtMs),
    statusSince: instantOf(monitor.statusSinceMs),
    stale: monitor.stale,
    flapping: monitor.flapping,
    ...(monitor.certificateExpiresAtMs === undefined
      ? {}
      : { certificateExpiresAt: instantOf(monitor.certificateExpiresAtMs) }),
    ...(monitor.lastError === undefined ? {} : { lastError: monitor.lastError }),
    createdAt: instantOf(monitor.createdAtMs),
    updatedAt: instantOf(monitor.updatedAtMs),
  };
}

/** A single code is a number, as it was most likely sent. */
const presentExpectedStatus = (text: string) => (/^\d{3}$/.test(text) ? Number(text) : text);

/** A value answers as it was given; of one from before that was kept, what it is compared as decides. */
function presentAssertion({ source, property, op, value, ...given }: AssertionMessage): Assertion {
  const isNumber = given.isNumber ?? (source === "latency" || op === "lessThan" || op === "greaterThan");
  return {
    source: source as AssertionSource,
    ...(property === "" ? {} : { property }),
    op: op as AssertionOp,
    ...(op === "exists" ? {} : { value: isNumber ? Number(value) : value }),
  };
}
