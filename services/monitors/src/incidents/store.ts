import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Database } from "@sonde/kit/postgres";
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

export type IncidentQuery = {
  page: number;
  pageSize: number;
  search: string;
  sort: string;
  open: boolean | undefined;
  monitorId: number | undefined;
};

const sorts: Readonly<Record<string, string>> = { openedAt: "opened_at_ms", closedAt: "closed_at_ms" };

/** One page, in a stable order, and how many there are in all. An open incident counts as the last to close. */
export async function listIncidents(
  db: Database,
  query: IncidentQuery,
): Promise<{ incidents: IncidentInit[]; total: number }> {
  const wanted = () => {
    const rows = db<NamedRow>("incidents").join("monitors", "monitors.id", "incidents.monitor_id");
    const like = `%${query.search.replaceAll("\0", "").replace(/[\\%_]/g, "\\$&")}%`;
    if (query.search !== "") rows.whereRaw("(monitors.name ilike ? or incidents.cause ilike ?)", [like, like]);
    if (query.open === true) rows.whereNull("closed_at_ms");
    if (query.open === false) rows.whereNotNull("closed_at_ms");
    if (query.monitorId !== undefined) rows.where("monitor_id", query.monitorId);
    return rows;
  };
  const descending = query.sort === "" || query.sort.startsWith("-");
  const column = sorts[query.sort.replace(/^-/, "")] ?? "opened_at_ms";
  const order = descending ? `${column} desc nulls first, incidents.id desc` : `${column} asc nulls last, incidents.id`;
  const [rows, counted] = await Promise.all([
    wanted()
      .select<NamedRow[]>("incidents.*", "monitors.name")
      .orderByRaw(order)
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize),
    wanted().count<{ count: number }[]>("* as count").first(),
  ]);
  return { incidents: rows.map(readRow), total: counted?.count ?? 0 };
}

export async function countOpenIncidents(db: Database): Promise<number> {
  const row = await db("incidents").whereNull("closed_at_ms").count("* as count").first();
  return Number(row?.count ?? 0);
}
