import { clocksDifferMs } from "@sonde/kit/time/clock";
import { type Database, snakeRow } from "@sonde/kit/postgres/database";
import type { SharedCause } from "@sonde/proto/http/incidents/explanation";
import { isDeepStrictEqual } from "node:util";
import type { DescribedTarget, FactKey, SeenTarget } from "./facts.ts";
import type { FoundCause, OpenedIncident } from "./shared-cause.ts";

export type SavedFacts = SeenTarget & { monitorId: number; version: number };

/** Like figures: newer rows of another owner stay, and what an edit discarded is not restored. */
export async function writeFacts(trx: Database, saved: readonly SavedFacts[], nowMs: number): Promise<void> {
  if (saved.length === 0) return;
  await trx.raw(
    `insert into fingerprints
       select given.* from jsonb_populate_recordset(null::fingerprints, ?::jsonb) as given
       join monitors on monitors.id = given.monitor_id
       where given.version between monitors.figures_version and monitors.version and deleted_at_ms is null
       order by given.monitor_id, given.location, given.status
     on conflict (monitor_id, location, status) do update set
       version = excluded.version, at_ms = excluded.at_ms, facts = excluded.facts
     where (fingerprints.version, fingerprints.at_ms) <= (excluded.version, excluded.at_ms)
        or (fingerprints.version = excluded.version and fingerprints.at_ms > ?)`,
    [
      JSON.stringify(saved.map((row) => snakeRow({ ...row, atMs: Math.round(row.atMs) }))),
      Math.round(nowMs) + clocksDifferMs,
    ],
  );
}

/** More than any outage needs. */
const maxIncidents = 2_000;

export type RecentIncident = OpenedIncident & { kind: "down" | "partial" };

const hasOwnChecks = "config->>'type' not in ('group', 'inbound')";

/** Newest first. Groups only follow their members. */
export async function recentIncidents(db: Database, sinceMs: number): Promise<RecentIncident[]> {
  const { rows } = await db.raw<{ rows: RecentIncident[] }>(
    `select incidents.id, target_id, kind, opened_at_ms from incidents join monitors on monitors.id = target_id
     where -opened_at_ms <= ?::bigint and kind in ('down', 'partial') and ${hasOwnChecks}
     order by -opened_at_ms, -incidents.id limit ${maxIncidents}`,
    [-Math.round(sinceMs)],
  );
  return rows;
}

export type FailingRow = DescribedTarget & { id: number; seen: SeenTarget[]; failingAt: string[] };

/** Active monitors, with the newest fingerprints of their present checks, and the locations that are known to fail. */
export async function failingTargets(db: Database, ids: readonly number[]): Promise<FailingRow[]> {
  const { rows } = await db.raw<{ rows: FailingRow[] }>(
    `select id, target, depends_on, locations,
       (select coalesce(jsonb_agg(jsonb_build_object(
          'location', location, 'status', fingerprints.status, 'atMs', at_ms, 'facts', facts)), '[]')
        from fingerprints where monitor_id = id and fingerprints.version >= figures_version) as seen,
       array(select location from figures where monitor_id = id and (failing or partial) order by location) as failing_at
     from monitors where id = any(?::int[]) and active_since_ms is not null and deleted_at_ms is null order by id`,
    [[...ids]],
  );
  return rows;
}

export type OtherRow = DescribedTarget & { id: number; isSeen: boolean; held: FactKey[] };

/** Monitors that are up, and which of these facts their last successful check found. */
export async function upTargets(db: Database, facts: readonly FactKey[]): Promise<OtherRow[]> {
  const { rows } = await db.raw<{ rows: OtherRow[] }>(
    `with seen as materialized (
       select monitor_id, facts from fingerprints join monitors on id = monitor_id
       where fingerprints.status = 'up' and fingerprints.version >= figures_version
     ), held as (
       select monitor_id, jsonb_agg(distinct key) as keys
       from seen, unnest(facts) as key where key in (select unnest(?::text[])) group by monitor_id
     )
     select id, target, depends_on, locations, id in (select monitor_id from seen) as is_seen,
       coalesce(held.keys, '[]') as held
     from monitors left join held on monitor_id = id
     where monitors.status = 'up' and deleted_at_ms is null and active_since_ms is not null and ${hasOwnChecks}
     order by id`,
    [[...facts]],
  );
  return rows;
}

/** One replica at a time: otherwise an older result could replace a newer one. */
export const lockCauses = (trx: Database): Promise<unknown> =>
  trx.raw("select pg_advisory_xact_lock(hashtextextended('sonde shared causes ' || current_schema(), 0))");

const causeColumns = "fact, value, sharing, failing, healthy";
const causesOf = (chosen: string) =>
  `select ${causeColumns}, array_agg(incident_id order by incident_id) as incident_ids
   from shared_causes join shared_cause_incidents on cause_id = id
   where id in (select cause_id from shared_cause_incidents where ${chosen}) group by id order by sharing desc, id`;

/** Replaces what was found for these incidents. */
export async function replaceCauses(
  trx: Database,
  incidentIds: readonly number[],
  found: readonly FoundCause[],
): Promise<void> {
  const ids = [[...incidentIds]];
  const { rows } = await trx.raw<{ rows: FoundCause[] }>(causesOf("incident_id = any(?::int[])"), ids);
  if (isDeepStrictEqual(rows, found)) return;
  await trx.raw("delete from shared_cause_incidents where incident_id = any(?::int[])", ids);
  for (const { incidentIds: own, ...cause } of found) {
    const [row] = await trx("shared_causes").insert(cause).returning<{ id: number }[]>("id");
    await trx("shared_cause_incidents").insert(own.map((incidentId) => ({ incidentId, causeId: row!.id })));
  }
  await pruneCauses(trx);
}

/** Deletes causes without incidents. */
export const pruneCauses = (db: Database): Promise<unknown> =>
  db.raw("delete from shared_causes where not exists (select from shared_cause_incidents where cause_id = id)");

const maxCauses = 10;
const maxIds = 200;

/** @param ids numeric incident ids; absent: those of open incidents */
export async function readCauses(db: Database, ids?: readonly number[]): Promise<SharedCause[]> {
  const open = "incident_id in (select id from incidents where closed_at_ms is null)";
  const chosen = ids === undefined ? causesOf(open) : causesOf("incident_id = any(?::int[])");
  const { rows } = await db.raw<{ rows: FoundCause[] }>(
    `${chosen} limit ${maxCauses}`,
    ids === undefined ? [] : [[...ids]],
  );
  return rows.map(({ incidentIds, ...cause }) => ({
    ...cause,
    incidentIds: incidentIds.slice(0, maxIds).map((id) => `m${id}`),
  }));
}
