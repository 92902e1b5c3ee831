import { type CheckType, isPassive, readCheck } from "@sonde/proto/http/monitors/kinds";
import type { BulkChanges } from "@sonde/proto/http/monitors/lists";
import type { MonitorStatus, SharedFields } from "@sonde/proto/http/monitors/monitors";
import { defaultSlowChecks } from "@sonde/proto/http/monitors/slow";
import { isDeepStrictEqual } from "node:util";

/** A check as stored: secrets are sealed. */
export type StoredCheck = { type: CheckType; [field: string]: unknown };

export type Definition = Omit<SharedFields, "interval" | "timeout" | "locations" | "paused"> & {
  intervalMs: number;
  timeoutMs: number;
  locations: string[];
  config: StoredCheck;
};

export type MonitorState = {
  status: MonitorStatus;
  statusSinceMs: number;
  version: number;
  /** Figures with a lower version belong to a different check and are hidden. */
  figuresVersion: number;
  /** Since when slots of this version are due; `null` while paused. */
  activeSinceMs: number | null;
  createdAtMs: number;
  updatedAtMs: number;
};

/** A row of `monitors`. `target` is the checked address as lists show it. */
export type StoredMonitor = Definition &
  MonitorState & {
    id: number;
    revision: number;
    target: string;
    flappingSinceMs: number | null;
    slowSinceMs: number | null;
  };

/** Returns the part of a definition that affects checks. If it does not change, version and state stay. */
export function whatIsChecked(definition: Definition): string {
  const { config, intervalMs, timeoutMs, retries, recoverAfter, slowAfter, slowChecks, locations } = definition;
  // Slug and stored output do not affect the due time, nor do `closeAfter` and
  // `notifyMembers` affect the state. For cron the interval is the longest upcoming gap, which changes
  // daily.
  const { slug: _slug, keepOutput: _keep, closeAfter: _close, notifyMembers: _notify, ...due } = config;
  if (isPassive(config.type)) return JSON.stringify(inOrder(due));
  // Fields added after the check was stored have their default.
  const check = { invert: false, ...readCheck(config) };
  const slow = slowAfter ? [slowAfter, inOrder(slowChecks ?? defaultSlowChecks)] : null;
  const decided = [intervalMs, timeoutMs, retries, recoverAfter, slow];
  return JSON.stringify([inOrder(check), decided, [...locations].sort()]);
}

/** Sorts object keys, because PostgreSQL does not keep their order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(
    entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, part]) => [name, inOrder(part)]),
  );
}

export type NextState = MonitorState & {
  /** Results of the earlier version are ignored. */
  newVersion: boolean;
};

/**
 * A change that affects the check, or whether it runs, starts a new version that is pending until its first result.
 * Others, such as a new name, leave the state unchanged.
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
    // An inbound monitor is up until it receives a critical alert.
    status: paused ? "paused" : definition.config.type === "inbound" ? "up" : "pending",
    statusSinceMs: wasPaused && paused ? before.statusSinceMs : atMs,
    version,
    figuresVersion: edited ? version : before.figuresVersion,
    activeSinceMs: paused ? null : atMs,
    createdAtMs: before?.createdAtMs ?? atMs,
    updatedAtMs: atMs,
    newVersion: true,
  };
}

/** The edit that reverts a change, except for the order of tags. */
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
