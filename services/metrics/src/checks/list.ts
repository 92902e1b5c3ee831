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
 * Raw results of a monitor, manual ones too, newest first: those before an instant, or the newest of all, back to another
 * instant if one is given. Results of the last slot at other locations are included, beyond the limit, since the next page
 * begins before that slot. The range is widened only until it has enough, so that a page of a busy monitor reads one day, not thirty.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function listChecks(ctx: Context, input: ListChecksInput): Promise<CheckResult[]> {
  const { monitorId, endMs, oldestMs, wanted, nowMs } = pageRange(ctx, input);
  return ctx.read(async (client) => {
    for (let days = 1; ; days *= 6) {
      const fromMs = Math.round(Math.max(oldestMs, Math.min(endMs, nowMs) - days * dayMs, 0));
      const rows = await selectChecks(client, { monitorId, fromMs, beforeMs: endMs, limit: wanted });
      if (rows.length >= wanted || fromMs <= oldestMs) return rows.map(resultOfRow);
    }
  });
}

/** The range of instants of a page, and how many results it has, within what is retained. */
function pageRange({ clock, retention }: Context, { monitorId, beforeMs, fromMs = 0, limit }: ListChecksInput) {
  const nowMs = clock.now();
  const latestMs = nowMs + dayMs;
  const endMs = Number.isFinite(beforeMs) ? Math.round(Math.min(Math.max(beforeMs ?? 0, 0), latestMs)) : latestMs;
  const wanted = Math.min(Math.max(limit, 1), maxLimit);
  const oldestMs = Math.max(
    0,
    Math.round(nowMs - (retention.rawDays + 1) * dayMs),
    Math.round(Math.min(fromMs, latestMs)),
  );
  return { monitorId, nowMs, endMs, oldestMs, wanted };
}

/** The first results up to a limit, and those of the last one's slot. */
function pageOf(results: readonly CheckResult[], wanted: number): CheckResult[] {
  const last = results[wanted - 1];
  return last === undefined ? [...results] : results.filter(({ slotMs }) => slotMs >= last.slotMs);
}

/** Most slots that are looked at in one statement. */
const maxSlots = 1_000;

/**
 * Failed results of a monitor, as `listChecks` lists all of them. `failed_checks` is the index, so that a page reads
 * only what it returns, however many good checks are between.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function listFailedChecks(ctx: Context, input: ListChecksInput): Promise<CheckResult[]> {
  const { monitorId, endMs, oldestMs, wanted } = pageRange(ctx, input);
  const found: CheckResult[] = [];
  let beforeMs = endMs;
  return ctx.read(async (client) => {
    // A slot where a later run was good is left out; each further turn looks at more of them.
    for (let limit = wanted; ; limit = Math.min(maxSlots, limit * 4)) {
      const slots = await selectFailedSlots(client, { monitorId, fromMs: oldestMs, beforeMs, limit });
      const last = slots.at(-1);
      if (last === undefined) return pageOf(found, wanted);
      const rows = await selectChecksOf(client, monitorId, [...new Set(slots)]);
      found.push(...rows.filter(({ up }) => !up).map(resultOfRow));
      if (found.length >= wanted || slots.length < limit) return pageOf(found, wanted);
      beforeMs = last;
    }
  });
}

type ChecksRange = { monitorId: number; fromMs: number; beforeMs: number; limit: number };

const ofMonitor = "monitor_id = {monitorId:UInt32}";
const inRange = `${ofMonitor} AND slot >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
  AND slot < fromUnixTimestamp64Milli({beforeMs:Int64}, 'UTC')`;

/** Results of a monitor with slots in [from, before), newest first; all of the last slot, also beyond the limit. */
const selectChecks = (client: ClickHouseClient, range: ChecksRange): Promise<SelectedCheck[]> =>
  rowsOf(
    client,
    `SELECT * FROM (SELECT ${selectStored} FROM checks FINAL WHERE ${inRange}
      ORDER BY slot DESC LIMIT {limit:UInt32} WITH TIES) ${newestFirst}`,
    range,
  );

/** Slots of a monitor in [from, before) at which a check failed, or failed at first, newest first; some come twice. */
async function selectFailedSlots(client: ClickHouseClient, range: ChecksRange): Promise<number[]> {
  const rows = await rowsOf<{ slotMs: number }>(
    client,
    `SELECT toFloat64(toUnixTimestamp64Milli(slot)) AS slotMs FROM failed_checks WHERE ${inRange}
      ORDER BY slot DESC LIMIT {limit:UInt32}`,
    range,
  );
  return rows.map(({ slotMs }) => slotMs);
}

/** All results of a monitor at these slots, at least one, newest first. */
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
