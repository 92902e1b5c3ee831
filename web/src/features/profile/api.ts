import type { messageAnswer } from "@sonde/proto/http/auth";
import type { ChangePasswordInput, UpdateUserInput, userAnswer } from "@sonde/proto/http/users";
import { type AnswerOf, api } from "../../app/api.ts";
import { userFetched } from "../../app/session.ts";

const profileApi = api.injectEndpoints({
  endpoints: (build) => ({
    updateProfile: build.mutation<AnswerOf<typeof userAnswer>, { id: number; input: UpdateUserInput }>({
      query: ({ id, input }) => ({ url: `/users/${id}`, method: "PUT", body: input }),
      // The stored session and the navigation carry the new name at once.
      async onQueryStarted(_changed, { dispatch, queryFulfilled }) {
        const { data } = await queryFulfilled.catch(() => ({ data: undefined }));
        if (data !== undefined) dispatch(userFetched(data.user));
      },
    }),
    changeOwnPassword: build.mutation<AnswerOf<typeof messageAnswer>, { id: number; input: ChangePasswordInput }>({
      query: ({ id, input }) => ({ url: `/users/${id}/change-password`, method: "POST", body: input }),
    }),
  }),
});

export const { useUpdateProfileMutation, useChangeOwnPasswordMutation } = profileApi;
