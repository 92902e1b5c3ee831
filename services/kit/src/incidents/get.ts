import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { AppError } from "../errors.ts";
import type { Database } from "../postgres/database.ts";
import { presentIncident, type IncidentTargets } from "./store.ts";
import { incidentColumns, type IncidentRow } from "./table.ts";

export type NamedRow = IncidentRow & { name: string };

const maxId = 2_147_483_647;

/** One incident with its target's name. @throws AppError not_found */
export async function getIncident(
  db: Database,
  targets: IncidentTargets,
  { id }: { id: string },
): Promise<{ incident: Incident }> {
  const row = await findIncident(db, targets, id);
  return { incident: presentIncident(targets, row, row.name) };
}

/** The row of an incident that is named as people see it (`m12`). @throws AppError not_found */
export async function findIncident(db: Database, { table, idPrefix }: IncidentTargets, id: string): Promise<NamedRow> {
  const number =
    id.startsWith(idPrefix) && /^\d{1,10}$/.test(id.slice(idPrefix.length)) ? id.slice(idPrefix.length) : "";
  const wanted = number === "" || Number(number) > maxId ? null : Number(number);
  const row = await db("incidents")
    .join(table, `${table}.id`, "incidents.target_id")
    .where("incidents.id", wanted)
    .select<NamedRow[]>(db.raw(incidentColumns), `${table}.name`)
    .first();
  if (row === undefined) throw new AppError("not_found", "Incident does not exist");
  return row as NamedRow;
}
