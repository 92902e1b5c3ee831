import { AppError, invalid } from "@sonde/kit/errors";
import { maxOverrideMs, maxShiftsMs, type Override, type overrideInput } from "@sonde/proto/http/on-call/schedules";
import type { onCallContract, PackedShifts } from "@sonde/proto/rpc/on-call";
import { timingSafeEqual } from "node:crypto";
import type { z } from "zod";
import type { Context } from "../../context.ts";
import { planHandoff } from "../handoffs.ts";
import { type OverrideSpan, type Rotation, shiftsBetween } from "./on-call-at.ts";
import { changing, instantOf, recordNamed } from "../named.ts";
import { feedHash } from "./schedules.ts";
import { dayMs } from "./spans.ts";
import { findSchedule, overridesAfter, presentOverride, type StoredOverride, type StoredSchedule } from "./store.ts";

type InputOf<Method extends keyof typeof onCallContract.methods> = z.output<
  (typeof onCallContract.methods)[Method]["input"]
>;

/** More would not fit into a bus message. */
const maxShifts = 15_000;
const maxGaps = 100;
/** Overrides of one schedule that are not over. */
const maxOverrides = 1000;

/** @throws AppError `not_found`, `invalid` */
export async function listShifts({ db }: Context, { id, ...period }: InputOf<"listShifts">): Promise<PackedShifts> {
  const { value } = await findSchedule(db, id);
  const { fromMs, toMs } = checkPeriod(period);
  return packed(value, await overridesAfter(db, [id], fromMs), fromMs, toMs);
}

/** The shifts that a schedule would have. @throws AppError `invalid` */
export function previewShifts({ from, to, ...rotation }: InputOf<"previewShifts">): PackedShifts {
  const { fromMs, toMs } = checkPeriod({ from, to });
  return packed(rotation, [], fromMs, toMs);
}

function checkPeriod({ from, to }: { from: string; to: string }): { fromMs: number; toMs: number } {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  if (toMs <= fromMs) throw invalid([{ path: "to", message: "The end must be after the start" }]);
  if (toMs - fromMs > maxShiftsMs) {
    const params = { days: maxShiftsMs / dayMs };
    throw invalid([{ path: "to", message: "The duration can be at most {days} days", params }]);
  }
  return { fromMs, toMs };
}

/** @throws AppError `impossible` if there are too many */
function packed(rotation: Rotation, overrides: readonly OverrideSpan[], fromMs: number, toMs: number): PackedShifts {
  const { shifts, gaps } = shiftsBetween(rotation, overrides, fromMs, toMs);
  if (shifts.length + gaps.length > maxShifts) {
    throw new AppError("impossible", "This period has more than {max} shifts: choose a shorter one", {
      params: { max: maxShifts },
    });
  }
  return {
    shifts: shifts.map(({ userId, startMs, endMs, source }) => [userId, startMs, endMs, source === "override"]),
    gaps: gaps.map(({ startMs, endMs }) => [startMs, endMs]),
  };
}

/** Gaps of all schedules within seven days, the first ones. */
export async function listGaps({ db, clock }: Context) {
  const nowMs = clock.now();
  const rows = await db("schedules").orderBy("id").select<StoredSchedule[]>();
  const overrides = await overridesAfter(
    db,
    rows.map(({ id }) => id),
    nowMs,
  );
  const gaps = rows.flatMap(({ id, name, value }) => {
    const own = overrides.filter(({ scheduleId }) => scheduleId === id);
    return shiftsBetween(value, own, nowMs, nowMs + 7 * dayMs).gaps.map((gap) => ({ ...gap, scheduleId: id, name }));
  });
  return {
    gaps: gaps
      .sort((one, other) => one.startMs - other.startMs)
      .slice(0, maxGaps)
      .map(({ startMs, endMs, ...of }) => ({ ...of, start: instantOf(startMs), end: instantOf(endMs) })),
  };
}

/**
 * Adds an override, which replaces all layers.
 * @throws AppError `not_found`, `invalid`, `conflict` if it overlaps another, `impossible` if there are too many
 */
export function createOverride(
  ctx: Context,
  { id, userId, start, end }: z.output<typeof overrideInput> & { id: number },
): Promise<Override> {
  const [startMs, endMs] = [Date.parse(start), Date.parse(end)];
  if (endMs <= startMs) throw invalid([{ path: "end", message: "The end must be after the start" }]);
  if (endMs - startMs > maxOverrideMs) {
    const params = { days: maxOverrideMs / dayMs };
    throw invalid([{ path: "end", message: "The duration can be at most {days} days", params }]);
  }
  return changing(ctx, async (trx, nowMs) => {
    if (endMs <= nowMs) throw invalid([{ path: "end", message: "This time is in the past" }]);
    const schedule = await findSchedule(trx, id, true);
    const there = await overridesAfter(trx, [id], nowMs);
    const other = there.find((one) => one.startMs < endMs && startMs < one.endMs);
    if (other !== undefined) throw overlapping(other, schedule.value.timeZone);
    if (there.length >= maxOverrides) {
      throw new AppError("impossible", "The limit of {max} overrides has been reached: delete one first", {
        params: { max: maxOverrides },
      });
    }
    await trx("overrides")
      .where({ scheduleId: id })
      .where("end_ms", "<", nowMs - maxShiftsMs)
      .delete();
    const row = { scheduleId: id, userId, startMs, endMs };
    const [made] = await trx("overrides").insert(row).returning<StoredOverride[]>("*");
    await planHandoff(trx, id);
    const override = presentOverride(made!);
    await recordNamed(trx, "schedule", "update", schedule, { after: { override } });
    return override;
  });
}

function overlapping({ startMs, endMs }: OverrideSpan, timeZone: string): AppError {
  const [from, to] = [startMs, endMs].map((ms) =>
    Temporal.Instant.fromEpochMilliseconds(ms)
      .toZonedDateTimeISO(timeZone)
      .toPlainDateTime()
      .toString({ smallestUnit: "minute" })
      .replace("T", " "),
  ) as [string, string];
  const fault = {
    message: "Another override is from {from} to {to} ({timeZone})",
    params: { from, to, timeZone },
  } as const;
  return new AppError("conflict", fault.message, { ...fault, details: [{ path: "start", ...fault }] });
}

/** @throws AppError `not_found`, or `forbidden` if it is not of the user `onlyOf` */
export const deleteOverride = (ctx: Context, { id, overrideId, onlyOf }: InputOf<"deleteOverride">): Promise<void> =>
  changing(ctx, async (trx) => {
    const schedule = await findSchedule(trx, id, true);
    const ofSchedule = trx("overrides").where({ id: overrideId, scheduleId: id });
    const override = await ofSchedule.clone().first<StoredOverride | undefined>();
    if (override === undefined) throw new AppError("not_found", "The override does not exist");
    if (onlyOf !== undefined && override.userId !== onlyOf)
      throw new AppError("forbidden", "You can only change your own shifts");
    await ofSchedule.delete();
    await planHandoff(trx, id);
    await recordNamed(trx, "schedule", "update", schedule, { before: { override: presentOverride(override) } });
  });

/** @throws AppError `not_found` if the token is not valid */
export async function readFeed(
  { db, clock }: Context,
  { id, token }: InputOf<"readFeed">,
): Promise<PackedShifts & { name: string }> {
  const { name, value, feedToken } = await findSchedule(db, id);
  const isValid = feedToken !== null && timingSafeEqual(Buffer.from(feedToken), Buffer.from(feedHash(token)));
  if (!isValid) throw new AppError("not_found", "On-call schedule does not exist");
  // Whole days, so that the first and last event do not change with each request.
  const todayMs = Math.floor(clock.now() / dayMs) * dayMs;
  const [fromMs, toMs] = [todayMs - 30 * dayMs, todayMs + 91 * dayMs];
  return { name, ...packed(value, await overridesAfter(db, [id], fromMs), fromMs, toMs) };
}
