import { AppError } from "@sonde/kit/errors";
import { countOpenIncidents as countOpen } from "@sonde/domain/incidents/store";
import { sortByNumber } from "@sonde/kit/sort-by-number";
import { type matchingCounts, maxSorted, maxTags } from "@sonde/proto/http/monitors/lists";
import type { KnownMonitor } from "@sonde/proto/http/monitors/monitors";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { readProblems } from "../apply/sources.ts";
import * as store from "./list-store.ts";
import { isLiveNewer, presentMonitors, staleMonitors } from "./present.ts";
import { countByStatus } from "./store.ts";

type Page = { monitors: KnownMonitor[]; total: number; restIds: number[] };

/** @throws AppError impossible if too many match to sort by response time */
export async function listMonitors(ctx: Context, query: store.MonitorQuery): Promise<Page> {
  const isByStatus = /^-?status$/.test(query.sort ?? "");
  const stale = needsState(query) || isByStatus ? [...(await staleMonitors(ctx)).keys()] : [];
  const isByResponseTime = /^-?responseTime$/.test(query.sort ?? "");
  const page = isByResponseTime
    ? await listByResponseTime(ctx, query, stale)
    : await store.listMonitors(ctx.db, query, stale);
  return { ...page, monitors: await presentMonitors(ctx, page.monitors) };
}

const needsState = ({ status, slower }: Pick<store.MonitorQuery, "status" | "slower">) =>
  status !== undefined || slower !== undefined;

/** Sorts in memory, because the newest response times may not be stored yet. */
async function listByResponseTime(ctx: Context, query: store.MonitorQuery, stale: number[]) {
  const nowMs = ctx.clock.now();
  const rows = await store.selectResponseTimes(ctx.db, query, stale, maxSorted + 1);
  refuseTooMany(rows.length);
  const shownMs = ({ id, figuresVersion, checkedAtMs, responseTimeMs, isHeartbeat }: store.StoredResponseTime) => {
    // A heartbeat's run time or lateness is no response time.
    if (isHeartbeat) return null;
    const published = ctx.live.get(id);
    return isLiveNewer(published, figuresVersion, checkedAtMs, nowMs)
      ? (published.responseTimeMs ?? null)
      : responseTimeMs;
  };
  const shown = new Map(rows.map((row) => [row.id, shownMs(row)]));
  // Each part takes milliseconds for thousands of monitors.
  await nextTurn();
  const sorted = sortByNumber(rows, ({ id }) => shown.get(id) ?? null, query.sort?.startsWith("-") ?? false);
  const first = (query.page - 1) * query.pageSize;
  const ids = sorted.slice(first, first + query.pageSize).map(({ id }) => id);
  return { ...(await store.readPage(ctx.db, ids, query.compact === true)), total: rows.length };
}

function refuseTooMany(count: number): void {
  if (count <= maxSorted) return;
  const params = { max: maxSorted };
  throw new AppError("impossible", "At most {max} monitors can be sorted by this: search or filter first", { params });
}

export async function matchMonitors(
  ctx: Context,
  {
    limit,
    ...filter
  }: Pick<store.MonitorQuery, "search" | "status" | "tag" | "untagged" | "type" | "group" | "slower"> & {
    limit: number;
  },
): Promise<{ ids: number[]; total: number }> {
  const stale = needsState(filter) ? [...(await staleMonitors(ctx)).keys()] : [];
  return store.matchMonitors(ctx.db, filter, stale, limit);
}

/** A stale monitor counts only as stale. */
export async function countMonitors(
  ctx: Context,
  filter: Pick<store.MonitorQuery, "search" | "tag" | "untagged" | "type" | "group" | "slower">,
): Promise<{ counts: z.input<typeof matchingCounts> }> {
  const stale = await staleMonitors(ctx);
  const { slow, groups, ...counted } = await store.countByState(ctx.db, filter, [...stale.keys()]);
  const counts = { up: 0, down: 0, stale: 0, pending: 0, paused: 0, ...counted };
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { counts: { ...counts, slow, groups, total, active: total - counts.paused } };
}

export const countOpenIncidents = async (ctx: Context, { ids }: { ids: number[] }): Promise<{ count: number }> => ({
  count: await countOpen(ctx.db, ids),
});

/** Most used first. */
export async function listTags(
  ctx: Context,
  { search }: { search?: string | undefined },
): Promise<{ tags: { name: string; monitors: number; down: number }[]; more: boolean }> {
  const tags = await store.selectTags(ctx.db, search, maxTags + 1);
  return { tags: tags.slice(0, maxTags), more: tags.length > maxTags };
}

type Summary = (typeof monitorsContract)["methods"]["summary"];
const maxMonitors = 50;
const maxCertificates = 10;
const dayMs = 86_400_000;

/** A stale monitor counts only as stale. */
export async function summary(
  ctx: Context,
  { attention, certificateDays }: z.output<Summary["input"]>,
): Promise<z.input<Summary["answer"]>> {
  const { db, clock } = ctx;
  const untilMs = clock.now() + certificateDays * dayMs;
  const [counts, stale, openIncidents, sourceProblems] = await Promise.all([
    countByStatus(db),
    staleMonitors(ctx),
    countOpen(db),
    readProblems(db),
  ]);
  const total = counts.pending + counts.up + counts.down + counts.paused;
  for (const status of stale.values()) counts[status] = Math.max(0, counts[status] - 1);
  const [worst, ending] = await Promise.all([
    attention === 0 ? [] : store.findWorst(db, [...stale.keys()], Math.min(maxMonitors, attention)),
    certificateDays === 0
      ? { certificates: [], total: 0 }
      : store.findExpiringCertificates(db, untilMs, maxCertificates),
  ]);
  return {
    counts: { ...counts, stale: stale.size, total, active: total - counts.paused },
    openIncidents,
    attention: await presentMonitors(ctx, worst),
    certificates: {
      total: ending.total,
      soonest: ending.certificates.map(({ monitorId, name, expiresAtMs }) => ({
        monitorId,
        name,
        expiresAt: new Date(expiresAtMs).toISOString(),
      })),
    },
    sourceProblems,
  };
}
