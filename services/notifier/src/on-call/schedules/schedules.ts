import type { Database } from "@sonde/kit/postgres/database";
import type { OnCallSchedule, ScheduleInput, SchedulePatch, schedulesQuery } from "@sonde/proto/http/on-call/schedules";
import { createHash, randomBytes } from "node:crypto";
import type { z } from "zod";
import type { Context } from "../../context.ts";
import { planHandoff } from "../handoffs.ts";
import { addNamed, changeNamed, changing, pageOf, recordNamed, removeNamed } from "../named.ts";
import { onCallAt } from "./on-call-at.ts";
import { findSchedule, presentSchedules, scheduleKind, type StoredSchedule } from "./store.ts";

export async function listSchedules(
  { db, clock }: Context,
  { sort = "name", ...query }: z.output<typeof schedulesQuery>,
): Promise<{ schedules: OnCallSchedule[]; total: number }> {
  const order = sort.startsWith("-") ? "desc" : "asc";
  const { rows, total } = await pageOf<StoredSchedule>(db, scheduleKind, query, [
    { column: sort.endsWith("name") ? "name" : "createdAtMs", order },
    { column: "id", order },
  ]);
  return { schedules: await presentSchedules(db, rows, clock.now()), total };
}

/** @throws AppError `not_found` */
export const getSchedule = ({ db, clock }: Context, id: number): Promise<OnCallSchedule> => shown(db, id, clock.now());

async function shown(db: Database, id: number, nowMs: number): Promise<OnCallSchedule> {
  const [schedule] = await presentSchedules(db, [await findSchedule(db, id)], nowMs);
  return schedule!;
}

/** @throws AppError `impossible` if there are too many schedules */
export const createSchedule = (ctx: Context, input: ScheduleInput): Promise<OnCallSchedule> =>
  changing(ctx, async (trx, nowMs) => {
    const { id, value } = await addNamed(trx, scheduleKind, input, nowMs);
    // Who is on call at first gets no handoff message.
    await trx("schedules")
      .where({ id })
      .update({ handedTo: onCallAt(value, [], nowMs)?.userId, handoffAtMs: 0 });
    return shown(trx, id, nowMs);
  });

/** Changes the given fields. @throws AppError `not_found`, or `conflict` if a source owns a changed field */
export const updateSchedule = (
  ctx: Context,
  id: number,
  patch: SchedulePatch,
  isOwner = false,
): Promise<OnCallSchedule> =>
  changing(ctx, async (trx, nowMs) => {
    await changeNamed(trx, scheduleKind, id, patch, { nowMs, isOwner });
    await planHandoff(trx, id);
    return shown(trx, id, nowMs);
  });

/** @throws AppError `not_found`, `conflict` if a source owns it */
export const removeSchedule = (ctx: Context, id: number, isOwner = false): Promise<void> =>
  changing(ctx, (trx) => removeNamed(trx, scheduleKind, id, isOwner));

/** Replaces the token of the calendar feed, and returns it, which is not possible later. @throws AppError `not_found` */
export const makeFeed = (ctx: Context, id: number): Promise<{ token: string }> =>
  changing(ctx, async (trx) => {
    const row = await findSchedule(trx, id, true);
    const token = randomBytes(24).toString("base64url");
    await trx("schedules")
      .where({ id })
      .update({ feedToken: feedHash(token) });
    await recordNamed(trx, "schedule", "rotate", row, { after: { feed: true } });
    return { token };
  });

export const feedHash = (token: string): string => createHash("sha256").update(token).digest("hex");
