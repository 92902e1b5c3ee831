import { type Definition, type MonitorState, type StoredMonitor, whatIsChecked } from "./monitor.ts";

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
