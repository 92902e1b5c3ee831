import type { MessageInitShape } from "@bufbuild/protobuf";
import { oneOf } from "@sonde/kit/one-of";
import type { AnnouncementSchema } from "@sonde/proto/gen/status/v1/status";
import { type Impact, impacts, type UpdateState, updateStates } from "@sonde/proto/http/status/status";

export type Update = { id: number; state: UpdateState; /** Markdown. */ text: string; atMs: number };

/** An announcement about an incident. Instants are epoch milliseconds. */
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

const readImpact = oneOf(impacts, "impact");
const readState = oneOf(updateStates, "state of an announcement");

export type AnnouncementRow = Omit<StoredAnnouncement, "impact" | "state"> & { impact: string; state: string };
export type UpdateRow = Omit<Update, "state"> & { state: string };

export const readAnnouncement = (row: AnnouncementRow): StoredAnnouncement => ({
  ...row,
  impact: readImpact(row.impact),
  state: readState(row.state),
});
export const readUpdate = (row: UpdateRow): Update => ({ ...row, state: readState(row.state) });

/** @param updates oldest first */
export function presentAnnouncement(
  announcement: StoredAnnouncement,
  updates: Update[],
): MessageInitShape<typeof AnnouncementSchema> {
  const { monitorIds, agentIds, incidentId, postMortem, resolvedAtMs, ...rest } = announcement;
  const refs = [...monitorIds.map((id) => ({ type: "monitor", id })), ...agentIds.map((id) => ({ type: "agent", id }))];
  return {
    ...rest,
    targets: { values: refs },
    incidentId: incidentId ?? undefined,
    postMortem: postMortem ?? undefined,
    resolvedAtMs: resolvedAtMs ?? undefined,
    updates,
  };
}
