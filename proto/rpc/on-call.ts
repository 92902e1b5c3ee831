import * as z from "zod";
import { id } from "../http/envelope.ts";
import {
  gapsAnswer,
  override,
  overrideInput,
  previewInput,
  schedule,
  scheduleInput,
  schedulePatch,
  schedulesAnswer,
  schedulesQuery,
  shiftsQuery,
} from "../http/on-call/schedules.ts";
import { contract, nothing } from "./contract.ts";

const byId = z.object({ id });
/** `[userId, startMs, endMs, isOverride]`, because a bus message holds 1 MiB. */
const shifts = z.object({
  shifts: z.array(z.tuple([id, z.number(), z.number(), z.boolean()])),
  gaps: z.array(z.tuple([z.number(), z.number()])),
});
export type PackedShifts = z.output<typeof shifts>;

/** Schedules of who is on call. Users appear by id; the caller adds their names. */
export const onCallContract = contract("on-call", {
  listSchedules: { input: schedulesQuery, answer: schedulesAnswer.pick({ schedules: true, total: true }) },
  getSchedule: { input: byId, answer: schedule },
  createSchedule: { input: scheduleInput, answer: schedule },
  updateSchedule: { input: schedulePatch.extend({ id }), answer: schedule },
  deleteSchedule: { input: byId, answer: nothing },
  listShifts: { input: shiftsQuery.extend({ id }), answer: shifts },
  previewShifts: { input: previewInput, answer: shifts },
  listGaps: { input: nothing, answer: gapsAnswer.pick({ gaps: true }) },
  createOverride: { input: overrideInput.extend({ id }), answer: override },
  // `onlyOf`: the caller may only delete overrides of this user.
  deleteOverride: { input: z.object({ id, overrideId: id, onlyOf: id.optional() }), answer: nothing },
  // Replaces the token of the calendar feed.
  makeFeed: { input: byId, answer: z.object({ token: z.string() }) },
  // Shifts from 30 days ago to 90 days ahead. not_found: the token is not valid
  readFeed: { input: z.object({ id, token: z.string() }), answer: shifts.extend({ name: z.string() }) },
});
