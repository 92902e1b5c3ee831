import type { Handlers } from "@sonde/kit/bus/rpc";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { onCallContract } from "@sonde/proto/rpc/on-call";
import type { Context } from "../context.ts";
import { createSchedule, getSchedule, listSchedules, makeFeed, removeSchedule, updateSchedule } from "./schedules.ts";
import type { PolicyHandlers } from "./policy-endpoints.ts";
import { createOverride, deleteOverride, listGaps, listShifts, previewShifts, readFeed } from "./shifts.ts";

const nothing = () => ({});

export const onCallEndpoints = (ctx: Context): Omit<Handlers<typeof onCallContract>, keyof PolicyHandlers> => ({
  listSchedules: (input) => orUnavailable(() => listSchedules(ctx, input)),
  getSchedule: ({ id }) => orUnavailable(() => getSchedule(ctx, id)),
  createSchedule: (input) => orUnavailable(() => createSchedule(ctx, input)),
  updateSchedule: ({ id, ...patch }) => orUnavailable(() => updateSchedule(ctx, id, patch)),
  deleteSchedule: ({ id }) => orUnavailable(() => removeSchedule(ctx, id)).then(nothing),
  listShifts: (input) => orUnavailable(() => listShifts(ctx, input)),
  previewShifts: async (input) => previewShifts(input),
  listGaps: () => orUnavailable(() => listGaps(ctx)),
  createOverride: (input) => orUnavailable(() => createOverride(ctx, input)),
  deleteOverride: (input) => orUnavailable(() => deleteOverride(ctx, input)).then(nothing),
  makeFeed: ({ id }) => orUnavailable(() => makeFeed(ctx, id)),
  readFeed: (input) => orUnavailable(() => readFeed(ctx, input)),
});
