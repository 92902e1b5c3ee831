import type { loginAnswer, LoginInput, messageAnswer, RegisterInput } from "@sonde/proto/http/auth";
import { type AnswerOf, api } from "../../app/api.ts";

const authApi = api.injectEndpoints({
  endpoints: (build) => ({
    login: build.mutation<AnswerOf<typeof loginAnswer>, LoginInput>({
      query: (body) => ({ url: "/auth/login", method: "POST", body }),
      extraOptions: { keepSessionOn401: true },
    }),
    register: build.mutation<AnswerOf<typeof messageAnswer>, RegisterInput>({
      query: (body) => ({ url: "/auth/register", method: "POST", body }),
      // Whether the next account is the first one is another answer now.
      invalidatesTags: (_result, error) => (error === undefined ? ["Config"] : []),
    }),
  }),
});

export const { useLoginMutation, useRegisterMutation } = authApi;
