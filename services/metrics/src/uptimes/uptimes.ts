import type { MonitorUptime } from "@sonde/proto/rpc/metrics";
import { sortByNumber } from "@sonde/kit/sort-by-number";
import type { ClickHouseClient } from "@clickhouse/client";
import { maxRows } from "../clickhouse/open.ts";
import type { Context } from "../context.ts";
import { hourMs, dayMs, dayOf, hourOf, instantText, secondText } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/roll.ts";
import { rowsOf, rowsOfAll, type Statement } from "../clickhouse/rows.ts";
import { scheduledChecks, slotRange } from "../rollups/figures.ts";
import {
  checkParameters,
  checksWhere,
  dayParameters,
  daysWhere,
  hourParameters,
  hoursWhere,
  rawDaysFrom,
  type RollupSources,
} from "../rollups/sources.ts";

/**
 * Returns a function that computes uptime in percent (up / seen slots): `h24` over the current hour and the 23 before
 * it, `d30` over the UTC days of the 30-day history. Omits monitors without data. Without ids it returns all monitors
 * combined, as id 0. Sums older than a few minutes are cached for up to a minute and a half.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export function createUptimes(ctx: Context): (ids: readonly number[]) => Promise<MonitorUptime[]> {
  let cached: SettledSums | null = null;
  return async (ids) => {
    const monitorIds = ids.length === 0 ? null : [...new Set(ids)].slice(0, maxRows);
    const settled = (cached = settledAt(ctx.clock.now(), cached));
    await fillSettled(ctx, settled, monitorIds);
    const { untilMs, presentHour, sums } = settled;
    const recent = await ctx.read((client) =>
      selectRecent(client, { monitorIds, fromMs: untilMs, toMs: presentHour + hourMs }),
    );
    const places = new Map(recent.ids.map((id, place) => [monitorIds === null ? null : id, place]));
    return (monitorIds ?? [null]).flatMap((id) => {
      const place = places.get(id) ?? -1;
      const [recentUp, recentSeen] = [recent.up[place] ?? 0, recent.seen[place] ?? 0];
      const settledSeen = sums.get(id) ?? nothing;
      const [dayUp, daySeen] = [settledSeen.dayUp + recentUp, settledSeen.daySeen + recentSeen];
      const [up, seen] = [settledSeen.up + recentUp, settledSeen.seen + recentSeen];
      if (seen === 0) return [];
      return [{ monitorId: id ?? 0, h24: daySeen > 0 ? (100 * dayUp) / daySeen : undefined, d30: (100 * up) / seen }];
    });
  };
}

/** Results of older slots are normally stored already, so their sums are cached. */
const recentMs = 90_000;
/** How long sums are cached; late, corrected or deleted rows count after that. */
const cacheMs = 90_000;

/** Sums of checks before `untilMs` by monitor; `null` is the key for all monitors combined. */
type SettledSums = { untilMs: number; presentHour: number; sums: Map<number | null, SlotSums> };

function settledAt(nowMs: number, before: SettledSums | null): SettledSums {
  const presentHour = hourOf(nowMs);
  const ageMs = before === null ? -1 : nowMs - recentMs - before.untilMs;
  if (before?.presentHour === presentHour && ageMs >= 0 && ageMs < cacheMs) return before;
  return { untilMs: nowMs - recentMs, presentHour, sums: new Map() };
}

/** Loads missing sums; `null` for all monitors combined. */
async function fillSettled(ctx: Context, settled: SettledSums, ids: readonly number[] | null): Promise<void> {
  const { untilMs, presentHour, sums } = settled;
  const missing = (ids ?? [null]).filter((id) => !sums.has(id));
  if (missing.length === 0) return;
  const fromMs = dayOf(presentHour) - 29 * dayMs;
  const pieces = await ctx.read(async (client) => {
    // Only a part of the hour of `untilMs` counts, so read it from checks even if it is rolled up.
    const rawHours = [...new Set([...(await selectTouchedHours(client, fromMs)), hourOf(untilMs), presentHour])];
    const monitorIds = ids === null ? null : missing.filter((id) => id !== null);
    const dayFromMs = presentHour - 23 * hourMs;
    return selectSettled(client, { monitorIds, fromMs, toMs: presentHour + hourMs, rawHours, dayFromMs, untilMs });
  });
  const parts = Map.groupBy(pieces, ({ monitorId }) => (ids === null ? null : monitorId));
  for (const id of missing) sums.set(id, addSeen(parts.get(id) ?? []));
}

function addSeen(parts: readonly SlotSums[]): SlotSums {
  const sum = (key: keyof SlotSums) => parts.reduce((total, part) => total + part[key], 0);
  return { dayUp: sum("dayUp"), daySeen: sum("daySeen"), up: sum("up"), seen: sum("seen") };
}

const nothing = addSeen([]);

const batchSize = 2_000;

/**
 * Orders monitors by 24-hour uptime. Those without data come last in both directions; ties keep their order.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function orderByUptime(
  uptimesOf: (ids: readonly number[]) => Promise<readonly MonitorUptime[]>,
  { monitorIds, descending }: { monitorIds: readonly number[]; descending: boolean },
): Promise<number[]> {
  const h24ById = new Map<number, number | undefined>();
  for (let first = 0; first < monitorIds.length; first += batchSize) {
    const uptimes = await uptimesOf(monitorIds.slice(first, first + batchSize));
    for (const { monitorId, h24 } of uptimes) h24ById.set(monitorId, h24);
  }
  return sortByNumber(monitorIds, (id) => h24ById.get(id) ?? null, descending);
}

type SlotSums = { dayUp: number; daySeen: number; up: number; seen: number };

type SettledQuery = RollupSources & {
  /** `null`: all monitors combined, as id 0. */
  monitorIds: readonly number[] | null;
  /** Start of the last 24 hours; must be the start of an hour. */
  dayFromMs: number;
  /** End of the checks that count, for hours that are not rolled up. */
  untilMs: number;
};

const scopes = {
  these: { id: "monitor_id", where: "AND monitor_id IN {monitorIds:Array(UInt32)}" },
  all: { id: "0", where: "" },
} as const;

/** Selects up and seen slots. A monitor may occur up to three times; add the counts. */
async function selectSettled(
  client: ClickHouseClient,
  query: SettledQuery,
): Promise<(SlotSums & { monitorId: number })[]> {
  const { monitorIds, dayFromMs, untilMs } = query;
  const { id, where } = scopes[monitorIds === null ? "all" : "these"];
  const dayFrom = secondText(dayFromMs);
  const inDay = "hour >= {dayFrom:DateTime('UTC')}";
  // For a day that comes from `check_days`, single hours count only towards the last 24 hours.
  const inSpan = "toDate(hour) IN {rawDays:Array(Date)}";
  const days: Statement = [
    `SELECT ${id} AS monitorId, 0 AS dayUp, 0 AS daySeen, toFloat64(sum(r.seen - r.failed)) AS up,
        toFloat64(sum(r.seen)) AS seen
      FROM check_days AS r FINAL WHERE ${daysWhere} ${where} GROUP BY monitorId`,
    dayParameters(query),
  ];
  const fromMs = Math.min(rawDaysFrom(query), dayFromMs);
  const hours: Statement = [
    `SELECT ${id} AS monitorId, toFloat64(sumIf(r.seen - r.failed, ${inDay})) AS dayUp,
        toFloat64(sumIf(r.seen, ${inDay})) AS daySeen, toFloat64(sumIf(r.seen - r.failed, ${inSpan})) AS up,
        toFloat64(sumIf(r.seen, ${inSpan})) AS seen
      FROM check_hours AS r FINAL WHERE ${hoursWhere} ${where} GROUP BY monitorId`,
    { ...hourParameters({ ...query, fromMs }), rawDays: dayParameters(query).rawDays, dayFrom },
  ];
  const checks: Statement = [
    `SELECT ${id} AS monitorId, toFloat64(countIf(c.up AND slot >= {dayFrom:DateTime('UTC')})) AS dayUp,
        toFloat64(countIf(slot >= {dayFrom:DateTime('UTC')})) AS daySeen, toFloat64(countIf(c.up)) AS up,
        toFloat64(count()) AS seen
      FROM ${scheduledChecks(`${checksWhere} ${where}`)} GROUP BY monitorId`,
    { ...checkParameters({ ...query, toMs: untilMs }), dayFrom },
  ];
  const ids = monitorIds === null ? {} : { monitorIds };
  return rowsOfAll(client, [days, hours, checks], ids);
}

type RecentQuery = Pick<SettledQuery, "monitorIds"> & { fromMs: number; toMs: number };

type RecentSlots = { ids: number[]; up: number[]; seen: number[] };

async function selectRecent(client: ClickHouseClient, { monitorIds, fromMs, toMs }: RecentQuery): Promise<RecentSlots> {
  const id = monitorIds === null ? "0" : "monitor_id";
  const { where, parameters } = narrowedTo(monitorIds);
  const [recent] = await rowsOf<RecentSlots>(
    client,
    `SELECT groupArray(id) AS ids, groupArray(ups) AS up, groupArray(slots) AS seen
      FROM (SELECT ${id} AS id, toUInt32(countIf(c.up)) AS ups, toUInt32(count()) AS slots
        FROM ${scheduledChecks(`${slotRange} ${where}`)} GROUP BY id)`,
    { from: instantText(fromMs), to: instantText(toMs), ...parameters },
  );
  return recent ?? { ids: [], up: [], seen: [] };
}

/** Binding hundreds of ids takes longer than reading a few extra monitors, so close ids become a range. */
function narrowedTo(monitorIds: readonly number[] | null) {
  if (monitorIds === null) return { where: "", parameters: {} };
  const [first, last] = [Math.min(...monitorIds), Math.max(...monitorIds)];
  if (last - first > 2 * monitorIds.length) return { where: scopes.these.where, parameters: { monitorIds } };
  return { where: "AND monitor_id BETWEEN {first:UInt32} AND {last:UInt32}", parameters: { first, last } };
}
