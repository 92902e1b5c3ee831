import type { MessageInitShape } from "@bufbuild/protobuf";
import { type IncidentQuery, listIncidentRows } from "@sonde/kit/incidents/list";
import type { Database } from "@sonde/kit/postgres/database";
import type { IncidentResolution } from "@sonde/proto/http/incidents";
import type { IncidentSchema } from "@sonde/proto/gen/events/v1/events";

export type IncidentInit = MessageInitShape<typeof IncidentSchema>;

type IncidentRow = {
  id: number;
  monitor_id: number;
  kind: string;
  cause: string;
  opened_at_ms: number;
  closed_at_ms: number | null;
  resolution: string | null;
  flaps: number;
};
type NamedRow = IncidentRow & { name: string };

function readRow(row: NamedRow): IncidentInit {
  return {
    id: `m${row.id}`,
    targetType: "monitor",
    targetId: row.monitor_id,
    targetName: row.name,
    kind: row.kind,
    cause: row.cause,
    openedAtMs: row.opened_at_ms,
    flaps: row.flaps,
    ...(row.closed_at_ms === null ? {} : { closedAtMs: row.closed_at_ms }),
    ...(row.resolution === null ? {} : { resolution: row.resolution }),
  };
}

type Target = { id: number; name: string };

/** Opens a monitor's `down`; null where one is open. */
export async function openIncident(
  trx: Database,
  target: Target,
  cause: string,
  atMs: number,
): Promise<IncidentInit | null> {
  const [row] = await trx<IncidentRow>("incidents")
    .insert({ monitor_id: target.id, kind: "down", cause, opened_at_ms: atMs })
    .onConflict(trx.raw("(monitor_id, kind) where closed_at_ms is null"))
    .ignore()
    .returning("*");
  return row === undefined ? null : readRow({ ...row, name: target.name });
}

/** Counts that a monitor went down again while its incident was open. */
export async function countFlap(trx: Database, { id }: Target): Promise<void> {
  await trx("incidents").where({ monitor_id: id, kind: "down" }).whereNull("closed_at_ms").increment("flaps", 1);
}

/** What is open of a monitor; null where nothing is. */
export async function findOpen(trx: Database, target: Target): Promise<IncidentInit | null> {
  const row = await trx<IncidentRow>("incidents")
    .where({ monitor_id: target.id, kind: "down" })
    .whereNull("closed_at_ms")
    .first();
  return row === undefined ? null : readRow({ ...row, name: target.name });
}

/** Closes what is open of a monitor; null where nothing is. */
export async function closeIncident(
  trx: Database,
  target: Target,
  resolution: IncidentResolution,
  atMs: number,
): Promise<IncidentInit | null> {
  const [row] = await trx<IncidentRow>("incidents")
    .where({ monitor_id: target.id, kind: "down" })
    .whereNull("closed_at_ms")
    .update({ closed_at_ms: trx.raw("greatest(opened_at_ms, ?::bigint)", [Math.round(atMs)]), resolution } as never)
    .returning("*");
  return row === undefined ? null : readRow({ ...row, name: target.name });
}

/** One page, and how many there are in all. */
export async function listIncidents(
  db: Database,
  query: IncidentQuery,
): Promise<{ incidents: IncidentInit[]; total: number }> {
  const { rows, total } = await listIncidentRows<NamedRow>(db, { table: "monitors", column: "monitor_id" }, query);
  return { incidents: rows.map(readRow), total };
}
