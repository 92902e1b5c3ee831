import { impossible } from "@sonde/kit/errors";
import type { Service } from "@sonde/kit/service/lifecycle";
import { startLoop } from "@sonde/kit/time/loop";
import type { Context } from "../context.ts";
import { replan } from "./plan.ts";
import { readRule } from "./rule.ts";
import {
  coveredBy,
  lockWindow,
  occurrencesOf,
  sameTargets,
  type Tagged,
  type Window,
  type WindowTargets,
} from "./store.ts";

type Sources = Context["sources"];

export const maxTagged = 1_000;
const pageSize = 200;

/** Returns the monitors and agents that have a tag now. @throws AppError `impossible` at `path` if there are too many */
export async function taggedWith({ monitors, agents }: Sources, tag: string, path: string): Promise<WindowTargets> {
  const [monitorIds, agentIds] = await Promise.all([
    idsOfPages(path, async (page) => {
      const request = { tag, page, pageSize, compact: true, sort: "createdAt" as const };
      const { monitors: some, restIds, total } = await monitors.listMonitors(request);
      return { ids: [...some.map(({ id }) => id), ...restIds], total };
    }),
    idsOfPages(path, async (page) => {
      const { agents: some, restIds, total } = await agents.listAgents({ tag, page, pageSize, sort: "createdAt" });
      // An agent-ingest version without tags ignores the filter.
      if (some.some(({ tags }) => !tags.includes(tag))) return { ids: [], total: 0 };
      return { ids: [...some.map(({ id }) => id), ...restIds], total };
    }),
  ]);
  return { monitorIds, agentIds };
}

async function idsOfPages(
  path: string,
  read: (page: number) => Promise<{ ids: number[]; total: number }>,
): Promise<number[]> {
  const found = new Set<number>();
  for (let page = 1; ; page++) {
    const { ids, total } = await read(page);
    if (total > maxTagged) {
      const params = { max: maxTagged };
      throw impossible([{ path, message: "More than {max} monitors have this tag", params }]);
    }
    for (const id of ids) found.add(id);
    if (page * pageSize >= total) return [...found];
  }
}

/** Returns the targets that have one of the tags now, sorted. @throws AppError `impossible` if there are too many */
export async function taggedBy(sources: Sources, tags: readonly string[]): Promise<Tagged> {
  const found = await Promise.all(tags.map((tag, at) => taggedWith(sources, tag, `tags.${at}`)));
  const union = (ids: (targets: WindowTargets) => number[]) =>
    [...new Set(found.flatMap(ids))].sort((one, other) => one - other);
  const tagged = {
    taggedMonitorIds: union(({ monitorIds }) => monitorIds),
    taggedAgentIds: union(({ agentIds }) => agentIds),
  };
  if (tagged.taggedMonitorIds.length + tagged.taggedAgentIds.length <= maxTagged) return tagged;
  throw impossible([{ path: "tags", message: "Too many entries (maximum {max})", params: { max: maxTagged } }]);
}

const everyMs = 15_000;
const soonMs = 2 * 60_000;
/** Number of runs from one that refreshes all windows to the next. */
const runsPerFull = 40;

/**
 * Applies changed tags to windows that are running or begin within `withinMs`: a running occurrence ends and another
 * one begins, and past ones stay. If tags cannot be read, the window keeps what it covers.
 */
export async function refreshTags(ctx: Context, withinMs = soonMs): Promise<void> {
  const { db, log, clock, sources, committed, changed } = ctx;
  const nowMs = clock.now();
  const windows = await db("windows")
    .where({ isSilence: false })
    .whereNull("deletedAtMs")
    .whereRaw("tags <> '{}'")
    .whereRaw("exists (select from occurrences where window_id = windows.id and to_ms > ? and from_ms <= ?)", [
      nowMs,
      nowMs + withinMs,
    ])
    .orderBy("id")
    .select<Window[]>();
  const ids = windows.map(({ id }) => id);
  const stored = Map.groupBy(await occurrencesOf(db, ids, nowMs), ({ windowId }) => windowId);
  let isChanged = false;
  for (const { id, revision, ...before } of windows) {
    try {
      const tagged = await taggedBy(sources, before.tags);
      const covered = coveredBy({ ...before, ...tagged });
      // Compares with occurrences, because a version without tags may have planned some of them.
      if (stored.get(id)?.every((one) => sameTargets(one, covered))) continue;
      await db.transaction(async (trx) => {
        const window = await lockWindow(trx, id);
        // A user or another replica has changed it. The next run checks again.
        if (window?.revision !== revision) return;
        await trx("windows").where({ id }).update(tagged);
        const schedule = { ...window, rule: readRule(window.rrule) };
        await replan(trx, id, schedule, covered, { nowMs: clock.now(), isMoved: false });
        isChanged = true;
      });
    } catch (error) {
      log.warn({ err: error, window: id }, "refreshing the tags of a maintenance window failed");
    }
  }
  if (!isChanged) return;
  committed();
  changed();
}

export function startTagRefresh(ctx: Context): Service {
  let runs = 0;
  const run = () => refreshTags(ctx, runs++ % runsPerFull === 0 ? Number.MAX_SAFE_INTEGER : soonMs);
  const refresh = startLoop({ work: "tags of maintenance windows", log: ctx.log, everyMs, run });
  refresh.nudge();
  return refresh;
}
