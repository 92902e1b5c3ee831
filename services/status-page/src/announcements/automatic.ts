import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { PublicIncident } from "@sonde/proto/http/status/status";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { Context } from "../context.ts";
import { announcedOf } from "./store.ts";

/** When a target is in maintenance; kit's `watchMaintenance` knows. */
export type Covering = {
  at(type: TargetType, id: number, atMs: number): { fromMs: number; toMs: number } | undefined;
};

type AutomaticInput = {
  shown: readonly { type: TargetType; id: number }[];
  names: { of(type: TargetType, id: number): string | null };
  maintenance: Covering;
  nowMs: number;
  /** Those that were open then, or later; epoch milliseconds. */
  sinceMs: number;
  last?: readonly PublicIncident[];
};

const producers = [
  { scope: "monitors", type: "monitor", kind: "down", prefix: "m" },
  { scope: "agents", type: "agent", kind: "offline", prefix: "a" },
] as const;

/** The most incidents that a producer returns: many hidden by maintenance, or announced, may precede others. */
const mostAsked = 400;
const timeoutMs = 5000;

/**
 * Incidents that monitors and agents opened, for targets that the page shows, without cause and note. Announced ones
 * are left out, and those that opened and closed within their target's maintenance. Those of an unavailable producer
 * are taken from `last`.
 */
export async function automaticIncidents(
  ctx: Pick<Context, "db" | "sources" | "log">,
  input: AutomaticInput,
): Promise<PublicIncident[]> {
  const found = await Promise.all(
    producers.map(async (producer) => {
      try {
        return await listOf(ctx, input, producer);
      } catch (error) {
        ctx.log.debug({ err: error, producer: producer.scope }, "incidents cannot be asked for: the last ones stay");
        return (input.last ?? []).filter(({ id }) => id.startsWith(producer.prefix));
      }
    }),
  );
  const listed = found.flat().flatMap((incident) => renamed(incident, input) ?? []);
  const announced = await announcedOf(
    ctx.db,
    listed.map(({ id }) => id),
  );
  return listed.filter(({ id }) => !announced.has(id));
}

type Producer = (typeof producers)[number];

/** The last to close first, open ones before all. */
async function listOf(
  { sources }: Pick<Context, "sources">,
  input: AutomaticInput,
  { scope, type, kind }: Producer,
): Promise<PublicIncident[]> {
  const targetIds = input.shown.flatMap((target) => (target.type === type ? [target.id] : []));
  if (targetIds.length === 0) return [];
  const filter = { targetIds, kind, sort: "-closedAt" } as const;
  const { incidents } = await sources.incidents.listIncidents(
    { filter, limit: mostAsked, uncounted: true },
    { scope, timeoutMs },
  );
  return incidents
    .map(({ incident }) => incident)
    .filter((incident) => closedMs(incident, input.nowMs) >= input.sinceMs)
    .filter((incident) => !isWithinMaintenance(incident, type, input))
    .map((incident) => present(incident, type, kind));
}

/** What began within maintenance belongs to it, until it is still there at the maintenance's end. */
function isWithinMaintenance(incident: Incident, type: TargetType, { maintenance, nowMs }: AutomaticInput): boolean {
  const span = maintenance.at(type, incident.target.id, Date.parse(incident.openedAt));
  return span !== undefined && closedMs(incident, nowMs) <= span.toMs;
}

/** When it closed, or the substitute while it is open. */
const closedMs = ({ closedAt }: Incident, openMs: number) => (closedAt === undefined ? openMs : Date.parse(closedAt));

const present = (incident: Incident, type: TargetType, kind: "down" | "offline"): PublicIncident => ({
  id: incident.id,
  kind,
  targets: [{ type, id: incident.target.id, name: "" }],
  openedAt: incident.openedAt,
  closedAt: incident.closedAt,
  updates: [],
});

/** Under the names that the page has; null: it does not show that target. */
function renamed(incident: PublicIncident, { names }: AutomaticInput): PublicIncident | null {
  const targets = incident.targets.flatMap((target) => {
    const name = names.of(target.type, target.id);
    return name === null ? [] : [{ ...target, name }];
  });
  return targets.length === 0 ? null : { ...incident, targets };
}
