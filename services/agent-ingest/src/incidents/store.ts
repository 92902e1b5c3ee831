import type { MessageInitShape } from "@bufbuild/protobuf";
import { type IncidentQuery, listIncidentRows } from "@sonde/kit/incidents/list";
import type { Database } from "@sonde/kit/postgres/database";
import type { IncidentResolution } from "@sonde/proto/http/incidents";
import type { IncidentSchema } from "@sonde/proto/gen/events/v1/events";

export type IncidentInit = MessageInitShape<typeof IncidentSchema>;
export type AgentIncidentKind = "offline" | "threshold";

type IncidentRow = {
  id: number;
  agent_id: number;
  kind: AgentIncidentKind;
  metric: string;
  cause: string;
  opened_at_ms: number;
  closed_at_ms: number | null;
  resolution: string | null;
  flaps: number;
};
type NamedRow = IncidentRow & { name: string };

function readRow(row: NamedRow): IncidentInit {
  return {
    id: `a${row.id}`,
    targetType: "agent",
    targetId: row.agent_id,
    targetName: row.name,
    kind: row.kind,
    ...(row.metric === "" ? {} : { metric: row.metric }),
    cause: row.cause,
    openedAtMs: row.opened_at_ms,
    flaps: row.flaps,
    ...(row.closed_at_ms === null ? {} : { closedAtMs: row.closed_at_ms }),
    ...(row.resolution === null ? {} : { resolution: row.resolution }),
  };
}

type Target = { id: number; name: string };
/** What can be open once of an agent; `metric` is empty of offline. */
export type Subject = { kind: AgentIncidentKind; metric: string };

/** Opens; null where one is open. */
export async function openIncident(
  trx: Database,
  target: Target,
  { kind, metric, cause }: Subject & { cause: string },
  atMs: number,
): Promise<IncidentInit | null> {
  const [row] = await trx<IncidentRow>("incidents")
    .insert({ agent_id: target.id, kind, metric, cause, opened_at_ms: Math.round(atMs) })
    .onConflict(trx.raw("(agent_id, kind, metric) where closed_at_ms is null"))
    .ignore()
    .returning("*");
  return row === undefined ? null : readRow({ ...row, name: target.name });
}

/** Counts that this subject failed again while its incident was open. */
export async function countFlap(trx: Database, { id }: Target, subject: Subject): Promise<void> {
  await trx("incidents")
    .where({ agent_id: id, ...subject })
    .whereNull("closed_at_ms")
    .increment("flaps", 1);
}

/** Closes what is open of an agent, or of this subject alone. */
export async function closeIncidents(
  trx: Database,
  target: Target,
  subject: Subject | null,
  resolution: IncidentResolution,
  atMs: number,
): Promise<IncidentInit[]> {
  const rows = await trx<IncidentRow>("incidents")
    .where({ agent_id: target.id, ...subject })
    .whereNull("closed_at_ms")
    .update({ closed_at_ms: trx.raw("greatest(opened_at_ms, ?::bigint)", [Math.round(atMs)]), resolution } as never)
    .returning("*");
  return rows.map((row) => readRow({ ...row, name: target.name }));
}

/** The metrics of these agents' open threshold incidents. */
export async function openMetrics(db: Database, agentIds: readonly number[]): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  const rows = await db<IncidentRow>("incidents")
    .where({ kind: "threshold" })
    .whereNull("closed_at_ms")
    .whereRaw("agent_id = any(?)", [[...agentIds]]);
  for (const { agent_id, metric } of rows) found.set(agent_id, [...(found.get(agent_id) ?? []), metric]);
  return found;
}

/** One page, and how many there are in all. */
export async function listIncidents(
  db: Database,
  query: IncidentQuery,
): Promise<{ incidents: IncidentInit[]; total: number }> {
  const { rows, total } = await listIncidentRows<NamedRow>(db, { table: "agents", column: "agent_id" }, query);
  return { incidents: rows.map(readRow), total };
}
