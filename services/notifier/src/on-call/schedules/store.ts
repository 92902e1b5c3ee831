import { ownersOf } from "@sonde/domain/managed/table";
import type { Database } from "@sonde/kit/postgres/database";
import {
  maxSchedules,
  type Override,
  type OnCallSchedule,
  type ScheduleInput,
} from "@sonde/proto/http/on-call/schedules";
import { findNamed, instantOf, type NamedKind, type NamedRow } from "../named.ts";
import { nowAndNext, type OverrideSpan } from "./on-call-at.ts";

export const scheduleKind: NamedKind<ScheduleInput> = {
  kind: "schedule",
  table: "schedules",
  fields: ["name", "timeZone", "layers"],
  max: maxSchedules,
  missing: "On-call schedule does not exist",
  full: "The limit of {max} schedules has been reached: delete one first",
};
export type StoredSchedule = NamedRow<ScheduleInput> & { feedToken: string | null };
export type StoredOverride = OverrideSpan & { id: number; scheduleId: number };

/** @throws AppError `not_found` */
export const findSchedule = (db: Database, id: number, lock = false): Promise<StoredSchedule> =>
  findNamed(db, scheduleKind, id, lock) as Promise<StoredSchedule>;

/** Overrides of schedules that end after an instant, by start. */
export const overridesAfter = (
  db: Database,
  scheduleIds: readonly number[],
  afterMs: number,
): Promise<StoredOverride[]> =>
  db("overrides")
    .whereRaw("schedule_id = any(?::int[])", [[...scheduleIds]])
    .where("end_ms", ">", afterMs)
    .orderBy("start_ms")
    .select<StoredOverride[]>();

/** With overrides that are not over, and who is on call now. */
export async function presentSchedules(
  db: Database,
  rows: readonly StoredSchedule[],
  nowMs: number,
): Promise<OnCallSchedule[]> {
  const ids = rows.map(({ id }) => id);
  const [owners, overrides] = await Promise.all([ownersOf(db, "schedule", ids), overridesAfter(db, ids, nowMs)]);
  return rows.map(({ id, name, value, feedToken, createdAtMs, updatedAtMs }) => {
    const own = overrides.filter(({ scheduleId }) => scheduleId === id);
    const { now, next } = nowAndNext(value, own, nowMs);
    return {
      id,
      name,
      ...value,
      overrides: own.map(presentOverride),
      now: now && { userId: now.userId, until: instantOf(now.untilMs) },
      next: next && { userId: next.userId, start: instantOf(next.startMs) },
      hasFeed: feedToken !== null,
      managed: owners.get(id),
      createdAt: instantOf(createdAtMs),
      updatedAt: instantOf(updatedAtMs),
    };
  });
}

export const presentOverride = ({ id, userId, startMs, endMs }: StoredOverride): Override => ({
  id,
  userId,
  start: instantOf(startMs),
  end: instantOf(endMs),
});
