import type { CheckType } from "@sonde/proto/http/kinds";
import type { MonitorStatus } from "@sonde/proto/http/monitors";
import type { TargetRef } from "@sonde/proto/http/targets";

/** What a monitor checks, as it is kept: a `Check` of its kind whose secret texts are sealed. */
export type StoredCheck = { type: CheckType; [field: string]: unknown };

/** What a person sets, in the units that are kept. */
export type Definition = {
  name: string;
  check: StoredCheck;
  intervalMs: number;
  timeoutMs: number;
  retries: number;
  tags: string[];
  locations: string[];
  /** What it needs in order to work. */
  dependsOn: TargetRef[];
  /** For whoever is told of its incidents: markdown; empty: none. */
  note: string;
};

/** What Sonde keeps beside it. */
export type MonitorState = {
  status: MonitorStatus;
  statusSinceMs: number;
  version: number;
  /** Figures of an earlier version tell of something else and are not shown. */
  figuresVersion: number;
  /** Since when slots of this version are due; null while paused. */
  activeSinceMs: number | null;
  createdAtMs: number;
  updatedAtMs: number;
};

/** `target` is what lists show of the check; `flapping`: it goes down and comes back all the time. */
export type StoredMonitor = Definition &
  MonitorState & { id: number; revision: number; target: string; flapping: boolean };

/** What of a definition decides a check: when none of it changes, neither version nor state do. */
export function whatIsChecked({ check, intervalMs, timeoutMs, retries, locations }: Definition): string {
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
