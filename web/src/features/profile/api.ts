import type { ChangePasswordInput, UpdateUserInput, User } from "@sonde/proto/http/users";
import { api } from "../../app/api.ts";
import { userFetched } from "../../app/session.ts";

type Said = { message?: string };

const profileApi = api.injectEndpoints({
  endpoints: (build) => ({
    updateProfile: build.mutation<Said & { user: User }, { id: number; input: UpdateUserInput }>({
      query: ({ id, input }) => ({ url: `/users/${id}`, method: "PUT", body: input }),
      // The stored session and the navigation carry the new name at once.
      async onQueryStarted(_changed, { dispatch, queryFulfilled }) {
        const { data } = await queryFulfilled.catch(() => ({ data: undefined }));
        if (data !== undefined) dispatch(userFetched(data.user));
      },
    }),
    changeOwnPassword: build.mutation<Said, { id: number; input: ChangePasswordInput }>({
      query: ({ id, input }) => ({ url: `/users/${id}/change-password`, method: "POST", body: input }),
    }),
  }),
});

export const { useUpdateProfileMutation, useChangeOwnPasswordMutation } = profileApi;
