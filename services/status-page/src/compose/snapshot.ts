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
import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import { renderMarkdown } from "../announcements/markdown.ts";
import { checkCss } from "../pages/css.ts";
import { type Bar, barOf, type CountedDays, dayOf, incidentDays, percent } from "./days.ts";
import { type PageFacts, namesIn } from "../collect/facts.ts";
import { type RecentUptimes, roundMs } from "../collect/history.ts";
import { type DisplayNames, keyOf, named, type NamedTarget, shownTargets, targetsOf } from "../collect/targets.ts";
import { publicIncidents } from "./incidents.ts";
import type { Context } from "../context.ts";
import { publicMaintenance } from "./maintenance.ts";

/** Input of a page. Targets without a name are not shown. */
export type PageInputs = {
  config: StatusConfig;
  nowMs: number;
  names: DisplayNames;
  /** `null` without data. A bar is one that was shown before, if counts are unavailable. */
  daysOf(target: TargetRef): CountedDays | Bar | null;
  /** Last response time of a monitor in milliseconds, or `null`. */
  responseTimeOf(monitorId: number): number | null;
  /** Its 24 hourly means, oldest first, or undefined. */
  responseTimesOf(monitorId: number): (number | null)[] | undefined;
  uptimesOf?(monitorId: number): RecentUptimes;
  /** Returns those of the shown monitors that belong to the group. The page shows them below it. */
  membersOf?(groupId: number, shownIds: readonly number[]): number[];
  /** Uptime of a group by time, which replaces the share of minutes; `null` for others. */
  groupUptimeOf?(id: number): number | null;
  incidents: readonly PublicIncident[];
  maintenance: readonly PublicMaintenance[];
  /** Whether mails with links can be sent. */
  canMail: boolean;
};

export type UnnumberedPage = Omit<PageSnapshot, "revision">;

/** Builds the snapshot in slices, since five hundred bars would block the event loop. */
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
        ? { ...(found ?? noBar) }
        : barOf(found, { lastDay, count: shownDays }, (day) => incidentsOn({ type, id }, day));
    if (type === "agent") agents.push({ id, name, ...bar });
    else {
      const uptime = inputs.groupUptimeOf?.(id) ?? null;
      if (uptime !== null) bar.uptime = percent(uptime, 100);
      const members = inputs.membersOf?.(id, config.monitors) ?? [];
      const recent = { ...inputs.uptimesOf?.(id), ...responsesOf(inputs, id) };
      monitors.push({ id, name, ...bar, ...recent, ...(members.length > 0 && { members }) });
    }
  }
  return {
    builtAtMs: nowMs,
    page: await pageOf(config, inputs.canMail),
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

async function pageOf(config: StatusConfig, canMail: boolean): Promise<PageSnapshot["page"]> {
  const {
    monitors: _m,
    agents: _a,
    groups: _g,
    names: _n,
    showIncidents: _s,
    subscriptions,
    footer: _f,
    ...page
  } = config;
  const { css } = await checkCss(page.css);
  const footerHtml = config.footer === "" ? "" : renderMarkdown(config.footer);
  return {
    ...page,
    footerHtml,
    css,
    subscribable: canMail && subscriptions.enabled && subscriptions.channelId !== null,
  };
}

/** Configured groups in order, then ungrouped monitors and agents, without missing targets and empty groups. */
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

type ShownPage = { slug: string; isPrivate: boolean; config: StatusConfig };

/** Composes a page's snapshot from cached facts. Lists that cannot be read stay as they were. */
export async function composeSnapshot(
  ctx: Context,
  facts: PageFacts,
  maintenance: Pick<MaintenanceWatch, "at">,
  { slug, isPrivate, config }: ShownPage,
): Promise<UnnumberedPage> {
  const nowMs = ctx.clock.now();
  const names = namesIn(facts, config);
  const shown = shownTargets(config);
  const page = { slug, shown, names, nowMs };
  const lastShown =
    <Entry extends { targets: readonly NamedTarget[] }>(entries: readonly Entry[]) =>
    (error: unknown) => {
      ctx.log.warn({ err: error }, "reading the page's lists failed; keeping the last ones");
      return stillShown(entries, names);
    };
  const [listed, planned] = await Promise.all([
    publicIncidents(ctx, { ...page, config, maintenance, last: facts.incidents }).catch(lastShown(facts.incidents)),
    publicMaintenance(ctx, page).catch(lastShown(facts.maintenance)),
  ]);
  const { history, monitors, earlier } = facts;
  const earlierBar = (target: TargetRef) => earlier.bars.get(keyOf(target));
  return buildPage({
    // Search engines must not list a private page.
    config: isPrivate ? { ...config, searchable: false } : config,
    nowMs,
    names,
    daysOf: (target) => history.daysOf(target) ?? earlierBar(target) ?? null,
    responseTimeOf: (id) => {
      const known = monitors.get(id);
      return (known === undefined ? earlierBar({ type: "monitor", id })?.responseTime : known.responseTimeMs) ?? null;
    },
    responseTimesOf: (id) => {
      const times = history.responseTimesOf(id) ?? earlierBar({ type: "monitor", id })?.responseTimes ?? [];
      return times.length === 0 ? undefined : times;
    },
    uptimesOf: (id) => history.uptimesOf(id),
    membersOf: (groupId, ids) => {
      const group = monitors.get(groupId)?.members;
      if (group === undefined) return [];
      return ids.filter((id) => {
        const known = monitors.get(id);
        const hasTag = group.tag !== undefined && known?.members === undefined && known?.tags?.includes(group.tag);
        return group.ids.includes(id) || hasTag === true;
      });
    },
    groupUptimeOf: (id) => monitors.get(id)?.groupUptime ?? null,
    incidents: listed,
    maintenance: planned,
    canMail: ctx.publicUrl !== null,
  });
}

/** Returns previously listed entries, reduced to what the current configuration shows. */
const stillShown = <Entry extends { targets: readonly NamedTarget[] }>(
  entries: readonly Entry[],
  names: DisplayNames,
): Entry[] =>
  entries
    .map((entry) => ({ ...entry, targets: named(entry.targets, names) }))
    .filter(({ targets }, at) => targets.length > 0 || entries[at]!.targets.length === 0);
