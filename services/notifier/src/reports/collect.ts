import { AppError } from "@sonde/kit/errors";
import { incidentProducers, type Incident } from "@sonde/proto/http/incidents/incidents";
import type { Language } from "@sonde/proto/http/messages";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { withoutOutput } from "@sonde/proto/http/reasons/reasons";
import type { ReportData, ReportedTarget, StepCounts } from "@sonde/proto/http/report-proof";
import { maxReportTargets, type ReportInput } from "@sonde/proto/http/reports";
import type { TargetDays } from "@sonde/proto/rpc/metrics";
import { causeOf } from "../messages/values.ts";
import type { ReportSources } from "./context.ts";
import { periodBefore, type ReportPeriod, stepsOf } from "./periods.ts";

type Scope = Pick<ReportInput, "targets" | "tag" | "pageId">;
/** `interval` and `createdAt` are those of agents. */
export type FoundTarget = TargetRef & { name: string; intervalMs: number; createdAtMs: number };

const keyOf = ({ type, id }: TargetRef) => `${type}:${id}`;
const idsOf = (targets: readonly TargetRef[], wanted: TargetRef["type"]) =>
  targets.flatMap(({ type, id }) => (type === wanted ? [id] : []));
const pageSize = 200;

type Query = { page: number; pageSize: number; ids?: number[]; tag?: string };

/** Reads a list completely; `restIds` are the rest of a page that did not fit into one message. */
async function listAll<Item>(
  ask: (query: Query) => Promise<{ found: Item[]; total: number; restIds: number[] }>,
  wanted: { ids: number[] } | { tag: string },
): Promise<Item[]> {
  const items: Item[] = [];
  const read = async (query: Query) => {
    const { found, total, restIds } = await ask(query);
    items.push(...found);
    if (restIds.length >= pageSize) throw new Error("response contains none of the requested targets");
    if (restIds.length > 0) await read({ page: 1, pageSize, ids: restIds });
    return total;
  };
  if ("ids" in wanted) for (const ids of portions(wanted.ids, pageSize)) await read({ page: 1, pageSize, ids });
  else for (let page = 1; (await read({ page, pageSize, ...wanted })) > page * pageSize; page++);
  return items;
}

function* portions<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** Returns the targets that exist, in the order of a page or list, or by name. @throws AppError `unavailable`, `not_found` */
export async function findTargets(sources: ReportSources, { targets, tag, pageId }: Scope): Promise<FoundTarget[]> {
  const page = pageId === undefined ? undefined : (await sources.statusPage.getPage({ slug: pageId })).page;
  const wanted: readonly TargetRef[] = targets ?? [
    ...(page?.monitors ?? []).map((id) => ({ type: "monitor" as const, id })),
    ...(page?.agents ?? []).map((id) => ({ type: "agent" as const, id })),
  ];
  const scopeOf = (type: TargetRef["type"]) => (tag === undefined ? { ids: idsOf(wanted, type) } : { tag });
  const [monitors, agents] = await Promise.all([
    listAll(async (query) => {
      const { monitors: found, ...rest } = await sources.monitors.listMonitors({ ...query, compact: true });
      return { ...rest, found };
    }, scopeOf("monitor")),
    listAll(async (query) => {
      const { agents: found, ...rest } = await sources.agents.listAgents(query);
      return { ...rest, found };
    }, scopeOf("agent")),
  ]);
  const found = [
    ...monitors.map(({ id, name }) => ({ type: "monitor" as const, id, name, intervalMs: 0, createdAtMs: 0 })),
    ...agents.map(({ id, name, interval, createdAt }) => {
      return { type: "agent" as const, id, name, intervalMs: interval * 1000, createdAtMs: Date.parse(createdAt) };
    }),
  ];
  if (tag !== undefined) return found.sort((one, other) => one.name.localeCompare(other.name));
  const named = new Map((page?.names ?? []).map((entry) => [keyOf(entry), entry.name]));
  const byKey = new Map(found.map((target) => [keyOf(target), target]));
  return wanted.flatMap((target) => {
    const known = byKey.get(keyOf(target));
    return known === undefined ? [] : [{ ...known, name: named.get(keyOf(target)) ?? known.name }];
  });
}

type Content = Pick<ReportData, "steps" | "targets" | "incidents" | "omitted">;
const maxIncidents = 20;

/**
 * Reads what a report says about a period. Nothing is left out if a service is unavailable.
 * @throws AppError `unavailable`, `not_found` (the page), `impossible` if no counts of the period are stored any more
 */
export async function collect(
  sources: ReportSources,
  report: Scope & Pick<ReportInput, "timeZone" | "language">,
  period: ReportPeriod,
  nowMs: number,
): Promise<Content> {
  const all = await findTargets(sources, report);
  const found = all.slice(0, maxReportTargets);
  const { steps, edges } = stepsOf(report.timeZone, period);
  const sinceMs = periodBefore(report.timeZone, period).fromMs;
  const incidents = await incidentsOf(sources, found, sinceMs);
  const counted = await countTargets(sources, found, [sinceMs, ...edges], incidents);
  const ofTarget = Map.groupBy(incidents.filter(isOutage), ({ target }) => keyOf(target));
  const minutesOf = ({ openedAt, closedAt }: Incident) => {
    const fromMs = Math.max(period.fromMs, Date.parse(openedAt));
    return Math.max(
      0,
      Math.ceil((Math.min(period.untilMs, closedAt ? Date.parse(closedAt) : nowMs) - fromMs) / 60_000),
    );
  };
  const within = ({ openedAt, closedAt }: Incident) =>
    Date.parse(openedAt) < period.untilMs && (closedAt === undefined || Date.parse(closedAt) > period.fromMs);
  const names = new Map(found.map((target) => [keyOf(target), target.name]));
  const targets = found.map(({ type, id, name }): ReportedTarget => {
    const own = (ofTarget.get(keyOf({ type, id })) ?? []).filter(within);
    const longestMinutes = Math.max(0, ...own.map(minutesOf));
    return { type, id, name, ...counted.get(keyOf({ type, id }))!, incidents: own.length, longestMinutes };
  });
  const longest = incidents
    .filter((incident) => isOutage(incident) && within(incident))
    .sort(
      (one, other) =>
        Number(one.closedAt !== undefined) - Number(other.closedAt !== undefined) || minutesOf(other) - minutesOf(one),
    )
    .slice(0, maxIncidents)
    .sort((one, other) => one.openedAt.localeCompare(other.openedAt));
  return {
    steps,
    targets,
    omitted: all.length - found.length,
    incidents: longest.map((incident) => ({
      name: names.get(keyOf(incident.target)) ?? incident.target.name,
      // A status page does not show causes either.
      cause: report.pageId === undefined ? shownCause(incident.cause, report.language) : "",
      from: incident.openedAt,
      until: incident.closedAt,
      minutes: minutesOf(incident),
    })),
  };
}

const isOutage = ({ kind }: Incident) => kind === "down" || kind === "offline" || kind === "external";
/** Everyone with the link reads it, so without what jobs wrote. */
const shownCause = (cause: string, language: Language) => causeOf(withoutOutput(cause), language).slice(0, 200);

type Counted = Pick<ReportedTarget, "counts" | "before">;
/** Counts per answer: read in milliseconds, and small enough for a bus message. */
const maxCountsAtOnce = 9_000;

/** Counts slots or minutes between the edges; those before the second edge are the previous period's. */
async function countTargets(
  { metrics }: ReportSources,
  found: readonly FoundTarget[],
  edges: readonly number[],
  incidents: readonly Incident[],
): Promise<Map<string, Counted>> {
  const atOnce = Math.min(maxReportTargets, Math.floor(maxCountsAtOnce / edges.length));
  const counted = new Map<string, Counted>();
  const take = (type: TargetRef["type"], answers: readonly TargetDays[], missing: number) => {
    // Days that are no longer stored have no data.
    const gone = edges.slice(0, missing).map((fromMs, at) => Math.round((edges[at + 1]! - fromMs) / 60_000));
    for (const { targetId, ...days } of answers) {
      const all = mapCounts(days, (numbers, name) => [
        ...gone.map((minutes) => (name === "monitoredMinutes" ? minutes : 0)),
        ...numbers,
      ]);
      if (all.seen.length !== edges.length - 1) throw new Error("metrics counted other steps than the requested ones");
      counted.set(`${type}:${targetId}`, {
        counts: mapCounts(all, (numbers) => numbers.slice(1)),
        before: missing > 0 || all.seen[0] === 0 ? undefined : { seen: all.seen[0]!, up: all.up[0]! },
      });
    }
  };
  const monitorIds = idsOf(found, "monitor");
  const missing = monitorIds.length === 0 ? 0 : await stepsWithoutData(metrics, monitorIds[0]!, edges);
  for (const ids of portions(monitorIds, atOnce))
    take("monitor", (await metrics.countSlots({ monitorIds: ids, edges: edges.slice(missing) })).monitors, missing);
  const offline = Map.groupBy(
    incidents.filter(({ kind }) => kind === "offline"),
    ({ target }) => target.id,
  );
  for (const some of portions(
    found.filter(({ type }) => type === "agent"),
    atOnce,
  )) {
    const agents = some.map(({ id, intervalMs, createdAtMs }) => ({
      agentId: id,
      intervalMs,
      createdAtMs,
      offline: (offline.get(id) ?? [])
        .map(({ openedAt, closedAt }) => {
          return { fromMs: Date.parse(openedAt), toMs: closedAt === undefined ? edges.at(-1)! : Date.parse(closedAt) };
        })
        .sort((one, other) => one.fromMs - other.fromMs),
    }));
    take("agent", (await metrics.agentDays({ agents, edges: [...edges], firstDay: 0, dayCount: 1 })).agents, 0);
  }
  // A monitor that was never scheduled has no counts.
  const none = mapCounts(noCounts, () => edges.slice(2).map(() => 0));
  for (const target of found) if (!counted.has(keyOf(target))) counted.set(keyOf(target), { counts: none });
  return counted;
}

const noCounts: StepCounts = {
  expected: [],
  seen: [],
  up: [],
  monitoredMinutes: [],
  maintenanceMinutes: [],
  pausedMinutes: [],
};
const mapCounts = (given: StepCounts, map: (numbers: readonly number[], name: string) => number[]) =>
  Object.fromEntries(Object.keys(noCounts).map((name) => [name, map(given[name as keyof StepCounts], name)])) as Record<
    keyof StepCounts,
    number[]
  >;

/** Returns how many of the first steps are older than what metrics keeps. @throws AppError `impossible` if all are */
async function stepsWithoutData({ countSlots }: ReportSources["metrics"], monitorId: number, edges: readonly number[]) {
  for (let missing = 0; missing < edges.length - 1; missing++) {
    try {
      await countSlots({ monitorIds: [monitorId], edges: edges.slice(missing) });
      return missing;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    }
  }
  throw new AppError("impossible", "Results of this period are no longer stored");
}

const atOnce = 400;
const maxPages = 250;

/** Reads the incidents that were open after an instant, the one that closed last first. */
async function incidentsOf(sources: ReportSources, found: readonly TargetRef[], sinceMs: number): Promise<Incident[]> {
  const all = new Map<string, Incident>();
  for (const scope of incidentProducers) {
    const targetIds = idsOf(found, scope === "monitors" ? "monitor" : "agent");
    let after = "";
    for (let page = 0; targetIds.length > 0; page++) {
      if (page === maxPages)
        throw new AppError("impossible", "More than {max} incidents", { params: { max: maxPages * atOnce } });
      const filter = { sort: "-closedAt", targetIds } as const;
      const query = { filter, after, limit: atOnce, uncounted: true };
      const { incidents, last } = await sources.incidents.listIncidents(query, { scope });
      const open = incidents.filter(({ incident: { closedAt } }) => !closedAt || Date.parse(closedAt) > sinceMs);
      for (const { incident } of open) all.set(incident.id, incident);
      if (open.length < atOnce) break;
      after = last;
    }
  }
  return [...all.values()];
}
