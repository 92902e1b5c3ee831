import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { slices } from "@sonde/kit/concurrency/slices";
import { type PublicIncident, type PublicMaintenance, shownDays } from "@sonde/proto/http/status/status";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import type { PageSnapshot } from "@sonde/proto/http/status/snapshot";
import { type Bar, barOf, type CountedDays, dayOf, incidentDays } from "./days.ts";
import { publicGroups } from "./groups.ts";
import { type DisplayNames, keyOf, shownTargets } from "./shown.ts";

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
  const named = shownTargets(config).flatMap((target) => {
    const name = names.of(target.type, target.id);
    return name === null ? [] : [{ ...target, name }];
  });
  const isThere = new Set(named.map(keyOf));
  const monitors: UnnumberedPage["monitors"] = [];
  const agents: UnnumberedPage["agents"] = [];
  for (const { type, id, name } of named) {
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

/** To a tenth. */
export const roundMs = (ms: number): number => Math.round(ms * 10) / 10;

function pageOf(config: StatusConfig, canMail: boolean): PageSnapshot["page"] {
  const { title, description, logoUrl, theme, showResponseTimes, searchable, embedOrigins, subscriptions } = config;
  const subscribable = canMail && subscriptions.enabled && subscriptions.channelId !== null;
  return { title, description, logoUrl, theme, showResponseTimes, searchable, embedOrigins, subscribable };
}
