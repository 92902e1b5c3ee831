import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Acknowledgement } from "@sonde/proto/rpc/incidents";
import { randomUUID } from "node:crypto";
import { clipText } from "../clip.ts";
import { invalid } from "../errors.ts";
import type { Database } from "../postgres/database.ts";
import { findIncident, presentIncident, publishIncident, readIncident, type IncidentTargets } from "./store.ts";
import { incidentColumns, type IncidentRow } from "./table.ts";

const longestNameBytes = 400;

/**
 * Acknowledges an incident, open or closed, and publishes the change. One already acknowledged keeps its instant;
 * another note replaces the note and its author. Without a change nothing is published.
 * @param by author; cut at 400 bytes
 * @param isByLink the author used a link and is anonymous: their note replaces no other author's, so a leaked link
 * changes an incident at most twice. They may still add a note to an acknowledgement of the same `by`
 * @param atMs now, epoch ms
 * @throws AppError not_found; invalid where the note cannot be stored
 */
export async function acknowledgeIncident(
  db: Database,
  targets: IncidentTargets,
  { id, note = "", by, isByLink = false }: Acknowledgement & { by: string; isByLink?: boolean },
  atMs: number,
): Promise<{ incident: Incident }> {
  if (by === "") throw new Error("an acknowledgement by nobody");
  const given = readNote(note);
  const author = clipText(by, longestNameBytes);
  return db.transaction(async (trx) => {
    const known = await findIncident(trx, targets, id);
    const [row] = await trx("incidents")
      .where({ id: known.id })
      .whereRaw(
        `(acknowledged_at_ms is null or (
          :given::text <> '' and note is distinct from :given::text
          and (not :isByLink::boolean or (note is null and acknowledged_by = :author::text))
        ))`,
        { given, isByLink, author },
      )
      .update({
        acknowledged_at_ms: trx.raw("coalesce(acknowledged_at_ms, ?::bigint)", [Math.round(atMs)]),
        acknowledged_by: author,
        note: trx.raw("coalesce(nullif(?::text, ''), note)", [given]),
      })
      .returning<IncidentRow[]>(trx.raw(incidentColumns));
    // Another caller may have been first since it was read.
    if (row === undefined) {
      const settled = await findIncident(trx, targets, id);
      return { incident: presentIncident(targets, settled, settled.name) };
    }
    const incident = readIncident(targets, row, known.name);
    const event = `${targets.idPrefix}${row.id}:acknowledged:${randomUUID()}`;
    await publishIncident(trx, { id: event, atMs, change: "acknowledged", incident });
    return { incident: presentIncident(targets, row, known.name) };
  });
}

/** @throws AppError invalid */
function readNote(note: string): string {
  // PostgreSQL keeps neither NUL nor half a surrogate pair.
  if (note.includes("\0") || !note.isWellFormed())
    throw invalid([{ path: "note", message: "This value is not valid" }]);
  return note.trim();
}
