import type { Announcement } from "@sonde/proto/http/status/announcements";
import type { Impact, UpdateState } from "@sonde/proto/http/status/status";

export type StoredUpdate = { id: number; state: UpdateState; /** Markdown. */ text: string; atMs: number };

/** A row of `announcements`. Instants are epoch milliseconds. */
export type StoredAnnouncement = {
  id: number;
  title: string;
  impact: Impact;
  monitorIds: number[];
  agentIds: number[];
  /** The automatic incident that it is about: m12, a3. */
  incidentId: string | null;
  state: UpdateState;
  /** Markdown. */
  postMortem: string | null;
  createdAtMs: number;
  updatedAtMs: number;
  /** Null: it is open. */
  resolvedAtMs: number | null;
};
export type Fields = Pick<StoredAnnouncement, "title" | "impact" | "monitorIds" | "agentIds" | "incidentId">;

/** An announcement as users see it. @param updates oldest first */
export function presentAnnouncement(
  { monitorIds, agentIds, createdAtMs, updatedAtMs, resolvedAtMs, ...rest }: StoredAnnouncement,
  updates: readonly StoredUpdate[],
): Announcement {
  return {
    ...rest,
    monitors: monitorIds,
    agents: agentIds,
    incidentId: rest.incidentId ?? undefined,
    postMortem: rest.postMortem ?? undefined,
    updates: updates.map(({ id, state, text, atMs }) => ({ id, state, text, at: instantOf(atMs) })),
    createdAt: instantOf(createdAtMs),
    updatedAt: instantOf(updatedAtMs),
    resolvedAt: resolvedAtMs === null ? undefined : instantOf(resolvedAtMs),
  };
}

const instantOf = (atMs: number) => new Date(atMs).toISOString();
