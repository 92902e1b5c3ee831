import type { messageAnswer, sessionsAnswer } from "@sonde/proto/http/auth";
import type {
  ChangePasswordInput,
  CreateUserInput,
  UpdateUserInput,
  User,
  userAnswer,
  usersAnswer,
  usersQuery,
} from "@sonde/proto/http/users";
import { type AnswerOf, api, type QueryOf } from "../../app/api.ts";
import { removeRow } from "../../app/live/events.ts";
import { onSuccess, post, remove } from "../../app/mutations.ts";
import { sessionIn, userFetched } from "../../app/session.ts";

type UsersPage = AnswerOf<typeof usersAnswer>;
type UsersQuery = QueryOf<typeof usersQuery>;

const one = (id: number) => ({ type: "User", id }) as const;

export const usersApi = api.injectEndpoints({
  endpoints: (build) => ({
    users: build.query<UsersPage, UsersQuery>({
      query: (params) => ({ url: "/users", params }),
      providesTags: ["UserList"],
    }),
    user: build.query<AnswerOf<typeof userAnswer>, number>({
      query: (id) => `/users/${id}`,
      providesTags: (_answer, _error, id) => [one(id)],
    }),
    createUser: build.mutation<AnswerOf<typeof userAnswer>, CreateUserInput>(post("/users", "UserList")),
    updateUser: build.mutation<AnswerOf<typeof userAnswer>, { id: number; input: UpdateUserInput }>({
      query: ({ id, input }) => ({ url: `/users/${id}`, method: "PUT", body: input }),
      async onQueryStarted({ id }, { dispatch, getState, queryFulfilled }) {
        const { data } = await queryFulfilled.catch(() => ({ data: undefined }));
        if (data === undefined) return;
        void dispatch(usersApi.util.upsertQueryData("user", id, { user: data.user }));
        for (const query of usersApi.util.selectCachedArgsForQuery(getState(), "users")) {
          dispatch(usersApi.util.updateQueryData("users", query, (page) => putRow(page, query, data.user)));
        }
        // Users who edit their own account see the new name at once.
        if (sessionIn(getState()).user?.id === id) dispatch(userFetched(data.user));
      },
      invalidatesTags: onSuccess("PendingUsers"),
    }),
    deleteUser: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/users/${id}`, method: "DELETE" }),
      // Removes the row from the cache, so the list is not refetched.
      async onQueryStarted(id, { dispatch, getState, queryFulfilled }) {
        const { data } = await queryFulfilled.catch(() => ({ data: undefined }));
        if (data === undefined) return;
        for (const query of usersApi.util.selectCachedArgsForQuery(getState(), "users")) {
          dispatch(usersApi.util.updateQueryData("users", query, (page) => removeRow(page, page.users, id)));
        }
      },
      invalidatesTags: onSuccess("PendingUsers"),
    }),
    sessions: build.query<AnswerOf<typeof sessionsAnswer>, void>({
      query: () => "/auth/sessions",
      providesTags: ["Sessions"],
    }),
    endSession: build.mutation<AnswerOf<typeof messageAnswer>, number>(remove("/auth/sessions", "Sessions")),
    changePassword: build.mutation<AnswerOf<typeof messageAnswer>, { id: number; input: ChangePasswordInput }>({
      query: ({ id, input }) => ({ url: `/users/${id}/change-password`, method: "POST", body: input }),
    }),
  }),
});

/** Updates the user's row in place, or removes it if it no longer matches the list's status. */
function putRow(page: UsersPage, { status }: UsersQuery, user: User): void {
  if (status !== undefined && user.status !== status) return removeRow(page, page.users, user.id);
  const index = page.users.findIndex(({ id }) => id === user.id);
  if (index !== -1) page.users[index] = user;
}

export const {
  useUsersQuery,
  useUserQuery,
  useCreateUserMutation,
  useUpdateUserMutation,
  useDeleteUserMutation,
  useChangePasswordMutation,
  useSessionsQuery,
  useEndSessionMutation,
} = usersApi;
