import type { MonitorStatus } from "@sonde/proto/http/monitors";
import type { Definition, MonitorState, StoredAssertion, StoredHeader, StoredMonitor } from "./monitor.ts";

/** A row of `monitors` as PostgreSQL gives it. */
export type MonitorRow = {
  id: number;
  revision: number;
  name: string;
  url: string;
  method: string;
  interval_ms: number;
  timeout_ms: number;
  expected_status: string;
  headers: StoredHeader[];
  body: string | null;
  follow_redirects: boolean;
  verify_tls: boolean;
  retries: number;
  assertions: StoredAssertion[];
  tags: string[];
  locations: string[];
  status: MonitorStatus;
  status_since_ms: number;
  flapping_since_ms: number | null;
  version: number;
  figures_version: number;
  active_since_ms: number | null;
  created_at_ms: number;
  updated_at_ms: number;
};

type HeavyColumn = "body" | "headers" | "assertions";
/** Typed so that a new column cannot be forgotten here. */
const lightColumns: Record<Exclude<keyof MonitorRow, HeavyColumn>, true> = {
  id: true,
  revision: true,
  name: true,
  url: true,
  method: true,
  interval_ms: true,
  timeout_ms: true,
  expected_status: true,
  follow_redirects: true,
  verify_tls: true,
  retries: true,
  tags: true,
  locations: true,
  status: true,
  status_since_ms: true,
  version: true,
  flapping_since_ms: true,
  figures_version: true,
  active_since_ms: true,
  created_at_ms: true,
  updated_at_ms: true,
};
/** A row's columns in SQL with the heavy ones empty: PostgreSQL reads and sends none of what they hold. */
export const compactColumns = [
  ...Object.keys(lightColumns).map((column) => `monitors.${column}`),
  "null as body",
  "'[]'::jsonb as headers",
  "'[]'::jsonb as assertions",
].join(", ");

export function readRow(row: MonitorRow): StoredMonitor {
  return {
    id: row.id,
    revision: row.revision,
    name: row.name,
    url: row.url,
    method: row.method,
    intervalMs: row.interval_ms,
    timeoutMs: row.timeout_ms,
    expectedStatus: row.expected_status,
    headers: row.headers,
    body: row.body,
    followRedirects: row.follow_redirects,
    verifyTls: row.verify_tls,
    retries: row.retries,
    assertions: row.assertions,
    tags: row.tags,
    locations: row.locations,
    status: row.status,
    statusSinceMs: row.status_since_ms,
    flapping: row.flapping_since_ms !== null,
    version: row.version,
    figuresVersion: row.figures_version,
    activeSinceMs: row.active_since_ms,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}

/** The columns that a change writes; `headers` and `assertions` as JSON text. */
export function writeRow({ headers, assertions, ...monitor }: Definition & MonitorState): Record<string, unknown> {
  return {
    name: monitor.name,
    url: monitor.url,
    method: monitor.method,
    interval_ms: monitor.intervalMs,
    timeout_ms: monitor.timeoutMs,
    expected_status: monitor.expectedStatus,
    headers: JSON.stringify(headers),
    body: monitor.body,
    follow_redirects: monitor.followRedirects,
    verify_tls: monitor.verifyTls,
    retries: monitor.retries,
    assertions: JSON.stringify(assertions),
    tags: monitor.tags,
    locations: monitor.locations,
    status: monitor.status,
    status_since_ms: monitor.statusSinceMs,
    version: monitor.version,
    figures_version: monitor.figuresVersion,
    active_since_ms: monitor.activeSinceMs,
    created_at_ms: monitor.createdAtMs,
    updated_at_ms: monitor.updatedAtMs,
  };
}
