import type { messageAnswer } from "@sonde/proto/http/auth";
import type {
  addFactorAnswer,
  AddFactorInput,
  enrollAnswer,
  factorAnswer,
  FactorInput,
  factorsAnswer,
  FactorType,
  passkeyAnswer,
} from "@sonde/proto/http/factors";
import { type AnswerOf, api } from "../../app/api.ts";
import { onSuccess, post } from "../../app/mutations.ts";

const keepSessionOn401 = { keepSessionOn401: true } as const;
type Again = { password?: string | undefined };

const factorsApi = api.injectEndpoints({
  endpoints: (build) => ({
    beginPasskey: build.mutation<AnswerOf<typeof passkeyAnswer>, void>({
      query: () => ({ url: "/auth/passkey", method: "POST", body: {} }),
      extraOptions: keepSessionOn401,
    }),
    useFactor: build.mutation<AnswerOf<typeof factorAnswer>, FactorInput>({
      query: (body) => ({ url: "/auth/factor", method: "POST", body }),
      extraOptions: keepSessionOn401,
    }),
    enrollFactor: build.mutation<AnswerOf<typeof enrollAnswer>, { ticket: string; type: FactorType }>({
      query: (body) => ({ url: "/auth/factor/enroll", method: "POST", body }),
      extraOptions: keepSessionOn401,
    }),
    factors: build.query<AnswerOf<typeof factorsAnswer>, void>({
      query: () => "/me/factors",
      providesTags: ["Factors"],
    }),
    addFactor: build.mutation<AnswerOf<typeof addFactorAnswer>, AddFactorInput>(post("/me/factors", "Factors")),
    removeFactor: build.mutation<AnswerOf<typeof messageAnswer>, Again & { id: number }>({
      query: ({ id, ...body }) => ({ url: `/me/factors/${id}`, method: "DELETE", body }),
      invalidatesTags: onSuccess("Factors"),
    }),
    endOtherSessions: build.mutation<AnswerOf<typeof messageAnswer>, Again>(post("/me/sessions/end", "Sessions")),
    resetFactors: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/users/${id}/factors`, method: "DELETE" }),
    }),
  }),
});

export const {
  useBeginPasskeyMutation,
  useUseFactorMutation,
  useEnrollFactorMutation,
  useFactorsQuery,
  useAddFactorMutation,
  useRemoveFactorMutation,
  useEndOtherSessionsMutation,
  useResetFactorsMutation,
} = factorsApi;
