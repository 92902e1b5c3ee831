import { incidentMessage, type IncidentInit } from "@sonde/domain/incidents/store";
import { incidentColumns, type IncidentRow } from "@sonde/domain/incidents/table";
import type { Database } from "@sonde/kit/postgres/database";
import type { AlertSeverity, ExternalAlert } from "@sonde/proto/http/monitors/inbound";
import { incidents } from "../incidents/facts.ts";
import type { StoredMonitor } from "../monitors/monitor.ts";

export type AlertIncident = { row: IncidentRow; incident: IncidentInit };
type Target = Pick<StoredMonitor, "id" | "name">;

const ofMonitor = "target_id = ? and kind = 'external' and closed_at_ms is null";

const presented = ({ name }: Target, rows: readonly IncidentRow[]): AlertIncident[] =>
  rows.map((row) => ({ row, incident: incidentMessage(incidents.targets, row, name) }));

/** Returns id and severity of each open alert by its key. */
export async function openAlerts(
  trx: Database,
  id: number,
): Promise<Map<string, { id: number; severity: AlertSeverity }>> {
  const rows = await trx("incidents")
    .whereRaw(ofMonitor, [id])
    .select<{ id: number; metric: string; severity: AlertSeverity }[]>(
      "id",
      "metric",
      trx.raw("source->>'severity' as severity"),
    );
  return new Map(rows.map(({ metric, ...row }) => [metric, row]));
}

/** Opens incidents, or updates those that are open. Returns the new ones. */
export async function writeAlerts(
  trx: Database,
  target: Target,
  alerts: readonly ExternalAlert[],
  atMs: number,
): Promise<AlertIncident[]> {
  if (alerts.length === 0) return [];
  const { rows } = await trx.raw<{ rows: (IncidentRow & { isNew: boolean })[] }>(
    `insert into incidents (target_id, kind, metric, cause, opened_at_ms, source, seen_at_ms)
     select ?, 'external', metric, cause, ?, source, ? from unnest(?::text[], ?::text[], ?::jsonb[])
       as given(metric, cause, source)
     on conflict (target_id, kind, metric) where closed_at_ms is null do update set
       cause = excluded.cause, source = excluded.source, seen_at_ms = excluded.seen_at_ms
     returning ${incidentColumns}, (xmax = 0) as "isNew"`,
    [
      target.id,
      atMs,
      atMs,
      alerts.map(({ key }) => key),
      alerts.map(({ title }) => title),
      alerts.map(({ severity, link, labels }) => JSON.stringify({ severity, link, labels })),
    ],
  );
  return presented(
    target,
    rows.filter(({ isNew }) => isNew),
  );
}

export async function closeAlerts(
  trx: Database,
  target: Target,
  keys: readonly string[],
  atMs: number,
): Promise<AlertIncident[]> {
  if (keys.length === 0) return [];
  const { rows } = await trx.raw<{ rows: IncidentRow[] }>(
    `update incidents set closed_at_ms = greatest(opened_at_ms, ?::bigint), resolution = 'recovered'
     where ${ofMonitor} and metric = any(?::text[]) returning ${incidentColumns}`,
    [atMs, target.id, [...keys]],
  );
  return presented(target, rows);
}

/** Keys of open alerts that were not repeated since, by monitor; at most `limit`. */
export async function unrepeatedAlerts(db: Database, nowMs: number, limit: number): Promise<Map<number, string[]>> {
  const { rows } = await db.raw<{ rows: { id: number; metric: string }[] }>(
    `select monitors.id, metric from monitors join incidents on target_id = monitors.id
     where config->>'type' = 'inbound' and deleted_at_ms is null and kind = 'external' and closed_at_ms is null
       and seen_at_ms + (config->>'closeAfter')::bigint * 60000 <= ? order by monitors.id limit ?`,
    [Math.round(nowMs), limit],
  );
  const byMonitor = Map.groupBy(rows, ({ id }) => id);
  return new Map([...byMonitor].map(([id, own]) => [id, own.map(({ metric }) => metric)]));
}

export type Watched = { id: number; version: number; activeSinceMs: number };
/** `cause` is `null` if the state of a group is unknown. */
export type CriticalSpan = { targetId: number; cause: string | null; openedAtMs: number; closedAtMs: number | null };

/** The active inbound monitors and groups, and the times in (from, to) at which they were down. */
export async function watchedMonitors(
  db: Database,
  fromMs: number,
  toMs: number,
): Promise<{ monitors: Watched[]; critical: CriticalSpan[] }> {
  const monitors = await db("monitors")
    .whereRaw("config->>'type' in ('inbound', 'group') and deleted_at_ms is null and active_since_ms is not null")
    .select<Watched[]>("id", "version", "activeSinceMs");
  const { rows: critical } = await db.raw<{ rows: CriticalSpan[] }>(
    `select * from (
       select target_id, cause, opened_at_ms, closed_at_ms from incidents
       where target_id = any(:ids::int[]) and kind = 'external' and source->>'severity' = 'critical'
       union all
       select group_id, cause, from_ms, (
         select min(from_ms) from group_spans later where later.group_id = span.group_id and later.from_ms > span.from_ms)
       from group_spans span where group_id = any(:ids::int[]) and state in ('down', 'pending')
     ) as down where opened_at_ms < :toMs and (closed_at_ms is null or closed_at_ms > :fromMs) order by opened_at_ms`,
    { ids: monitors.map(({ id }) => id), fromMs, toMs },
  );
  return { monitors, critical };
}
