import type { messageAnswer } from "@sonde/proto/http/auth";
import type { drillAnswer, DrillInput, drillsAnswer } from "@sonde/proto/http/on-call/drills";
import { type AnswerOf, api } from "../../../app/api.ts";
import { onSuccess, post, remove } from "../../../app/mutations.ts";

const base = "/on-call/drills";
type Changed = AnswerOf<typeof drillAnswer>;

const drillsApi = api.enhanceEndpoints({ addTagTypes: ["Drills"] }).injectEndpoints({
  endpoints: (build) => ({
    drills: build.query<AnswerOf<typeof drillsAnswer>, void>({ query: () => base, providesTags: ["Drills"] }),
    startDrill: build.mutation<Changed, DrillInput>(post(base, "Drills")),
    acknowledgeDrill: build.mutation<Changed, number>({
      query: (id) => ({ url: `${base}/${id}/acknowledge`, method: "POST" }),
      invalidatesTags: onSuccess("Drills"),
    }),
    deleteDrill: build.mutation<AnswerOf<typeof messageAnswer>, number>(remove(base, "Drills")),
  }),
});

export const { useDrillsQuery, useStartDrillMutation, useAcknowledgeDrillMutation, useDeleteDrillMutation } = drillsApi;
