import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Acknowledgement, IncidentAction } from "@sonde/proto/rpc/incidents";
import { invalid } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { acknowledgersOf, authorOf, changeIncident, checkUndoByLink } from "./change.ts";
import type { IncidentTargets } from "./store.ts";
import type { IncidentRow } from "./table.ts";

/** As many as a step of a policy can need, so a leaked link cannot fill the history. */
const maxAcknowledgers = 5;

/**
 * An acknowledged incident keeps its time; a different note replaces the note and its author. Others can acknowledge it
 * too, because a policy may need several. If nothing changes, nothing is published.
 * @param by author; cut at 400 bytes
 * @param isByLink the author is anonymous: their note cannot replace another author's, so a leaked link can change an
 * acknowledgement at most twice. They may add a note to an acknowledgement of the same `by`.
 * @throws AppError not_found; invalid if the note cannot be stored
 */
export async function acknowledgeIncident(
  db: Database,
  targets: IncidentTargets,
  { id, note = "", by, isByLink = false }: Acknowledgement & { by: string; isByLink?: boolean },
  atMs: number,
): Promise<{ incident: Incident }> {
  const author = authorOf(by);
  const given = readNote(note);
  const doing = { id, action: "acknowledge", by: author, isByLink } as const;
  return changeIncident(db, targets, doing, atMs, (row, actions) => {
    const { acknowledgedAtMs, acknowledgedBy, note: before } = row;
    const mayNote = !isByLink || (before === null && acknowledgedBy === author);
    const isNoted = given !== "" && given !== before && mayNote;
    const known = acknowledgersOf(row, actions);
    const isAnother = !known.includes(author) && known.length < maxAcknowledgers;
    if (acknowledgedAtMs !== null && !isNoted) {
      const action = { at: new Date(atMs).toISOString(), type: "acknowledged" as const, by: author };
      return isAnother ? { change: "acknowledged", columns: {}, actions: [action] } : null;
    }
    const isReplaced = acknowledgedAtMs !== null && acknowledgedBy !== author;
    return {
      change: "acknowledged",
      actions: isReplaced ? [acknowledgementOf(row)] : [],
      columns: {
        acknowledged_at_ms: acknowledgedAtMs ?? Math.round(atMs),
        acknowledged_by: author,
        note: given === "" ? before : given,
      },
    };
  });
}

const acknowledgementOf = ({ acknowledgedAtMs, acknowledgedBy, note }: IncidentRow): IncidentAction => ({
  at: new Date(acknowledgedAtMs ?? 0).toISOString(),
  type: "acknowledged",
  by: acknowledgedBy ?? "",
  note: note ?? undefined,
});

function readNote(note: string): string {
  // PostgreSQL cannot store NUL or lone surrogates.
  if (note.includes("\0") || !note.isWellFormed())
    throw invalid([{ path: "note", message: "This value is not valid" }]);
  return note.trim();
}

/**
 * Removes the acknowledgement with its note; the history keeps both.
 * @throws AppError not_found; impossible if a link may not undo it
 */
export const unacknowledgeIncident = (
  db: Database,
  targets: IncidentTargets,
  { id, by, isByLink = false }: { id: string; by: string; isByLink?: boolean },
  atMs: number,
): Promise<{ incident: Incident }> =>
  changeIncident(db, targets, { id, action: "unacknowledge", by, isByLink }, atMs, (row, actions) => {
    const { acknowledgedAtMs, acknowledgedBy } = row;
    if (acknowledgedAtMs === null) return null;
    if (isByLink) checkUndoByLink(acknowledgedBy, acknowledgedAtMs, { by, atMs, actions });
    return {
      change: "unacknowledged",
      columns: { acknowledged_at_ms: null, acknowledged_by: null, note: null },
      actions: [acknowledgementOf(row), { at: new Date(atMs).toISOString(), type: "unacknowledged", by: authorOf(by) }],
    };
  });
