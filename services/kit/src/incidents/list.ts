import type { Database } from "../postgres/database.ts";

/** What a list of incidents is asked for; an absent filter leaves nothing out. */
export type IncidentQuery = {
  page: number;
  pageSize: number;
  /** A part of the target's name or of the cause. */
  search: string;
  /** openedAt, closedAt; `-` before it descends. Empty: the newest first. */
  sort: string;
  open: boolean | undefined;
  targetId: number | undefined;
};

/** Whose incidents a schema's table `incidents` holds: the targets' table, and the column that points there. */
export type IncidentTargets = { table: string; column: string };

const sorts: Readonly<Record<string, string>> = { openedAt: "opened_at_ms", closedAt: "closed_at_ms" };
// PostgreSQL's integer; a greater number is nobody's id.
const maxId = 2_147_483_647;

/**
 * One page of a service's incidents, each row with its target's `name`, in a stable order, and how many there are in
 * all. An open incident counts as the last to close.
 */
export async function listIncidentRows<Row extends object>(
  db: Database,
  { table, column }: IncidentTargets,
  query: IncidentQuery,
): Promise<{ rows: Row[]; total: number }> {
  const { search, open, targetId, sort, pageSize } = query;
  if (targetId !== undefined && targetId > maxId) return { rows: [], total: 0 };
  const wanted = () => {
    const rows = db("incidents").join(table, `${table}.id`, `incidents.${column}`);
    const like = `%${search.replaceAll("\0", "").replace(/[\\%_]/g, "\\$&")}%`;
    if (search !== "") rows.whereRaw("(??.name ilike ? or incidents.cause ilike ?)", [table, like, like]);
    if (open === true) rows.whereNull("closed_at_ms");
    if (open === false) rows.whereNotNull("closed_at_ms");
    if (targetId !== undefined) rows.where(`incidents.${column}`, targetId);
    return rows;
  };
  const descending = sort === "" || sort.startsWith("-");
  const sorted = sorts[sort.replace(/^-/, "")] ?? "opened_at_ms";
  const order = descending ? `${sorted} desc nulls first, incidents.id desc` : `${sorted} asc nulls last, incidents.id`;
  const [rows, counted] = await Promise.all([
    wanted()
      .select("incidents.*", `${table}.name`)
      .orderByRaw(order)
      .limit(pageSize)
      .offset((query.page - 1) * pageSize),
    wanted().count<{ count: number }[]>("* as count").first(),
  ]);
  return { rows: rows as Row[], total: counted?.count ?? 0 };
}

/** How many of a service's incidents are open now. */
export async function countOpenIncidents(db: Database): Promise<number> {
  const row = await db("incidents").whereNull("closed_at_ms").count("* as count").first();
  return Number(row?.count ?? 0);
}
