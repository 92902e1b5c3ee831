import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Acknowledgement } from "@sonde/proto/rpc/incidents";
import { invalid } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { authorOf, changeIncident } from "./change.ts";
import type { IncidentTargets } from "./store.ts";

/**
 * Acknowledges an incident, open or closed, and publishes the change. One already acknowledged keeps its instant;
 * another note replaces the note and its author. Without a change nothing is published.
 * @param by author; cut at 400 bytes
 * @param isByLink the author used a link and is anonymous: their note replaces no other author's, so a leaked link
 * changes an acknowledgement at most twice. They may still add a note to an acknowledgement of the same `by`
 * @param atMs now, epoch ms
 * @throws AppError not_found; invalid where the note cannot be stored
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
  return changeIncident(db, targets, doing, atMs, ({ acknowledgedAtMs, acknowledgedBy, note: before }) => {
    const mayNote = !isByLink || (before === null && acknowledgedBy === author);
    const isNoted = given !== "" && given !== before && mayNote;
    if (acknowledgedAtMs !== null && !isNoted) return null;
    return {
      change: "acknowledged",
      columns: {
        acknowledged_at_ms: acknowledgedAtMs ?? Math.round(atMs),
        acknowledged_by: author,
        note: given === "" ? before : given,
      },
    };
  });
}

/** @throws AppError invalid */
function readNote(note: string): string {
  // PostgreSQL keeps neither NUL nor half a surrogate pair.
  if (note.includes("\0") || !note.isWellFormed())
    throw invalid([{ path: "note", message: "This value is not valid" }]);
  return note.trim();
}

/**
 * Takes an acknowledgement back, its note too; both are remembered. What is not acknowledged stays as it is.
 * @param atMs now, epoch ms
 * @throws AppError not_found
 */
export const unacknowledgeIncident = (
  db: Database,
  targets: IncidentTargets,
  { id, by }: { id: string; by: string },
  atMs: number,
): Promise<{ incident: Incident }> =>
  changeIncident(db, targets, { id, action: "unacknowledge", by }, atMs, ({ acknowledgedAtMs, acknowledgedBy, note }) =>
    acknowledgedAtMs === null
      ? null
      : {
          change: "unacknowledged",
          columns: { acknowledged_at_ms: null, acknowledged_by: null, note: null },
          actions: [
            {
              at: new Date(acknowledgedAtMs).toISOString(),
              type: "acknowledged",
              by: acknowledgedBy ?? "",
              note: note ?? undefined,
            },
            { at: new Date(atMs).toISOString(), type: "unacknowledged", by: authorOf(by) },
          ],
        },
  );
