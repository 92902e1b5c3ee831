import { rowsOf } from "../clickhouse/rows.ts";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import type { ClickHouseClient } from "@clickhouse/client";
import type { Context } from "../context.ts";
import { resultOfRow, selectStored, type SelectedCheck } from "./row.ts";
import { instantText } from "../rollups/instants.ts";

const dayMs = 86_400_000;
const maxLimit = 1_000;

type ListChecksInput = { monitorId: number; beforeMs?: number | undefined; fromMs?: number | undefined; limit: number };

/**
 * Returns a monitor's raw results, including manual ones, newest first, before one instant and back to another if
 * given. Includes all locations of the last slot, even beyond the limit, since the next page starts before that slot.
 * The range grows only until the page is full, so a busy monitor's page reads one day instead of thirty.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function listChecks(ctx: Context, input: ListChecksInput): Promise<CheckResult[]> {
  const { monitorId, endMs, oldestMs, pageSize, nowMs } = pageRange(ctx, input);
  return ctx.read(async (client) => {
    for (let days = 1; ; days *= 6) {
      const fromMs = Math.round(Math.max(oldestMs, Math.min(endMs, nowMs) - days * dayMs, 0));
      const rows = await selectChecks(client, { monitorId, fromMs, beforeMs: endMs, limit: pageSize });
      if (rows.length >= pageSize || fromMs <= oldestMs) return rows.map(resultOfRow);
    }
  });
}

function pageRange({ clock, retention }: Context, { monitorId, beforeMs, fromMs = 0, limit }: ListChecksInput) {
  const nowMs = clock.now();
  const latestMs = nowMs + dayMs;
  const endMs = Number.isFinite(beforeMs) ? Math.round(Math.min(Math.max(beforeMs ?? 0, 0), latestMs)) : latestMs;
  const pageSize = Math.min(Math.max(limit, 1), maxLimit);
  const oldestMs = Math.max(
    0,
    Math.round(nowMs - (retention.rawDays + 1) * dayMs),
    Math.round(Math.min(fromMs, latestMs)),
  );
  return { monitorId, nowMs, endMs, oldestMs, pageSize };
}

function pageOf(results: readonly CheckResult[], pageSize: number): CheckResult[] {
  const last = results[pageSize - 1];
  return last === undefined ? [...results] : results.filter(({ slotMs }) => slotMs >= last.slotMs);
}

const maxSlots = 1_000;

/**
 * Like `listChecks`, for failures. Uses the index `failed_checks`, so a page reads only what it returns.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function listFailedChecks(ctx: Context, input: ListChecksInput): Promise<CheckResult[]> {
  const { monitorId, endMs, oldestMs, pageSize } = pageRange(ctx, input);
  const found: CheckResult[] = [];
  let beforeMs = endMs;
  return ctx.read(async (client) => {
    // Slots whose later run succeeded are skipped; each iteration queries more slots.
    for (let limit = pageSize; ; limit = Math.min(maxSlots, limit * 4)) {
      const slots = await selectFailedSlots(client, { monitorId, fromMs: oldestMs, beforeMs, limit });
      const last = slots.at(-1);
      if (last === undefined) return pageOf(found, pageSize);
      const rows = await selectChecksOf(client, monitorId, [...new Set(slots)]);
      found.push(...rows.filter(({ up }) => !up).map(resultOfRow));
      if (found.length >= pageSize || slots.length < limit) return pageOf(found, pageSize);
      beforeMs = last;
    }
  });
}

type ChecksRange = { monitorId: number; fromMs: number; beforeMs: number; limit: number };

const ofMonitor = "monitor_id = {monitorId:UInt32}";
const inRange = `${ofMonitor} AND slot >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
  AND slot < fromUnixTimestamp64Milli({beforeMs:Int64}, 'UTC')`;

/** Selects results with slots in [from, before), newest first; the last slot completely, even beyond the limit. */
const selectChecks = (client: ClickHouseClient, range: ChecksRange): Promise<SelectedCheck[]> =>
  rowsOf(
    client,
    `SELECT * FROM (SELECT ${selectStored} FROM checks FINAL WHERE ${inRange}
      ORDER BY slot DESC LIMIT {limit:UInt32} WITH TIES) ${newestFirst}`,
    range,
  );

/** Selects slots in [from, before) with a failed check or attempt, newest first; may contain duplicates. */
async function selectFailedSlots(client: ClickHouseClient, range: ChecksRange): Promise<number[]> {
  const rows = await rowsOf<{ slotMs: number }>(
    client,
    `SELECT toFloat64(toUnixTimestamp64Milli(slot)) AS slotMs FROM failed_checks WHERE ${inRange}
      ORDER BY slot DESC LIMIT {limit:UInt32}`,
    range,
  );
  return rows.map(({ slotMs }) => slotMs);
}

const selectChecksOf = (
  client: ClickHouseClient,
  monitorId: number,
  slots: readonly number[],
): Promise<SelectedCheck[]> =>
  rowsOf(
    client,
    `SELECT ${selectStored} FROM checks FINAL
      WHERE ${ofMonitor} AND slot IN {slots:Array(DateTime64(3, 'UTC'))} ${newestFirst}`,
    { monitorId, slots: slots.map(instantText) },
  );

const newestFirst = "ORDER BY slotMs DESC, location, manual";
