import type { messageAnswer } from "@sonde/proto/http/auth";
import type { scheduleImportAnswer, ScheduleSource } from "@sonde/proto/http/on-call/import";
import type { drillAnswer, DrillInput, drillsAnswer } from "@sonde/proto/http/on-call/drills";
import type {
  feedAnswer,
  overrideAnswer,
  overrideInput,
  peopleAnswer,
  NamedUser,
  previewInput,
  OnCallSchedule,
  scheduleAnswer,
  ScheduleInput,
  schedulesAnswer,
  shiftsAnswer,
  shiftsQuery,
} from "@sonde/proto/http/on-call/schedules";
import type { z } from "zod";
import { type AnswerOf, api } from "../../app/api.ts";
import { onSuccess, post, put, remove } from "../../app/mutations.ts";

type Changed = AnswerOf<typeof scheduleAnswer>;
type Shifts = AnswerOf<typeof shiftsAnswer>;
type OverrideBody = z.input<typeof overrideInput>;
type ImportInput = { source: ScheduleSource; data: unknown };
const importTimeoutMs = 70_000;
const base = "/on-call/schedules";
const drillsBase = "/on-call/drills";

const onCallApi = api.enhanceEndpoints({ addTagTypes: ["OnCall", "Drills"] }).injectEndpoints({
  endpoints: (build) => ({
    schedules: build.query<AnswerOf<typeof schedulesAnswer>, void>({
      query: () => ({ url: base, params: { pageSize: 200 } }),
      providesTags: ["OnCall"],
    }),
    // No tags, because a refetch after saving would reset the open form.
    onCallSchedule: build.query<Changed, number>({ query: (id) => `${base}/${id}` }),
    shifts: build.query<Shifts, { id: number } & z.input<typeof shiftsQuery>>({
      query: ({ id, ...params }) => ({ url: `${base}/${id}/shifts`, params }),
      providesTags: ["OnCall"],
    }),
    previewShifts: build.query<Shifts, z.input<typeof previewInput>>({
      query: (body) => ({ url: `${base}/preview`, method: "POST", body }),
    }),
    people: build.query<AnswerOf<typeof peopleAnswer>, void>({ query: () => "/on-call/people" }),
    addSchedule: build.mutation<Changed, ScheduleInput>(post(base, "OnCall")),
    updateSchedule: build.mutation<Changed, { id: number; input: ScheduleInput }>(put(base, "OnCall")),
    removeSchedule: build.mutation<AnswerOf<typeof messageAnswer>, number>(remove(base, "OnCall")),
    addOverride: build.mutation<AnswerOf<typeof overrideAnswer>, { id: number; body: OverrideBody }>({
      query: ({ id, body }) => ({ url: `${base}/${id}/overrides`, method: "POST", body }),
      invalidatesTags: onSuccess("OnCall"),
    }),
    removeOverride: build.mutation<AnswerOf<typeof messageAnswer>, { id: number; overrideId: number }>({
      query: ({ id, overrideId }) => ({ url: `${base}/${id}/overrides/${overrideId}`, method: "DELETE" }),
      invalidatesTags: onSuccess("OnCall"),
    }),
    makeFeed: build.mutation<AnswerOf<typeof feedAnswer>, number>({
      query: (id) => ({ url: `${base}/${id}/feed`, method: "POST", body: {} }),
      invalidatesTags: onSuccess("OnCall"),
    }),
    drills: build.query<AnswerOf<typeof drillsAnswer>, void>({ query: () => drillsBase, providesTags: ["Drills"] }),
    startDrill: build.mutation<AnswerOf<typeof drillAnswer>, DrillInput>(post(drillsBase, "Drills")),
    acknowledgeDrill: build.mutation<AnswerOf<typeof drillAnswer>, number>({
      query: (id) => ({ url: `${drillsBase}/${id}/acknowledge`, method: "POST" }),
      invalidatesTags: onSuccess("Drills"),
    }),
    deleteDrill: build.mutation<AnswerOf<typeof messageAnswer>, number>(remove(drillsBase, "Drills")),
    importSchedules: build.mutation<AnswerOf<typeof scheduleImportAnswer>, { input: ImportInput; dryRun: boolean }>({
      query: ({ input, dryRun }) => ({
        url: "/on-call/import",
        method: "POST",
        params: { dryRun },
        body: input,
        timeout: importTimeoutMs,
      }),
      invalidatesTags: (_answer, error, { dryRun }) => (dryRun || error !== undefined ? [] : ["OnCall"]),
    }),
  }),
});

export const {
  useDrillsQuery,
  useStartDrillMutation,
  useAcknowledgeDrillMutation,
  useDeleteDrillMutation,
  useImportSchedulesMutation,
  useSchedulesQuery,
  useOnCallScheduleQuery,
  useShiftsQuery,
  usePreviewShiftsQuery,
  usePeopleQuery,
  useAddScheduleMutation,
  useUpdateScheduleMutation,
  useRemoveScheduleMutation,
  useAddOverrideMutation,
  useRemoveOverrideMutation,
  useMakeFeedMutation,
} = onCallApi;

/** Shifts and gaps, which have no user, in order. */
export const spansOf = ({ shifts, gaps }: Pick<Shifts, "shifts" | "gaps">) =>
  [...shifts, ...gaps.map((gap) => ({ ...gap, userId: null, source: null }))].sort((one, other) =>
    one.start.localeCompare(other.start),
  );

export type NamedSchedule = OnCallSchedule & { nameOf: (userId: number) => string };

/** @param deleted name of users who were deleted */
export function namesIn(people: readonly NamedUser[], deleted: string): (userId: number) => string {
  const names = new Map(people.map(({ id, name }) => [id, name]));
  return (userId) => names.get(userId) ?? deleted;
}
