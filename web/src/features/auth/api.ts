import type { User } from "@sonde/proto/http/users";
import type { LoginInput, RegisterInput } from "@sonde/proto/http/auth";
import { api } from "../../app/api.ts";

const authApi = api.injectEndpoints({
  endpoints: (build) => ({
    login: build.mutation<{ message?: string; token: string; user: User }, LoginInput>({
      query: (body) => ({ url: "/auth/login", method: "POST", body }),
      extraOptions: { keepSessionOn401: true },
    }),
    register: build.mutation<{ message?: string }, RegisterInput>({
      query: (body) => ({ url: "/auth/register", method: "POST", body }),
      // Whether the next account is the first one is another answer now.
      invalidatesTags: (_result, error) => (error === undefined ? ["Config"] : []),
    }),
  }),
});

export const { useLoginMutation, useRegisterMutation } = authApi;
