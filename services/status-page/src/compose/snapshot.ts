import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { slices } from "@sonde/kit/concurrency/slices";
import {
  type PublicIncident,
  type PublicMaintenance,
  shownDays,
  type PublicGroup,
} from "@sonde/proto/http/status/status";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import type { PageSnapshot } from "@sonde/proto/http/status/snapshot";
import type { MaintenanceWatch } from "@sonde/kit/maintenance/watch";
import { type Bar, barOf, type CountedDays, dayOf, incidentDays } from "./days.ts";
import { type DisplayNames, keyOf, named, shownTargets, targetsOf } from "../collect/targets.ts";
import { publicIncidents } from "./incidents.ts";
import type { Context } from "../context.ts";
import { publicMaintenance } from "./maintenance.ts";
import { roundMs } from "../collect/history.ts";
import { type Memory, namesIn, stillShown } from "../collect/facts.ts";

/** The input of a page; targets without a name are not shown. */
export type PageInputs = {
  config: StatusConfig;
  nowMs: number;
  names: DisplayNames;
  /** Null: nothing is known of its days. A bar is one that was shown before, when counts cannot be had. */
  daysOf(target: TargetRef): CountedDays | Bar | null;
  /** The last response time of a monitor in ms; null: none. */
  responseTimeOf(monitorId: number): number | null;
  /** Its means of 24 hours, oldest first; undefined: none are known. */
  responseTimesOf(monitorId: number): (number | null)[] | undefined;
  incidents: readonly PublicIncident[];
  maintenance: readonly PublicMaintenance[];
  /** Whether mails could be sent, and links in them made. */
  canMail: boolean;
};

export type UnnumberedPage = Omit<PageSnapshot, "revision">;

/** The snapshot, in slices: five hundred bars would block the event loop. */
export async function buildPage(inputs: PageInputs): Promise<UnnumberedPage> {
  const { config, nowMs, names } = inputs;
  const pause = slices();
  const lastDay = dayOf(nowMs);
  const days = { firstDay: lastDay - shownDays + 1, lastDay };
  const incidentsOn = await incidentDays(inputs.incidents, days, pause);
  const shown = named(shownTargets(config), names);
  const isThere = new Set(shown.map(keyOf));
  const monitors: UnnumberedPage["monitors"] = [];
  const agents: UnnumberedPage["agents"] = [];
  for (const { type, id, name } of shown) {
    await pause();
    const found = inputs.daysOf({ type, id });
    const bar =
      found === null || !("firstDay" in found)
        ? (found ?? noBar)
        : barOf(found, { lastDay, count: shownDays }, (day) => incidentsOn({ type, id }, day));
    if (type === "agent") agents.push({ id, name, ...bar });
    else monitors.push({ id, name, ...bar, ...responsesOf(inputs, id) });
  }
  return {
    builtAtMs: nowMs,
    page: pageOf(config, inputs.canMail),
    groups: publicGroups(config, (target) => isThere.has(keyOf(target))),
    monitors,
    agents,
    incidents: [...inputs.incidents],
    maintenance: [...inputs.maintenance],
  };
}

const noBar: Bar = { uptime: null, coverage: null, days: [] };

function responsesOf({ config, responseTimeOf, responseTimesOf }: PageInputs, id: number) {
  if (!config.showResponseTimes) return {};
  const last = responseTimeOf(id);
  return { responseTime: last === null ? undefined : roundMs(last), responseTimes: responseTimesOf(id) };
}

function pageOf(config: StatusConfig, canMail: boolean): PageSnapshot["page"] {
  const { title, description, logoUrl, theme, showResponseTimes, searchable, embedOrigins, subscriptions } = config;
  const subscribable = canMail && subscriptions.enabled && subscriptions.channelId !== null;
  return { title, description, logoUrl, theme, showResponseTimes, searchable, embedOrigins, subscribable };
}

/**
 * The page's groups: the named ones in their order, then the monitors and the agents that are in none. Targets that
 * `isThere` denies are left out, and so are groups without any.
 */
function publicGroups(config: StatusConfig, isThere: (target: TargetRef) => boolean): PublicGroup[] {
  const groups = config.groups.map(({ name, monitors, agents }) => ({
    name: name as string | null,
    targets: targetsOf(monitors, agents),
  }));
  const taken = new Set(groups.flatMap(({ targets }) => targets.map(keyOf)));
  const others = shownTargets(config).filter((target) => !taken.has(keyOf(target)));
  for (const wanted of ["monitor", "agent"] as const) {
    groups.push({ name: null, targets: others.filter(({ type }) => type === wanted) });
  }
  return groups
    .map(({ name, targets }) => ({ name, targets: targets.filter(isThere) }))
    .filter(({ targets }) => targets.length > 0);
}

/** A page as it is to be shown. */
export type ShownPage = { slug: string; isPrivate: boolean; config: StatusConfig };

/** A page, from known facts. Lists that cannot be read stay as they were. */
export async function composePage(
  ctx: Context,
  { memory, maintenance: windows }: { memory: Memory; maintenance: Pick<MaintenanceWatch, "at"> },
  { slug, isPrivate, config }: ShownPage,
): Promise<UnnumberedPage> {
  const nowMs = ctx.clock.now();
  const names = namesIn(memory, config);
  const before =
    <Entry>(entries: readonly Entry[]) =>
    (error: unknown) => {
      ctx.log.warn({ err: error }, "what the page lists cannot be read; it stays as it was");
      return [...entries];
    };
  const shown = shownTargets(config);
  const [incidents, maintenance] = await Promise.all([
    publicIncidents(ctx, { slug, shown, names, config, maintenance: windows, nowMs, last: memory.incidents }).catch(
      (error: unknown) => stillShown(before(memory.incidents)(error), names),
    ),
    publicMaintenance(ctx, { slug, shown, names, nowMs }).catch((error: unknown) =>
      stillShown(before(memory.maintenance)(error), names),
    ),
  ]);
  const { history, monitors, earlier } = memory;
  return buildPage({
    // No search engine may list what it may not read.
    config: isPrivate ? { ...config, searchable: false } : config,
    nowMs,
    names,
    daysOf: history.daysOf,
    responseTimeOf: (id) => {
      const facts = monitors.get(id);
      return facts === undefined ? (earlier.responseTimes.get(id) ?? null) : facts.responseTimeMs;
    },
    responseTimesOf: history.responseTimesOf,
    incidents,
    maintenance,
    canMail: ctx.publicUrl !== null,
  });
}
