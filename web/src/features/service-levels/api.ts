import type { messageAnswer } from "@sonde/proto/http/auth";
import type { sloAnswer, SloInput, SloPatch, slosAnswer, slosQuery } from "@sonde/proto/http/slos";
import { type AnswerOf, api, type QueryOf } from "../../app/api.ts";
import { post, put, remove } from "../../app/mutations.ts";

type Changed = AnswerOf<typeof sloAnswer>;

const slosApi = api.enhanceEndpoints({ addTagTypes: ["Slos"] }).injectEndpoints({
  endpoints: (build) => ({
    slos: build.query<AnswerOf<typeof slosAnswer>, QueryOf<typeof slosQuery>>({
      query: (params) => ({ url: "/slos", params }),
      providesTags: ["Slos"],
    }),
    slo: build.query<Changed, number>({ query: (id) => `/slos/${id}` }),
    createSlo: build.mutation<Changed, SloInput>(post("/slos", "Slos")),
    updateSlo: build.mutation<Changed, { id: number; input: SloPatch }>(put("/slos", "Slos")),
    deleteSlo: build.mutation<AnswerOf<typeof messageAnswer>, number>(remove("/slos", "Slos")),
  }),
});

export const { useSlosQuery, useSloQuery, useCreateSloMutation, useUpdateSloMutation, useDeleteSloMutation } = slosApi;
