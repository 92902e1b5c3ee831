import type { StatusConfigInput, statusConfigAnswer, statusPreviewAnswer } from "@sonde/proto/http/status/config";
import type { imageAnswer } from "@sonde/proto/http/status/images";
import type { pageAnswer } from "@sonde/proto/http/status/pages";
import { type AnswerOf, api } from "../../../app/api.ts";
import { onSuccess } from "../../../app/mutations.ts";
import { defaultPage } from "../pages/api.ts";

export type StatusConfigAnswer = AnswerOf<typeof statusConfigAnswer>;

const previewKeptSeconds = 10;

const urlOf = (slug: string) => (slug === defaultPage ? "/status/config" : `/pages/${slug}`);

function readConfig(answer: StatusConfigAnswer | AnswerOf<typeof pageAnswer>): StatusConfigAnswer {
  if ("config" in answer) return answer;
  const {
    slug: _,
    hosts: _hosts,
    access: _access,
    links: _links,
    updatedAt: _at,
    url,
    managed,
    ...config
  } = answer.page;
  return { config, managed, publicUrl: url };
}

const statusConfigApi = api.enhanceEndpoints({ addTagTypes: ["Pages"] }).injectEndpoints({
  endpoints: (build) => ({
    statusConfig: build.query<StatusConfigAnswer, string>({
      query: urlOf,
      transformResponse: readConfig,
      // Forms start with the stored values, not with those of an earlier visit.
      keepUnusedDataFor: 0,
    }),
    saveStatusConfig: build.mutation<
      StatusConfigAnswer & { message?: string | undefined },
      { slug: string; input: StatusConfigInput }
    >({
      query: ({ slug, input }) => ({ url: urlOf(slug), method: "PUT", body: input }),
      transformResponse: (answer: Parameters<typeof readConfig>[0] & { message?: string }) => ({
        ...readConfig(answer),
        message: answer.message,
      }),
      invalidatesTags: onSuccess("Pages"),
      async onQueryStarted({ slug }, { dispatch, queryFulfilled }) {
        const answer = await queryFulfilled.catch(() => undefined);
        if (answer === undefined) return;
        const { config, publicUrl, managed } = answer.data;
        dispatch(statusConfigApi.util.updateQueryData("statusConfig", slug, () => ({ config, publicUrl, managed })));
      },
    }),
    /** `data` in base64. */
    uploadImage: build.mutation<AnswerOf<typeof imageAnswer>, string>({
      query: (data) => ({ url: "/status/images", method: "POST", body: { data } }),
    }),
    // A query despite POST: it changes nothing.
    statusPreview: build.query<
      AnswerOf<typeof statusPreviewAnswer>,
      {
        slug: string;
        input: StatusConfigInput;
        /** Not sent: the response depends on the app's language. */ language: string;
      }
    >({
      query: ({ slug, input }) => ({
        url: "/status/config/preview",
        method: "POST",
        body: slug === defaultPage ? input : { ...input, slug },
      }),
      keepUnusedDataFor: previewKeptSeconds,
    }),
  }),
});

export const { useStatusConfigQuery, useSaveStatusConfigMutation, useStatusPreviewQuery, useUploadImageMutation } =
  statusConfigApi;
