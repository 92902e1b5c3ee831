import { type CheckType, isPassive, readCheck } from "@sonde/proto/http/monitors/kinds";
import type { BulkChanges } from "@sonde/proto/http/monitors/lists";
import type { MonitorStatus, SharedFields } from "@sonde/proto/http/monitors/monitors";
import { isDeepStrictEqual } from "node:util";

/** What a monitor checks, as it is kept: a `Check` of its kind whose secret texts are sealed. */
export type StoredCheck = { type: CheckType; [field: string]: unknown };

/** What a person sets, in the units that are kept. */
export type Definition = Omit<SharedFields, "interval" | "timeout" | "locations" | "paused"> & {
  intervalMs: number;
  timeoutMs: number;
  locations: string[];
  /** What it checks. */
  config: StoredCheck;
};

/** What Sonde keeps beside it. */
export type MonitorState = {
  status: MonitorStatus;
  statusSinceMs: number;
  version: number;
  /** Figures of an earlier version belong to another check and are not shown. */
  figuresVersion: number;
  /** Since when slots of this version are due; null while paused. */
  activeSinceMs: number | null;
  createdAtMs: number;
  updatedAtMs: number;
};

/** A row of `monitors`. `target` is what lists show of the check. */
export type StoredMonitor = Definition &
  MonitorState & { id: number; revision: number; target: string; flappingSinceMs: number | null };

/** What of a definition decides a check: when none of it changes, neither version nor state do. */
export function whatIsChecked({ config, intervalMs, timeoutMs, retries, locations }: Definition): string {
  // How a heartbeat is named in addresses, and what is kept of its calls, changes nothing of when it is due; nor does the
  // longest gap ahead of a cron, which is another each day.
  const { slug: _slug, keepOutput: _keep, ...due } = config;
  if (isPassive(config.type)) return JSON.stringify(inOrder(due));
  // A field that came after it was kept is what it is for those that have none.
  const check = { invert: false, ...readCheck(config) };
  return JSON.stringify([inOrder(check), intervalMs, timeoutMs, retries, [...locations].sort()]);
}

/** The same value with its fields in one order: PostgreSQL keeps none. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(
    entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, part]) => [name, inOrder(part)]),
  );
}

export type NextState = MonitorState & {
  /** What is checked, or whether, changed: results of the earlier version change nothing any more. */
  newVersion: boolean;
};

/**
 * Where a change of definition leaves a monitor. A new name or other tags leave it as it is; anything that changes
 * the check, or whether it runs, makes a new version that waits for its first result.
 */
export function nextState(
  before: StoredMonitor | null,
  definition: Definition,
  paused: boolean,
  atMs: number,
): NextState {
  const wasPaused = before?.status === "paused";
  const edited = before === null || whatIsChecked(before) !== whatIsChecked(definition);
  if (before !== null && !edited && wasPaused === paused) {
    const { status, statusSinceMs, version, figuresVersion, activeSinceMs, createdAtMs } = before;
    const kept = { status, statusSinceMs, version, figuresVersion, activeSinceMs, createdAtMs };
    return { ...kept, updatedAtMs: atMs, newVersion: false };
  }
  const version = (before?.version ?? 0) + 1;
  return {
    status: paused ? "paused" : "pending",
    statusSinceMs: wasPaused && paused ? before.statusSinceMs : atMs,
    version,
    figuresVersion: edited ? version : before.figuresVersion,
    activeSinceMs: paused ? null : atMs,
    createdAtMs: before?.createdAtMs ?? atMs,
    updatedAtMs: atMs,
    newVersion: true,
  };
}

/** The edit that makes a monitor what it was. The order of its tags may differ. */
export function inverseOf(before: StoredMonitor, after: StoredMonitor): BulkChanges {
  const removed = before.tags.filter((tag) => !after.tags.includes(tag));
  const added = after.tags.filter((tag) => !before.tags.includes(tag));
  return {
    ...(removed.length > 0 && { addTags: removed }),
    ...(added.length > 0 && { removeTags: added }),
    ...(before.intervalMs !== after.intervalMs && { interval: before.intervalMs / 60_000 }),
    ...(before.timeoutMs !== after.timeoutMs && { timeout: before.timeoutMs / 1_000 }),
    ...(!isDeepStrictEqual(before.locations, after.locations) && { locations: before.locations }),
  };
}
