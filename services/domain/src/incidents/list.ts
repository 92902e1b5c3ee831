import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { IncidentFilter, IncidentMarks, IncidentsPage } from "@sonde/proto/rpc/incidents";
import type { Database } from "@sonde/kit/postgres/database";
import { presentIncident, type IncidentTargets } from "./store.ts";
import { incidentColumns, type IncidentRow, orders } from "./table.ts";

const maxRows = 400;
const maxMarks = 256;
const maxTargets = 1000;
// PostgreSQL's largest integer; no id is greater.
const maxId = 2_147_483_647;

/** Lists incidents after a cursor, as of an instant. */
export async function listIncidents(
  db: Database,
  targets: IncidentTargets,
  { filter, after, limit, uncounted }: IncidentsPage,
  nowMs: number,
): Promise<{ incidents: { incident: Incident; rank: number }[]; total: number; last?: string | undefined }> {
  const list = listOf(db, targets, filter);
  const wanted = list.after(after, true).select(db.raw(incidentColumns), `${targets.table}.name`, list.rank);
  const [rows, total] = await Promise.all([
    wanted.orderByRaw(list.order).limit(Math.min(maxRows, limit)) as unknown as Promise<
      (IncidentRow & { name: string; rank: number })[]
    >,
    uncounted ? 0 : list.total(),
  ]);
  const incidents = rows.map((row) => ({ incident: presentIncident(targets, row, row.name, nowMs), rank: row.rank }));
  const last = rows.at(-1);
  return { incidents, total, last: last && cursorOf(last) };
}

/** Cursors after every n-th incident. The database reads only keys for the rows between. */
export async function listIncidentMarks(
  db: Database,
  targets: IncidentTargets,
  { filter, after, every }: IncidentMarks,
): Promise<{ marks: { rank: number; cursor: string }[]; total: number }> {
  const list = listOf(db, targets, filter);
  const numbered = list
    .after(after)
    .select("incidents.id", list.rank, db.raw(`row_number() over (order by ${list.order}) as number`))
    .orderByRaw(list.order)
    .limit(every * maxMarks);
  const [rows, total] = await Promise.all([
    db.from(numbered.as("numbered")).whereRaw("number % ? = 0", [every]).orderBy("number").select("id", "rank"),
    list.total(),
  ]);
  return { marks: rows.map((row) => ({ rank: row.rank, cursor: cursorOf(row) })), total };
}

/** SQL equivalent of `withoutOutput` in proto, for English causes. */
const causeWithoutOutput = String.raw`regexp_replace(incidents.cause, '^(The job (reported a failure|ended with exit code -{0,1}\d+)): .*$', '\1')`;

const cursorOf = ({ rank, id }: { rank: number; id: number }): string => `${rank}_${id}`;

function listOf(db: Database, { table }: IncidentTargets, filter: IncidentFilter) {
  const { search = "", sort = "", kind, open, targetId, targetIds = [], ids, acknowledged, hideOutput } = filter;
  const { rank, tie } = orders[sort];
  /** Joins the targets only to search by name, because counting all rows with a join is slow. */
  const rows = (withTarget = search !== "") => {
    const wanted = db("incidents");
    if (withTarget) wanted.join(table, `${table}.id`, "incidents.target_id");
    const like = `%${search.replaceAll("\0", "").replace(/[\\%_]/g, "\\$&")}%`;
    const cause = hideOutput === true ? causeWithoutOutput : "incidents.cause";
    if (search !== "") wanted.whereRaw(`(??.name ilike ? or ${cause} ilike ?)`, [table, like, like]);
    if (open === true) wanted.whereNull("closed_at_ms");
    if (open === false) wanted.whereNotNull("closed_at_ms");
    if (acknowledged === true) wanted.whereNotNull("acknowledged_at_ms");
    if (acknowledged === false) wanted.whereNull("acknowledged_at_ms");
    if (targetId !== undefined) wanted.where("incidents.target_id", targetId > maxId ? null : targetId);
    if (targetIds.length > 0) {
      const known = targetIds.slice(0, maxTargets).filter((id) => id <= maxId);
      wanted.whereRaw("incidents.target_id = any(?)", [known]);
    }
    if (ids !== undefined) wanted.whereRaw("incidents.id = any(?)", [ids.filter((id) => id <= maxId)]);
    if (kind !== undefined) wanted.where("incidents.kind", kind);
    return wanted;
  };
  return {
    rank: db.raw(`${rank} as rank`),
    order: `${rank}, ${tie}`,
    after: (cursor: string, withTarget?: true) => {
      if (cursor === "") return rows(withTarget);
      const [, lastRank, lastId] = /^(-?\d{1,16})_(\d{1,10})$/.exec(cursor) ?? [];
      if (lastRank === undefined) throw new Error("invalid cursor");
      const last = tie.startsWith("-") ? -Number(lastId) : Number(lastId);
      return rows(withTarget).whereRaw(`(${rank}, ${tie}) > (?::bigint, ?::int)`, [lastRank, last]);
    },
    total: async () => (await rows().count<{ count: number }[]>("* as count").first())?.count ?? 0,
  };
}
