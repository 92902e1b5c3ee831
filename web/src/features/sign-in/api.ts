import type { messageAnswer } from "@sonde/proto/http/auth";
import type {
  CreateProviderInput,
  providerAnswer,
  providerReportAnswer,
  providersAnswer,
  TestProviderInput,
  UpdateProviderInput,
} from "@sonde/proto/http/sign-in";
import { type AnswerOf, api } from "../../app/api.ts";
import { onSuccess } from "../../app/mutations.ts";

type Slug = { slug: string };

const signInApi = api.injectEndpoints({
  endpoints: (build) => ({
    providers: build.query<AnswerOf<typeof providersAnswer>, void>({
      query: () => "/sign-in/providers",
      providesTags: ["Providers"],
    }),
    createProvider: build.mutation<AnswerOf<typeof providerAnswer>, CreateProviderInput>({
      query: (body) => ({ url: "/sign-in/providers", method: "POST", body }),
      invalidatesTags: onSuccess("Providers", "Config"),
    }),
    updateProvider: build.mutation<AnswerOf<typeof providerAnswer>, Slug & { input: UpdateProviderInput }>({
      query: ({ slug, input }) => ({ url: `/sign-in/providers/${slug}`, method: "PUT", body: input }),
      invalidatesTags: onSuccess("Providers", "Config"),
    }),
    deleteProvider: build.mutation<AnswerOf<typeof messageAnswer>, Slug>({
      query: ({ slug }) => ({ url: `/sign-in/providers/${slug}`, method: "DELETE" }),
      invalidatesTags: onSuccess("Providers", "Config"),
    }),
    testProvider: build.mutation<AnswerOf<typeof providerReportAnswer>, Slug & { input: TestProviderInput }>({
      query: ({ slug, input }) => ({ url: `/sign-in/providers/${slug}/test`, method: "POST", body: input }),
    }),
  }),
});

export const {
  useProvidersQuery,
  useCreateProviderMutation,
  useUpdateProviderMutation,
  useDeleteProviderMutation,
  useTestProviderMutation,
} = signInApi;
