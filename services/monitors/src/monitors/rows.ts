import { oneOf } from "@sonde/kit/one-of";
import { heavyFields, targetOf } from "@sonde/proto/http/kinds";
import { monitorStatuses } from "@sonde/proto/http/monitors";
import type { TargetRef } from "@sonde/proto/http/targets";
import type { Definition, MonitorState, StoredCheck, StoredMonitor } from "./monitor.ts";
import { shownCheck } from "./stored-check.ts";

/** A row of `monitors` as PostgreSQL gives it. */
export type MonitorRow = {
  id: number;
  revision: number;
  name: string;
  /** What lists show of the check. */
  target: string;
  config: StoredCheck;
  interval_ms: number;
  timeout_ms: number;
  retries: number;
  tags: string[];
  locations: string[];
  depends_on: TargetRef[];
  note: string;
  status: string;
  status_since_ms: number;
  flapping_since_ms: number | null;
  version: number;
  figures_version: number;
  active_since_ms: number | null;
  created_at_ms: number;
  updated_at_ms: number;
};

/** A check in SQL without the fields that may be large: PostgreSQL sends none of what they hold. */
export const compactConfig = `config - array[${heavyFields.map((name) => `'${name}'`).join(", ")}]`;
/** A row's columns with such a check; of two columns of one name the last counts. */
export const compactColumns = `monitors.*, ${compactConfig} as config`;

const readStatus = oneOf(monitorStatuses, "status of a monitor");

export function readRow(row: MonitorRow): StoredMonitor {
  return {
    id: row.id,
    revision: row.revision,
    name: row.name,
    target: row.target,
    check: row.config,
    intervalMs: row.interval_ms,
    timeoutMs: row.timeout_ms,
    retries: row.retries,
    tags: row.tags,
    locations: row.locations,
    dependsOn: row.depends_on,
    note: row.note,
    status: readStatus(row.status),
    statusSinceMs: row.status_since_ms,
    flapping: row.flapping_since_ms !== null,
    version: row.version,
    figuresVersion: row.figures_version,
    activeSinceMs: row.active_since_ms,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}

/** The columns that a change writes. */
export function writeRow(monitor: Definition & MonitorState): Record<string, unknown> {
  return {
    name: monitor.name,
    target: targetOf(shownCheck(monitor.check)),
    config: JSON.stringify(monitor.check),
    interval_ms: monitor.intervalMs,
    timeout_ms: monitor.timeoutMs,
    retries: monitor.retries,
    tags: monitor.tags,
    locations: monitor.locations,
    depends_on: JSON.stringify(monitor.dependsOn),
    note: monitor.note,
    status: monitor.status,
    status_since_ms: monitor.statusSinceMs,
    version: monitor.version,
    figures_version: monitor.figuresVersion,
    active_since_ms: monitor.activeSinceMs,
    created_at_ms: monitor.createdAtMs,
    updated_at_ms: monitor.updatedAtMs,
  };
}
