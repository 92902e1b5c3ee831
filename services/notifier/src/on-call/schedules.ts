import { record } from "@sonde/domain/audit";
import { refuseOwned } from "@sonde/domain/managed/table";
import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import {
  maxSchedules,
  type Schedule,
  type ScheduleInput,
  type SchedulePatch,
  type schedulesQuery,
} from "@sonde/proto/http/on-call/schedules";
import type { AuditAction } from "@sonde/proto/http/audit";
import { createHash, randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { findSchedule, pageOfSchedules, presentSchedules, type StoredSchedule } from "./store.ts";

export async function listSchedules(
  { db, clock }: Context,
  query: z.output<typeof schedulesQuery>,
): Promise<{ schedules: Schedule[]; total: number }> {
  const { rows, total } = await pageOfSchedules(db, query);
  return { schedules: await presentSchedules(db, rows, clock.now()), total };
}

/** @throws AppError `not_found` */
export const getSchedule = async ({ db, clock }: Context, id: number): Promise<Schedule> =>
  shown(db, await findSchedule(db, id), clock.now());

async function shown(db: Database, row: StoredSchedule, nowMs: number): Promise<Schedule> {
  const [schedule] = await presentSchedules(db, [row], nowMs);
  return schedule!;
}

/** @throws AppError `impossible` if there are too many schedules */
export const createSchedule = (ctx: Context, { name, ...value }: ScheduleInput): Promise<Schedule> =>
  changing(ctx, async (trx, nowMs) => {
    // Serialises concurrent additions, which would both find room for one more.
    await trx.raw("lock table schedules in share row exclusive mode");
    const [counted] = await trx("schedules").count<{ count: number }[]>("* as count");
    if ((counted?.count ?? 0) >= maxSchedules) {
      const params = { max: maxSchedules };
      throw new AppError("impossible", "The limit of {max} schedules has been reached: delete one first", { params });
    }
    const row = { name, value, createdAtMs: nowMs, updatedAtMs: nowMs };
    const [made] = await trx("schedules").insert(row).returning<StoredSchedule[]>("*");
    await recordSchedule(trx, "create", made!, { after: { name, ...value } });
    return shown(trx, made!, nowMs);
  });

/** Changes the given fields. @throws AppError `not_found`, or `conflict` if a source owns a changed field */
export const updateSchedule = (ctx: Context, id: number, patch: SchedulePatch, isOwner = false): Promise<Schedule> =>
  changing(ctx, async (trx, nowMs) => {
    const row = await findSchedule(trx, id, true);
    const before: ScheduleInput = { name: row.name, ...row.value };
    const changed = changedScheduleFields(before, patch);
    if (!isOwner) await refuseOwned(trx, { kind: "schedule", id, name: row.name }, () => changed);
    const after = { ...before, ...Object.fromEntries(changed.map((field) => [field, patch[field]])) };
    const { name, ...value } = after;
    const [updated] = await trx("schedules")
      .where({ id })
      .update({ name, value, updatedAtMs: nowMs })
      .returning<StoredSchedule[]>("*");
    await recordSchedule(trx, "update", updated!, { before, after });
    return shown(trx, updated!, nowMs);
  });

export const changedScheduleFields = (before: ScheduleInput, patch: SchedulePatch): (keyof ScheduleInput)[] =>
  (["name", "timeZone", "layers"] as const).filter(
    (field) => patch[field] !== undefined && !isDeepStrictEqual(before[field], patch[field]),
  );

/** @throws AppError `not_found`, `conflict` if a source owns it */
export const removeSchedule = (ctx: Context, id: number, isOwner = false): Promise<void> =>
  changing(ctx, async (trx) => {
    const row = await findSchedule(trx, id, true);
    if (!isOwner) await refuseOwned(trx, { kind: "schedule", id, name: row.name }, null);
    await trx("schedules").where({ id }).delete();
    await recordSchedule(trx, "delete", row, { before: { name: row.name, ...row.value } });
  });

/** Replaces the token of the calendar feed, and returns it, which is not possible later. @throws AppError `not_found` */
export const makeFeed = (ctx: Context, id: number): Promise<{ token: string }> =>
  changing(ctx, async (trx) => {
    const row = await findSchedule(trx, id, true);
    const token = randomBytes(24).toString("base64url");
    await trx("schedules")
      .where({ id })
      .update({ feedToken: feedHash(token) });
    await recordSchedule(trx, "rotate", row, { after: { feed: true } });
    return { token };
  });

export const feedHash = (token: string): string => createHash("sha256").update(token).digest("hex");

type Recorded = Partial<ScheduleInput> & { override?: object; feed?: true };

export const recordSchedule = (
  trx: Database,
  action: AuditAction,
  { id, name }: { id: number; name: string },
  states: { before?: Recorded; after?: Recorded },
): Promise<void> => record(trx, "notifier", { action, target: { type: "schedule", id, name }, ...states });

export async function changing<Result>(
  { db, clock, committed }: Context,
  change: (trx: Database, nowMs: number) => Promise<Result>,
): Promise<Result> {
  const result = await db.transaction((trx) => change(trx, clock.now()));
  committed();
  return result;
}
