import type { MessageInitShape } from "@bufbuild/protobuf";
import type { TargetRefsSchema } from "@sonde/proto/gen/events/v1/events";
import type { Announcement as AnnouncementMessage } from "@sonde/proto/gen/status/v1/status";
import type { Announcement } from "@sonde/proto/http/status/announcements";
import { instantOf, instantOrNone } from "./instant.ts";
import { readImpact, readUpdateState } from "./unions.ts";

export function presentAnnouncement(announcement: AnnouncementMessage): Announcement {
  const { id, title, impact, targets, incidentId, state, postMortem } = announcement;
  const idsOf = (type: string) => (targets?.values ?? []).filter((ref) => ref.type === type).map((ref) => ref.id);
  return {
    id,
    title,
    impact: readImpact(impact),
    monitors: idsOf("monitor"),
    agents: idsOf("agent"),
    incidentId,
    state: readUpdateState(state),
    updates: announcement.updates.map((update) => ({
      id: update.id,
      state: readUpdateState(update.state),
      text: update.text,
      at: instantOf(update.atMs),
    })),
    postMortem,
    createdAt: instantOf(announcement.createdAtMs),
    updatedAt: instantOf(announcement.updatedAtMs),
    resolvedAt: instantOrNone(announcement.resolvedAtMs),
  };
}

/** What an announcement names, as status-page takes it. */
export const targetRefsOf = (named: {
  monitors: readonly number[];
  agents: readonly number[];
}): MessageInitShape<typeof TargetRefsSchema> => ({
  values: [
    ...named.monitors.map((id) => ({ type: "monitor", id })),
    ...named.agents.map((id) => ({ type: "agent", id })),
  ],
});
