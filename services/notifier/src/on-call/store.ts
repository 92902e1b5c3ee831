import { ownersOf } from "@sonde/domain/managed/table";
import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { Override, Schedule, ScheduleInput, schedulesQuery } from "@sonde/proto/http/on-call/schedules";
import type { z } from "zod";
import { nowAndNext, type OverrideSpan } from "./on-call-at.ts";

export type StoredSchedule = {
  id: number;
  name: string;
  value: Omit<ScheduleInput, "name">;
  feedToken: string | null;
  createdAtMs: number;
  updatedAtMs: number;
};
export type StoredOverride = OverrideSpan & { id: number; scheduleId: number };

/** @throws AppError `not_found` */
export async function findSchedule(db: Database, id: number, lock = false): Promise<StoredSchedule> {
  const query = db("schedules").where({ id }).first<StoredSchedule | undefined>();
  const row = await (lock ? query.forUpdate() : query);
  if (row === undefined) throw new AppError("not_found", "On-call schedule does not exist");
  return row;
}

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

export async function pageOfSchedules(
  db: Database,
  { page, pageSize, search = "", sort = "name" }: z.output<typeof schedulesQuery>,
): Promise<{ rows: StoredSchedule[]; total: number }> {
  const matching = db("schedules");
  // PostgreSQL cannot store NUL in a text.
  const key = search.replaceAll("\0", "").toLowerCase();
  if (key !== "") void matching.whereRaw("position(? in lower(name)) > 0", [key]);
  const order = sort.startsWith("-") ? "desc" : "asc";
  const [rows, [counted]] = await Promise.all([
    matching
      .clone()
      .orderBy([
        { column: sort.endsWith("name") ? "name" : "createdAtMs", order },
        { column: "id", order },
      ])
      .limit(pageSize)
      .offset((page - 1) * pageSize)
      .select<StoredSchedule[]>(),
    matching.clone().count<{ count: number }[]>("* as count"),
  ]);
  return { rows, total: counted?.count ?? 0 };
}

/** With overrides that are not over, and who is on call now. */
export async function presentSchedules(
  db: Database,
  rows: readonly StoredSchedule[],
  nowMs: number,
): Promise<Schedule[]> {
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
      now: now && { userId: now.userId, until: now.untilMs === undefined ? undefined : isoOf(now.untilMs) },
      next: next && { userId: next.userId, start: isoOf(next.startMs) },
      hasFeed: feedToken !== null,
      managed: owners.get(id),
      createdAt: isoOf(createdAtMs),
      updatedAt: isoOf(updatedAtMs),
    };
  });
}

export const presentOverride = ({ id, userId, startMs, endMs }: StoredOverride): Override => ({
  id,
  userId,
  start: isoOf(startMs),
  end: isoOf(endMs),
});

export const isoOf = (ms: number) => new Date(ms).toISOString();
