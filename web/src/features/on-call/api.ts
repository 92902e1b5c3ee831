import type { messageAnswer } from "@sonde/proto/http/auth";
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
const base = "/on-call/schedules";

const onCallApi = api.enhanceEndpoints({ addTagTypes: ["OnCall"] }).injectEndpoints({
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
  }),
});

export const {
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

export type NamedSchedule = OnCallSchedule & { nameOf: (userId: number) => string };

/** @param deleted name of users who were deleted */
export function namesIn(people: readonly NamedUser[], deleted: string): (userId: number) => string {
  const names = new Map(people.map(({ id, name }) => [id, name]));
  return (userId) => names.get(userId) ?? deleted;
}
