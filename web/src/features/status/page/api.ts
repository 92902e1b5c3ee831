import type { StatusConfigInput, statusConfigAnswer, statusPreviewAnswer } from "@sonde/proto/http/status/config";
import { type AnswerOf, api } from "../../../app/api.ts";

export type StatusConfigAnswer = AnswerOf<typeof statusConfigAnswer>;

const previewKeptSeconds = 10;

const statusConfigApi = api.injectEndpoints({
  endpoints: (build) => ({
    statusConfig: build.query<StatusConfigAnswer, void>({
      query: () => "/status/config",
      // A form begins with what is stored now, not with what was read on an earlier visit.
      keepUnusedDataFor: 0,
    }),
    saveStatusConfig: build.mutation<StatusConfigAnswer & { message?: string }, StatusConfigInput>({
      query: (body) => ({ url: "/status/config", method: "PUT", body }),
      async onQueryStarted(_input, { dispatch, queryFulfilled }) {
        const answer = await queryFulfilled.catch(() => undefined);
        if (answer === undefined) return;
        const { config, publicUrl, managed } = answer.data;
        dispatch(
          statusConfigApi.util.updateQueryData("statusConfig", undefined, () => ({ config, publicUrl, managed })),
        );
      },
    }),
    // A question although it is a POST: it changes nothing.
    statusPreview: build.query<
      AnswerOf<typeof statusPreviewAnswer>,
      { input: StatusConfigInput; /** The server answers in the language of the app. */ language: string }
    >({
      query: ({ input }) => ({ url: "/status/config/preview", method: "POST", body: input }),
      keepUnusedDataFor: previewKeptSeconds,
    }),
  }),
});

export const { useStatusConfigQuery, useSaveStatusConfigMutation, useStatusPreviewQuery } = statusConfigApi;
