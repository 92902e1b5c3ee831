import type { MessageInitShape } from "@bufbuild/protobuf";
import type { IncidentSchema, TargetFactsSchema } from "@sonde/proto/gen/events/v1/events";
import type { Incident, IncidentKind, IncidentResolution } from "@sonde/proto/http/incidents/incidents";
import type { IncidentAction } from "@sonde/proto/rpc/incidents";
import type { ServiceName } from "@sonde/proto/services";
import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueEvent, type EventInit } from "@sonde/kit/postgres/outbox";
import { incidentColumns, type IncidentRow } from "./table.ts";

export type IncidentInit = MessageInitShape<typeof IncidentSchema>;

export type IncidentTargets = {
  type: "monitor" | "agent";
  /** Has columns `id`, `name`, `deleted_at_ms` and `depends_on` (JSON references to targets). */
  table: string;
  /** Prefix of incident ids, as in `m12`. */
  idPrefix: string;
  service: ServiceName;
};
type Target = { id: number; name: string };

/** A target has at most one open incident per subject. */
export type Subject = { kind: IncidentKind; metric?: string };

const columnsOf = (target: Target, { kind, metric = "" }: Subject) => ({ target_id: target.id, kind, metric });

const closedAs = (trx: Database, resolution: IncidentResolution, atMs: number) => ({
  closed_at_ms: trx.raw("greatest(opened_at_ms, ?::bigint)", [Math.round(atMs)]),
  resolution,
});

/** All methods run in the caller's transaction; instants are epoch milliseconds. */
export function incidentStore(targets: IncidentTargets) {
  const byTarget = (rows: readonly IncidentRow[], given: readonly { target: Target }[]) => {
    const names = new Map(given.map(({ target }) => [target.id, target.name]));
    return new Map(rows.map((row) => [row.targetId, incidentMessage(targets, row, names.get(row.targetId) ?? "")]));
  };
  const store = {
    targets,
    /** Returns `null` if one is already open. */
    async open(trx: Database, target: Target, subject: Subject, cause: string, atMs: number) {
      return (await store.openEach(trx, [{ target, cause }], subject, atMs)).get(target.id) ?? null;
    },
    /** Returns the new ones, by target id. */
    async openEach(
      trx: Database,
      begun: readonly { target: Target; cause: string }[],
      { kind, metric = "" }: Subject,
      atMs: number,
    ): Promise<Map<number, IncidentInit>> {
      const { rows } = await trx.raw<{ rows: IncidentRow[] }>(
        `insert into incidents (target_id, kind, metric, cause, opened_at_ms)
         select target_id, ?, ?, cause, ? from unnest(?::int[], ?::text[]) as given(target_id, cause) order by target_id
         on conflict (target_id, kind, metric) where closed_at_ms is null do nothing
         returning ${incidentColumns}`,
        [kind, metric, Math.round(atMs), begun.map(({ target }) => target.id), begun.map(({ cause }) => cause)],
      );
      return byTarget(rows, begun);
    },
    async countFlap(trx: Database, target: Target, subject: Subject): Promise<void> {
      await trx("incidents").where(columnsOf(target, subject)).whereNull("closed_at_ms").increment("flaps", 1);
    },
    async findOpen(trx: Database, target: Target, subject: Subject): Promise<IncidentInit | null> {
      const wanted = trx("incidents").where(columnsOf(target, subject)).whereNull("closed_at_ms");
      const [row] = await wanted.select<IncidentRow[]>(trx.raw(incidentColumns));
      return row === undefined ? null : incidentMessage(targets, row, target.name);
    },
    async close(
      trx: Database,
      target: Target,
      subject: Subject,
      resolution: IncidentResolution,
      atMs: number,
    ): Promise<IncidentInit[]> {
      const rows = await trx("incidents")
        .where(columnsOf(target, subject))
        .whereNull("closed_at_ms")
        .update(closedAs(trx, resolution, atMs))
        .returning<IncidentRow[]>(trx.raw(incidentColumns));
      return rows.map((row) => incidentMessage(targets, row, target.name));
    },
    async closeAll<Of extends Target>(
      trx: Database,
      closed: readonly Of[],
      resolution: IncidentResolution,
      atMs: number,
    ): Promise<{ target: Of; incident: IncidentInit }[]> {
      if (closed.length === 0) return [];
      const byId = new Map(closed.map((target) => [target.id, target]));
      const rows = await trx("incidents")
        // A service level counts its target's slots whatever is edited.
        .modify((query) => void (resolution === "edited" && query.whereNot({ kind: "slo" })))
        .whereRaw("target_id = any(?::int[])", [[...byId.keys()]])
        .whereNull("closed_at_ms")
        .update(closedAs(trx, resolution, atMs))
        .returning<IncidentRow[]>(trx.raw(incidentColumns));
      return rows.map((row) => {
        const target = byId.get(row.targetId)!;
        return { target, incident: incidentMessage(targets, row, target.name) };
      });
    },
    /** Returns the closed incidents, by target id. */
    async closeEach(
      trx: Database,
      ended: readonly { target: Target; atMs: number }[],
      { kind, metric = "" }: Subject,
      resolution: IncidentResolution,
    ): Promise<Map<number, IncidentInit>> {
      const { rows } = await trx.raw<{ rows: IncidentRow[] }>(
        `update incidents set closed_at_ms = greatest(opened_at_ms, given.at_ms), resolution = ?
           from unnest(?::int[], ?::bigint[]) as given(target_id, at_ms)
          where incidents.target_id = given.target_id and kind = ? and metric = ? and closed_at_ms is null
          returning ${incidentColumns}`,
        [resolution, ended.map(({ target }) => target.id), ended.map(({ atMs }) => Math.round(atMs)), kind, metric],
      );
      return byTarget(rows, ended);
    },
  };
  return store;
}

/** Omits a snooze that is over. */
export function presentIncident(
  { type, idPrefix }: IncidentTargets,
  row: IncidentRow,
  targetName: string,
  nowMs: number,
): Incident {
  const { openedAtMs, closedAtMs, resolution, acknowledgedAtMs, acknowledgedBy, note } = row;
  const snoozedUntilMs = snoozeAt(row, nowMs);
  return {
    id: `${idPrefix}${row.id}`,
    target: { type, id: row.targetId, name: targetName },
    kind: row.kind,
    ...(row.metric === "" ? {} : { metric: row.metric }),
    cause: row.cause,
    ...(row.flaps === 0 ? {} : { flaps: row.flaps }),
    openedAt: instant(openedAtMs),
    ...(closedAtMs === null ? {} : { closedAt: instant(closedAtMs) }),
    ...(resolution === null ? {} : { resolution }),
    ...(acknowledgedAtMs === null ? {} : { acknowledgedAt: instant(acknowledgedAtMs) }),
    ...(acknowledgedBy === null ? {} : { acknowledgedBy }),
    ...(note === null ? {} : { note }),
    ...row.source,
    ...(snoozedUntilMs === null ? {} : { snoozedUntil: instant(snoozedUntilMs), snoozedBy: row.snoozedBy ?? "" }),
  };
}

/** Closing an incident ends its snooze. */
export const snoozeAt = ({ closedAtMs, snoozedUntilMs }: IncidentRow, nowMs: number): number | null =>
  closedAtMs === null && snoozedUntilMs !== null && snoozedUntilMs > nowMs ? snoozedUntilMs : null;

const instant = (ms: number) => new Date(ms).toISOString();

export function incidentMessage(
  { type, idPrefix }: IncidentTargets,
  row: IncidentRow,
  targetName: string,
): IncidentInit {
  return {
    id: `${idPrefix}${row.id}`,
    targetType: type,
    targetId: row.targetId,
    targetName,
    kind: row.kind,
    metric: row.metric || undefined,
    cause: row.cause,
    openedAtMs: row.openedAtMs,
    flaps: row.flaps,
    closedAtMs: row.closedAtMs ?? undefined,
    resolution: row.resolution ?? undefined,
    acknowledgedAtMs: row.acknowledgedAtMs ?? undefined,
    acknowledgedBy: row.acknowledgedBy ?? undefined,
    note: row.note ?? undefined,
    snoozedUntilMs: (row.closedAtMs === null ? row.snoozedUntilMs : null) ?? undefined,
    snoozedBy: row.snoozedBy ?? undefined,
    revision: row.revision,
  };
}

/** Lists omit `actions`, which may be long. */
type WholeRow = IncidentRow & { name: string; actions: IncidentAction[] };

const maxId = 2_147_483_647;

/** @throws AppError not_found */
export async function getIncident(
  db: Database,
  targets: IncidentTargets,
  { id }: { id: string },
  nowMs: number,
): Promise<{ incident: Incident; actions: IncidentAction[] }> {
  const row = await findIncident(db, targets, id);
  return { incident: presentIncident(targets, row, row.name, nowMs), actions: row.actions };
}

/** @param id public id (`m12`) @param isLocked locks the row until the transaction ends @throws AppError not_found */
export async function findIncident(
  db: Database,
  { table, idPrefix }: IncidentTargets,
  id: string,
  isLocked = false,
): Promise<WholeRow> {
  const number =
    id.startsWith(idPrefix) && /^\d{1,10}$/.test(id.slice(idPrefix.length)) ? id.slice(idPrefix.length) : "";
  const wanted = number === "" || Number(number) > maxId ? null : Number(number);
  const found = db("incidents")
    .join(table, `${table}.id`, "incidents.target_id")
    .where("incidents.id", wanted)
    .select<WholeRow[]>(db.raw(incidentColumns), `${table}.name`, "incidents.actions")
    .first();
  const row = await (isLocked ? found.forUpdate("incidents") : found);
  if (row === undefined) throw new AppError("not_found", "Incident does not exist");
  return row as WholeRow;
}

export type FactsInit = MessageInitShape<typeof TargetFactsSchema>;

type IncidentEvent = EventFields & ({ change: TargetChange; facts: FactsInit } | { change: UserChange });
export type UserChange = "acknowledged" | "unacknowledged" | "snoozed";
export type TargetChange = "opened" | "closed" | "flapping" | "steady";

type EventFields = {
  /** An event with a known id is published only once. Defaults to the incident's id and the change. */
  id?: string;
  atMs: number;
  incident: IncidentInit;
  /** Suppresses alerts. */
  quiet?: boolean;
};

export const publishIncident = (trx: Database, event: IncidentEvent): Promise<void> =>
  enqueueEvent(trx, createIncidentEvent(event));

export function createIncidentEvent({ id, atMs, ...value }: IncidentEvent): EventInit {
  const known = id ?? `${value.incident.id}:${value.change}`;
  return { id: known, atMs, fact: { case: "incident", value } };
}

export async function countOpenIncidents(db: Database, targetIds?: readonly number[]): Promise<number> {
  const open = db("incidents").whereNull("closed_at_ms");
  if (targetIds !== undefined) open.whereRaw("target_id = any(?)", [[...targetIds]]);
  const row = await open.count("* as count").first();
  return Number(row?.count ?? 0);
}

const batchRows = 500;

/** Deletes in small batches, oldest first; safe to run in several processes. Returns the number deleted. */
export async function pruneIncidents(db: Database, closedBeforeMs: number): Promise<number> {
  for (let deleted = 0; ;) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from incidents where id in (
         select id from incidents where closed_at_ms < ? order by closed_at_ms limit ${batchRows} for update skip locked
       )`,
      [Math.round(closedBeforeMs)],
    );
    deleted += rowCount;
    if (rowCount < batchRows) return deleted;
  }
}
