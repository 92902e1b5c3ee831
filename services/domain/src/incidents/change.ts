import type { AuditAction } from "@sonde/proto/http/audit";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { IncidentAction } from "@sonde/proto/rpc/incidents";
import { randomUUID } from "node:crypto";
import { record } from "../audit.ts";
import { clipText } from "@sonde/kit/clip";
import type { Database } from "@sonde/kit/postgres/database";
import {
  findIncident,
  type IncidentTargets,
  type UserChange,
  presentIncident,
  publishIncident,
  incidentMessage,
} from "./store.ts";
import { incidentColumns, type IncidentRow } from "./table.ts";

const maxNameBytes = 400;
/** The newest are kept. */
const maxActions = 20;

/** A change of an incident by a user: its event, its new columns, and the actions to keep. */
type Change = {
  change: UserChange;
  columns: Partial<
    Record<"acknowledged_at_ms" | "acknowledged_by" | "note" | "snoozed_until_ms" | "snoozed_by", unknown>
  >;
  actions?: readonly IncidentAction[];
};

/** What is done to an incident, by whom. */
type Doing = {
  id: string;
  action: AuditAction;
  by: string;
  /** The author used a link and is anonymous. */
  isByLink?: boolean | undefined;
};

/** The name of the author of a change, as it is stored. */
export function authorOf(by: string): string {
  if (by === "") throw new Error("a change of an incident without an author");
  return clipText(by, maxNameBytes);
}

/**
 * Changes an incident, publishes that and keeps it in the audit, in one transaction; without a change none of it happens.
 * @param decide what becomes of the row; null: it stays as it is
 * @param atMs now, epoch ms
 * @throws AppError not_found; what `decide` throws
 */
export async function changeIncident(
  db: Database,
  targets: IncidentTargets,
  { id, action, by, isByLink = false }: Doing,
  atMs: number,
  decide: (row: IncidentRow) => Change | null,
): Promise<{ incident: Incident }> {
  return db.transaction(async (trx) => {
    const { name, actions: before, ...known } = await findIncident(trx, targets, id, true);
    const decided = decide(known);
    if (decided === null) return { incident: presentIncident(targets, known, name, atMs) };
    const { change, columns, actions = [] } = decided;
    const [row = known] = await trx("incidents")
      .where({ id: known.id })
      .update({
        ...columns,
        revision: known.revision + 1,
        actions: JSON.stringify([...before, ...actions].slice(-maxActions)),
      })
      .returning<IncidentRow[]>(trx.raw(incidentColumns));
    const event = `${targets.idPrefix}${row.id}:${change}:${randomUUID()}`;
    await publishIncident(trx, { id: event, atMs, change, incident: incidentMessage(targets, row, name) });
    const incident = presentIncident(targets, row, name, atMs);
    await record(trx, targets.service, {
      action,
      target: { type: "incident", id: incident.id, name },
      before: presentIncident(targets, known, name, atMs),
      after: incident,
      by: isByLink ? { username: by } : undefined,
    });
    return { incident };
  });
}
