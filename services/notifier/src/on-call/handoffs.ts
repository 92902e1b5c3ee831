import type { Database } from "@sonde/kit/postgres/database";
import { deciding, type DecisionContext } from "../alerts/deciding.ts";
import { loadOnCall, readContacts } from "./load.ts";
import { addNotice } from "./notices.ts";
import { nowAndNext, type OverrideSpan, type Rotation, shiftsBetween } from "./schedules/on-call-at.ts";
import { dayMs } from "./schedules/spans.ts";
import { overridesAfter, type StoredSchedule } from "./schedules/store.ts";

type DueSchedule = StoredSchedule & { handoffAtMs: number | null; handedTo: number | null };

/** A schedule whose person does not change is computed again after this time. */
const againMs = 30 * dayMs;
const maxLookBackMs = 400 * dayMs;

const dueSchedules = (db: Database, nowMs: number) =>
  db("schedules").whereRaw("coalesce(handoff_at_ms, 0) <= ?", [nowMs]).orderBy("id");

/** Adds a message to each person who is on call instead of another. Returns how many schedules were due. */
export async function handOff(deps: DecisionContext): Promise<number> {
  const nowMs = Math.round(deps.clock.now());
  if ((await dueSchedules(deps.db, nowMs).limit(1).pluck("id")).length === 0) return 0;
  const { users, isAway } = await loadOnCall(deps);
  const count = await deciding(deps.db, async (trx) => {
    // Locked, so that a change at the same time is seen now or makes it due again.
    const due = await dueSchedules(trx, nowMs).forUpdate().select<DueSchedule[]>();
    const ids = due.map(({ id }) => id);
    const overrides = Map.groupBy(await overridesAfter(trx, ids, nowMs - maxLookBackMs), (one) => one.scheduleId);
    for (const { id, value, handoffAtMs, handedTo } of due) {
      const own = overrides.get(id) ?? [];
      const { now, next } = nowAndNext(value, own, nowMs);
      const nextAtMs = Math.min(now?.untilMs ?? next?.startMs ?? Infinity, nowMs + againMs);
      await trx("schedules")
        .where({ id })
        .update({ handoffAtMs: nextAtMs, handedTo: now?.userId ?? handedTo });
      const isFirst = handoffAtMs === null;
      if (isFirst || now === undefined || now.userId === handedTo || isAway(now.userId)) continue;
      const { userId } = now;
      if ((await readContacts(trx, [userId])).get(userId)?.handoff === false) continue;
      const startMs = startOf(value, own, nowMs);
      const isTold = await addNotice(trx, deps, {
        key: `handoff-${id}-${startMs}-${userId}`,
        notice: { kind: "handoff", scheduleId: id, userId, startMs },
        person: users.get(userId) ?? undefined,
        ways: ["low", "mail", "high"],
      });
      if (!isTold) deps.log.warn({ schedule: id, user: userId }, "no contact for a handoff message");
    }
    return due.length;
  });
  deps.due();
  return count;
}

/** Makes the next handoff of a changed schedule be computed again. */
export const planHandoff = (trx: Database, id: number): Promise<number> =>
  trx("schedules").where({ id }).whereNotNull("handoff_at_ms").update({ handoffAtMs: 0 });

/** Returns when the person who is on call at an instant began. A gap is part of the shift if the same person returns. */
export const startOf = (schedule: Rotation, overrides: readonly OverrideSpan[], atMs: number): number => {
  const { shifts, before } = shiftsBefore(schedule, overrides, atMs + 1);
  return shifts[before + 1]?.startMs ?? atMs;
};

/** Returns the shift of the person who was on call before the one that begins at `startMs`. */
export function lastShift(
  schedule: Rotation,
  overrides: readonly OverrideSpan[],
  startMs: number,
): OverrideSpan | undefined {
  const { shifts, before } = shiftsBefore(schedule, overrides, startMs);
  const last = shifts.at(-1);
  return last && { userId: last.userId, startMs: shifts[before + 1]!.startMs, endMs: last.endMs };
}

/** Returns the shifts before an instant, and the index of the last one that is not of the same person as the very last. */
function shiftsBefore(schedule: Rotation, overrides: readonly OverrideSpan[], endMs: number) {
  let found: { shifts: OverrideSpan[]; before: number } = { shifts: [], before: -1 };
  for (const days of [2, 32, 400]) {
    const { shifts } = shiftsBetween(schedule, overrides, endMs - days * dayMs, endMs);
    found = { shifts, before: shifts.findLastIndex(({ userId }) => userId !== shifts.at(-1)?.userId) };
    if (found.before !== -1) break;
  }
  return found;
}
