import type { Database } from "@sonde/kit/postgres/database";
import type { DrillInput } from "@sonde/proto/http/on-call/drills";
import { deciding, type DecisionContext } from "../../alerts/deciding.ts";
import { closeRuns, openRun } from "./runs.ts";
import { personsIn, targetName } from "./target.ts";
import { minuteMs } from "../escalations.ts";
import { loadOnCall } from "../load.ts";

export type DrillRow = {
  id: number;
  target: string;
  targetName: string;
  schedule: DrillInput["schedule"] | null;
  dueAtMs: number | null;
  createdBy: string;
  createdAtMs: number;
};

/** An unacknowledged run ends this long after its last step or contact. */
const lastsMs = 30 * minuteMs;

/** Selects open runs that wait for no further step, with their end. */
export const runsEndAt = `
  select incidents.id, ${lastsMs} + greatest(
    opened_at_ms, (select max(greatest(at_ms, until_ms)) from decisions where incident_id = incidents.id)
  ) as ends_at_ms
  from incidents left join escalations on escalations.incident_id = incidents.id
  where drill_id is not null and closed_at_ms is null and escalations.due_at_ms is null`;

const atOnce = 20;

const dueDrills = (db: Database, nowMs: number): Promise<DrillRow[]> =>
  db("drills").where("due_at_ms", "<=", nowMs).orderBy("due_at_ms").limit(atOnce).select<DrillRow[]>();

async function endingRuns(db: Database, nowMs: number): Promise<string[]> {
  const sql = `select id from (${runsEndAt}) as running where ends_at_ms <= ? order by id limit ${atOnce}`;
  const { rows } = await db.raw<{ rows: { id: string }[] }>(sql, [nowMs]);
  return rows.map(({ id }) => id);
}

/** Starts drills that are due, and ends runs that nobody acknowledged. Returns how many. */
export async function runDrills(deps: DecisionContext): Promise<number> {
  const nowMs = deps.clock.now();
  const [candidates, ending] = await Promise.all([dueDrills(deps.db, nowMs), endingRuns(deps.db, nowMs)]);
  if (candidates.length + ending.length === 0) return 0;
  const onCall = await loadOnCall(deps, personsIn(candidates));
  const names = new Map<number, string | undefined>();
  for (const { id, target } of candidates) names.set(id, await targetName(deps, target));
  const count = await deciding(deps.db, async (trx) => {
    const due = await dueDrills(trx, nowMs);
    for (const drill of due) {
      if (!names.has(drill.id)) continue;
      const name = names.get(drill.id);
      const next = name === undefined ? null : nextStartMs(drill, nowMs);
      await trx("drills")
        .where({ id: drill.id })
        .update({ dueAtMs: next, targetName: name ?? drill.targetName });
      if (name !== undefined) await openRun(trx, deps, onCall, drill);
    }
    const ended = await endingRuns(trx, nowMs);
    await closeRuns(trx, deps, ended);
    return due.length + ended.length;
  });
  if (count > 0) deps.due();
  return count;
}

/** Returns the first start after an instant, at the time of day of the first one (UTC). Missed ones are left out. */
export function nextStartMs({ schedule, createdAtMs }: Pick<DrillRow, "schedule" | "createdAtMs">, nowMs: number) {
  if (schedule == null) return null;
  const first = Temporal.Instant.fromEpochMilliseconds(createdAtMs).toZonedDateTimeISO("UTC");
  const unit = schedule === "weekly" ? "weeks" : "months";
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(nowMs)).toZonedDateTimeISO("UTC");
  const passed = Math.max(0, first.until(now, { largestUnit: unit })[unit]);
  const starts = [passed, passed + 1, passed + 2].map((count) => first.add({ [unit]: count }).epochMilliseconds);
  return starts.find((atMs) => atMs > nowMs) ?? null;
}
