import { slices } from "@sonde/kit/concurrency/slices";
import { type PublicIncident, shownDays } from "@sonde/proto/http/status/status";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { Context } from "../context.ts";
import { type StoredAnnouncement, type StoredUpdate, listPublic, newestUpdates, updatesBefore } from "./store.ts";
import { automaticIncidents, type Covering } from "./automatic.ts";
import { render } from "./rendering.ts";

const dayMs = 24 * 3_600_000;
const mostIncidents = 100;
/**
 * Texts and HTML of all of them, in bytes: the snapshot is one message of the bus (1 MiB), however little it can be
 * compressed. Older updates, and then post-mortems, are left out beyond.
 */
const mostBytes = 500_000;

/** The page's name of a target; null: it does not show it. */
type TargetNames = { of(type: TargetType, id: number): string | null };

export type PublicIncidentsInput = {
  /** What the page shows. */
  shown: readonly { type: TargetType; id: number }[];
  names: TargetNames;
  config: Pick<StatusConfig, "showIncidents">;
  maintenance: Covering;
  nowMs: number;
  /** The last answer: automatic incidents of an unavailable producer are taken from it. */
  last?: readonly PublicIncident[];
};

/**
 * Incidents as the page shows them: announcements, and automatic incidents of monitors and agents, unless switched off.
 * Open ones first, then the newest; of 90 days, at most 100. Of targets only those that the page shows.
 * @throws if PostgreSQL is unavailable
 */
export async function publicIncidents(
  ctx: Pick<Context, "db" | "sources" | "log">,
  input: PublicIncidentsInput,
): Promise<PublicIncident[]> {
  const sinceMs = input.nowMs - shownDays * dayMs;
  const [announcements, automatic] = await Promise.all([
    listPublic(ctx.db, { sinceMs, limit: mostIncidents }),
    input.config.showIncidents ? automaticIncidents(ctx, { ...input, sinceMs }) : [],
  ]);
  const announced = announcements.map((announcement) => present(announcement, input.names));
  const chosen = [...announced, ...automatic].toSorted(openThenNewest).slice(0, mostIncidents);
  await addTexts(ctx, announcements, new Map(chosen.map((incident) => [incident.id, incident])));
  return chosen;
}

const openThenNewest = (one: PublicIncident, other: PublicIncident) =>
  Number(one.closedAt !== undefined) - Number(other.closedAt !== undefined) ||
  Date.parse(other.openedAt) - Date.parse(one.openedAt);

function present(announcement: StoredAnnouncement, names: TargetNames): PublicIncident {
  const { id, title, impact, state, monitorIds, agentIds, createdAtMs, resolvedAtMs } = announcement;
  const named = (type: TargetType) => (target: number) => {
    const name = names.of(type, target);
    return name === null ? [] : [{ type, id: target, name }];
  };
  return {
    id: `p${id}`,
    title,
    kind: "announced",
    impact,
    state,
    targets: [...monitorIds.flatMap(named("monitor")), ...agentIds.flatMap(named("agent"))],
    openedAt: new Date(createdAtMs).toISOString(),
    closedAt: resolvedAtMs === null ? undefined : new Date(resolvedAtMs).toISOString(),
    updates: [],
  };
}

/**
 * Updates and post-mortems with their HTML, as far as there is room: the current text of each first, so that a long
 * announcement does not displace the others.
 */
async function addTexts(
  { db }: Pick<Context, "db">,
  announcements: readonly StoredAnnouncement[],
  shown: ReadonlyMap<string, PublicIncident>,
): Promise<void> {
  const pause = slices();
  let bytes = 0;
  /** Null: there is no room for it. */
  const rendered = async (text: string) => {
    await pause();
    if (bytes + Buffer.byteLength(text) > mostBytes) return null;
    const html = await render(text);
    const weight = Buffer.byteLength(text) + Buffer.byteLength(html);
    if (bytes + weight > mostBytes) return null;
    bytes += weight;
    return { text, html };
  };
  /** Whether there was room for all of them. */
  const addUpdates = async (incident: PublicIncident, updates: readonly StoredUpdate[]) => {
    for (const { text, atMs, state } of updates) {
      const words = await rendered(text);
      if (words === null) return false;
      incident.updates.push({ at: new Date(atMs).toISOString(), state, ...words });
    }
    return true;
  };
  const listed = announcements.flatMap((announcement) => {
    const incident = shown.get(`p${announcement.id}`);
    return incident === undefined ? [] : [{ announcement, incident }];
  });
  const newest = await newestUpdates(
    db,
    listed.map(({ announcement }) => announcement.id),
  );
  for (const { announcement, incident } of listed) await addUpdates(incident, newest.get(announcement.id) ?? []);
  for (const { announcement, incident } of listed) {
    const [last] = newest.get(announcement.id) ?? [];
    if (last === undefined || incident.updates.length === 0) continue;
    if (!(await addUpdates(incident, await updatesBefore(db, announcement.id, last.id)))) break;
  }
  for (const { announcement, incident } of listed) {
    if (announcement.postMortem !== null) incident.postMortem = (await rendered(announcement.postMortem)) ?? undefined;
  }
}
