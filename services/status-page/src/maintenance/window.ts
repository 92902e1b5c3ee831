import type { MaintenanceStatus } from "@sonde/proto/http/status/maintenance";

/** What a window covers: ids, ascending order is not promised. */
export type WindowTargets = { monitorIds: number[]; agentIds: number[] };

/** The fields of a window that users set. */
export type WindowFields = WindowTargets & {
  name: string;
  /** Markdown; empty: none. */
  note: string;
  /** Of the first occurrence, epoch milliseconds. */
  startMs: number;
  endMs: number;
  timeZone: string;
  /** Empty: once. */
  rrule: string;
  isPublic: boolean;
};

export type Window = WindowFields & {
  id: number;
  /** Up to when its occurrences are known, by their beginning. */
  plannedUntilMs: number;
  createdAtMs: number;
  updatedAtMs: number;
};

/** A window with its running or next occurrence. */
export type ShownWindow = Window & { status: MaintenanceStatus; nextStartMs?: number; nextEndMs?: number };

/** A row of `windows`. */
export type WindowRow = {
  id: number;
  name: string;
  note: string;
  monitor_ids: number[];
  agent_ids: number[];
  start_ms: number;
  end_ms: number;
  time_zone: string;
  rrule: string;
  is_public: boolean;
  planned_until_ms: number;
  created_at_ms: number;
  updated_at_ms: number;
};

export const readWindow = (row: WindowRow): Window => ({
  id: row.id,
  name: row.name,
  note: row.note,
  monitorIds: row.monitor_ids,
  agentIds: row.agent_ids,
  startMs: row.start_ms,
  endMs: row.end_ms,
  timeZone: row.time_zone,
  rrule: row.rrule,
  isPublic: row.is_public,
  plannedUntilMs: row.planned_until_ms,
  createdAtMs: row.created_at_ms,
  updatedAtMs: row.updated_at_ms,
});

export const toColumns = (fields: WindowFields) => ({
  name: fields.name,
  note: fields.note,
  monitor_ids: fields.monitorIds,
  agent_ids: fields.agentIds,
  start_ms: fields.startMs,
  end_ms: fields.endMs,
  time_zone: fields.timeZone,
  rrule: fields.rrule,
  is_public: fields.isPublic,
});
