import type { messageAnswer } from "@sonde/proto/http/auth";
import type { silenceAnswer, silenceInput, silencePatch, silencesAnswer } from "@sonde/proto/http/status/silences";
import type { z } from "zod";
import { type AnswerOf, api } from "../../app/api.ts";
import { post, put, remove } from "../../app/mutations.ts";

export type SilenceTarget = z.input<typeof silenceInput>["target"];

const shownIn = ["Silences", "Monitor", "MonitorList", "Agent", "AgentList", "Incident", "IncidentList"] as const;

const silencesApi = api.enhanceEndpoints({ addTagTypes: ["Silences"] }).injectEndpoints({
  endpoints: (build) => ({
    silences: build.query<AnswerOf<typeof silencesAnswer>, void>({
      query: () => "/silences",
      providesTags: ["Silences"],
    }),
    silence: build.mutation<AnswerOf<typeof silenceAnswer>, z.input<typeof silenceInput>>(
      post("/silences", ...shownIn),
    ),
    updateSilence: build.mutation<AnswerOf<typeof silenceAnswer>, { id: number; input: z.input<typeof silencePatch> }>(
      put("/silences", ...shownIn),
    ),
    endSilence: build.mutation<AnswerOf<typeof messageAnswer>, number>(remove("/silences", ...shownIn)),
  }),
});

export const { useSilencesQuery, useSilenceMutation, useUpdateSilenceMutation, useEndSilenceMutation } = silencesApi;
