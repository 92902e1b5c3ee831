import { slices } from "@sonde/kit/concurrency/slices";
import { type PublicIncident, shownDays } from "@sonde/proto/http/status/status";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Context } from "../context.ts";
import {
  type StoredAnnouncement,
  type StoredUpdate,
  listPublic,
  newestUpdates,
  updatesBefore,
  announcedOf,
  isoInstant,
} from "../announcements/store.ts";
import { dayMs } from "./days.ts";
import { type DisplayNames, idsOf, named, targetsOf } from "../collect/targets.ts";
import { render } from "../announcements/rendering.ts";

const maxIncidents = 100;
/**
 * For texts and HTML together: the snapshot must fit into one bus message (1 MiB) even if it does not compress. Beyond
 * it, older updates and then post-mortems are left out.
 */
const maxBytes = 500_000;

export type PublicIncidentsInput = {
  slug: string;
  shown: readonly TargetRef[];
  names: DisplayNames;
  config: Pick<StatusConfig, "showIncidents">;
  maintenance: Pick<MaintenanceWatch, "at">;
  nowMs: number;
  /** The previous result, which is used for automatic incidents of an unavailable producer. */
  last?: readonly PublicIncident[];
};

/**
 * Returns the page's incidents of 90 days: announcements and, unless disabled, automatic incidents of monitors and
 * agents. An announcement at the same time about the same target replaces the automatic incident. Open ones first, then
 * newest, at most 100, each with only the targets on the page.
 * @throws if PostgreSQL is unavailable
 */
export async function publicIncidents(
  ctx: Pick<Context, "db" | "sources" | "log">,
  input: PublicIncidentsInput,
): Promise<PublicIncident[]> {
  const sinceMs = input.nowMs - shownDays * dayMs;
  const [announcements, automatic] = await Promise.all([
    listPublic(ctx.db, { ...input, sinceMs, limit: maxIncidents }),
    input.config.showIncidents ? automaticIncidents(ctx, { ...input, sinceMs }) : [],
  ]);
  const announced = announcements.map((announcement) => presentAnnounced(announcement, input.names));
  const others = automatic.filter((incident) => !announcements.some((one) => covers(one, incident, input.nowMs)));
  const chosen = [...announced, ...others].toSorted(openThenNewest).slice(0, maxIncidents);
  await addTexts(ctx, announcements, new Map(chosen.map((incident) => [incident.id, incident])));
  return chosen;
}

/** Same target, overlapping time, and not resolved while the incident is open. */
function covers(
  { monitorIds, agentIds, createdAtMs, resolvedAtMs }: StoredAnnouncement,
  { targets, openedAt, closedAt }: PublicIncident,
  nowMs: number,
): boolean {
  if (resolvedAtMs !== null && closedAt === undefined) return false;
  const isAbout = targets.every(({ type, id }) => (type === "monitor" ? monitorIds : agentIds).includes(id));
  const endMs = closedAt === undefined ? nowMs : Date.parse(closedAt);
  return isAbout && Date.parse(openedAt) <= (resolvedAtMs ?? nowMs) && endMs >= createdAtMs;
}

const openThenNewest = (one: PublicIncident, other: PublicIncident) =>
  Number(one.closedAt !== undefined) - Number(other.closedAt !== undefined) ||
  Date.parse(other.openedAt) - Date.parse(one.openedAt);

function presentAnnounced(announcement: StoredAnnouncement, names: DisplayNames): PublicIncident {
  const { id, title, impact, state, monitorIds, agentIds, createdAtMs, resolvedAtMs } = announcement;
  return {
    id: `p${id}`,
    title,
    kind: "announced",
    impact,
    state,
    targets: named(targetsOf(monitorIds, agentIds), names),
    openedAt: isoInstant(createdAtMs),
    closedAt: resolvedAtMs === null ? undefined : isoInstant(resolvedAtMs),
    updates: [],
  };
}

/** Stays within the size limit: current texts first, so a long announcement does not displace others. */
async function addTexts(
  { db }: Pick<Context, "db">,
  announcements: readonly StoredAnnouncement[],
  shown: ReadonlyMap<string, PublicIncident>,
): Promise<void> {
  const pause = slices();
  let bytes = 0;
  const rendered = async (text: string) => {
    await pause();
    if (bytes + Buffer.byteLength(text) > maxBytes) return null;
    const html = await render(text);
    const weight = Buffer.byteLength(text) + Buffer.byteLength(html);
    if (bytes + weight > maxBytes) return null;
    bytes += weight;
    return { text, html };
  };
  const addUpdates = async (incident: PublicIncident, updates: readonly StoredUpdate[]) => {
    for (const { text, atMs, state } of updates) {
      const words = await rendered(text);
      if (words === null) return false;
      incident.updates.push({ at: isoInstant(atMs), state, ...words });
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

type AutomaticInput = PublicIncidentsInput & {
  /** Incidents that were open at this time or later; epoch milliseconds. */
  sinceMs: number;
};

const producers = [
  { scope: "monitors", type: "monitor", kinds: ["down", "slow", "external"], prefix: "m" },
  { scope: "agents", type: "agent", kinds: ["offline"], prefix: "a" },
] as const;

/** Per kind. More than are shown, because incidents hidden by maintenance or announcements may come first. */
const maxRequested = 400;
const timeoutMs = 5000;

/**
 * Returns incidents that monitors and agents opened for targets on the page, without cause and note. Leaves out
 * announced ones, and those that opened and closed within their target's maintenance. Those of an unavailable producer
 * are taken from `last`.
 */
async function automaticIncidents(
  ctx: Pick<Context, "db" | "sources" | "log">,
  input: AutomaticInput,
): Promise<PublicIncident[]> {
  const found = await Promise.all(
    producers.map(async (producer) => {
      try {
        return await listOf(ctx, input, producer);
      } catch (error) {
        ctx.log.debug({ err: error, producer: producer.scope }, "querying incidents failed; keeping the last ones");
        return (input.last ?? []).filter(({ id }) => id.startsWith(producer.prefix));
      }
    }),
  );
  const listed = found
    .flat()
    .map((incident) => ({ ...incident, targets: named(incident.targets, input.names) }))
    .filter(({ targets }) => targets.length > 0);
  const announced = await announcedOf(
    ctx.db,
    listed.map(({ id }) => id),
    input,
  );
  return listed.filter(({ id }) => !announced.has(id));
}

type Producer = (typeof producers)[number];

async function listOf(
  { sources }: Pick<Context, "sources">,
  input: AutomaticInput,
  { scope, type, kinds }: Producer,
): Promise<PublicIncident[]> {
  const targetIds = idsOf(input.shown, type);
  if (targetIds.length === 0) return [];
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const filter = { targetIds, kind, sort: "-closedAt" } as const;
      const request = { filter, limit: maxRequested, uncounted: true };
      const { incidents } = await sources.incidents.listIncidents(request, { scope, timeoutMs });
      // Only critical alerts of other systems are shown: they mean that the target is down.
      const shownKind = kind === "external" ? "down" : kind;
      return incidents
        .map(({ incident }) => incident)
        .filter(({ severity = "critical" }) => severity === "critical")
        .filter((incident) => closedMs(incident, input.nowMs) >= input.sinceMs)
        .filter((incident) => !isWithinMaintenance(incident, type, input))
        .map(({ id, target, openedAt, closedAt }) => {
          return { id, kind: shownKind, targets: [{ type, id: target.id, name: "" }], openedAt, closedAt, updates: [] };
        });
    }),
  );
  return found.flat();
}

/** An incident that opens in maintenance is hidden unless it is still open when maintenance ends. */
function isWithinMaintenance(incident: Incident, type: TargetType, { maintenance, nowMs }: AutomaticInput): boolean {
  const span = maintenance.at(type, incident.target.id, Date.parse(incident.openedAt));
  return span !== undefined && closedMs(incident, nowMs) <= span.toMs;
}

const closedMs = ({ closedAt }: Incident, openMs: number) => (closedAt === undefined ? openMs : Date.parse(closedAt));
