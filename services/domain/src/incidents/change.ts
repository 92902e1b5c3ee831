import type { AuditAction } from "@sonde/proto/http/audit";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { IncidentAction } from "@sonde/proto/rpc/incidents";
import { randomUUID } from "node:crypto";
import { record } from "../audit.ts";
import { clipText } from "@sonde/kit/clip";
import { AppError } from "@sonde/kit/errors";
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
/** Only the newest are stored. */
const maxActions = 20;

type Change = {
  change: UserChange;
  columns: Partial<
    Record<"acknowledged_at_ms" | "acknowledged_by" | "note" | "snoozed_until_ms" | "snoozed_by", unknown>
  >;
  actions?: readonly IncidentAction[];
};

type Doing = {
  id: string;
  action: AuditAction;
  by: string;
  /** The author is anonymous. */
  isByLink?: boolean | undefined;
};

/** Time to undo an action of a link: a minute, and some for the request. */
const undoMs = 75_000;
const maxUndone = 3;

/**
 * The anonymous user of a link can undo only their own action, shortly after it and a few times, because each change
 * may notify channels.
 * @throws AppError impossible
 */
export function checkUndoByLink(
  doneBy: string | null,
  doneAtMs: number,
  { by, atMs, actions }: { by: string; atMs: number; actions: readonly IncidentAction[] },
): void {
  const undone = actions.filter(({ type }) => type === "unacknowledged" || type === "snooze_ended").length;
  const isRecent = atMs - doneAtMs <= undoMs;
  if (doneBy !== authorOf(by) || !isRecent || undone >= maxUndone)
    throw new AppError("impossible", "This can no longer be undone");
}

export function authorOf(by: string): string {
  if (by === "") throw new Error("an incident change needs an author");
  return clipText(by, maxNameBytes);
}

/** Returns everyone who acknowledged an incident since it was last unacknowledged. */
export function acknowledgersOf({ acknowledgedBy }: IncidentRow, actions: readonly IncidentAction[]): string[] {
  if (acknowledgedBy === null) return [];
  const since = actions.findLastIndex(({ type }) => type === "unacknowledged") + 1;
  const others = actions.slice(since).flatMap(({ type, by }) => (type === "acknowledged" ? [by] : []));
  return [...new Set([...others, acknowledgedBy])];
}

/**
 * Changes an incident, publishes the event and records the audit entry in one transaction.
 * @param decide returns `null` for no change
 * @throws AppError not_found; errors of `decide`
 */
export async function changeIncident(
  db: Database,
  targets: IncidentTargets,
  { id, action, by, isByLink = false }: Doing,
  atMs: number,
  decide: (row: IncidentRow, actions: readonly IncidentAction[]) => Change | null,
): Promise<{ incident: Incident }> {
  return db.transaction(async (trx) => {
    const { name, actions: before, ...known } = await findIncident(trx, targets, id, true);
    const decided = decide(known, before);
    if (decided === null) return { incident: presentIncident(targets, known, name, atMs) };
    const { change, columns, actions = [] } = decided;
    const all = [...before, ...actions].slice(-maxActions);
    const [row = known] = await trx("incidents")
      .where({ id: known.id })
      .update({
        ...columns,
        revision: known.revision + 1,
        actions: JSON.stringify(all),
      })
      .returning<IncidentRow[]>(trx.raw(incidentColumns));
    const event = `${targets.idPrefix}${row.id}:${change}:${randomUUID()}`;
    const message = { ...incidentMessage(targets, row, name), acknowledgers: acknowledgersOf(row, all) };
    await publishIncident(trx, { id: event, atMs, change, incident: message });
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
