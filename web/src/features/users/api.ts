import type { CreateUserInput, UpdateUserInput, User, UserStatus } from "@sonde/proto/http/users";
import { api } from "../../app/api.ts";
import type { SessionState } from "../../app/session.ts";
import { userFetched } from "../../app/session.ts";

export type UsersQuery = { page: number; pageSize: number; sort: string; search?: string; status?: UserStatus };
export type UsersPage = { users: User[]; total: number };
type Said = { message?: string };

const one = (id: number) => ({ type: "User", id }) as const;

export const usersApi = api.enhanceEndpoints({ addTagTypes: ["User", "UserList", "Waiting"] }).injectEndpoints({
  endpoints: (build) => ({
    users: build.query<UsersPage, UsersQuery>({
      query: (params) => ({ url: "/users", params }),
      providesTags: ["UserList"],
    }),
    user: build.query<{ user: User }, number>({
      query: (id) => `/users/${id}`,
      providesTags: (_answer, _error, id) => [one(id)],
    }),
    createUser: build.mutation<Said & { user: User }, CreateUserInput>({
      query: (body) => ({ url: "/users", method: "POST", body }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["UserList"] : []),
    }),
    updateUser: build.mutation<Said & { user: User }, { id: number; input: UpdateUserInput }>({
      query: ({ id, input }) => ({ url: `/users/${id}`, method: "PUT", body: input }),
      async onQueryStarted({ id }, { dispatch, getState, queryFulfilled }) {
        const { data } = await queryFulfilled.catch(() => ({ data: undefined }));
        if (data === undefined) return;
        void dispatch(usersApi.util.upsertQueryData("user", id, { user: data.user }));
        for (const query of usersApi.util.selectCachedArgsForQuery(getState(), "users")) {
          dispatch(usersApi.util.updateQueryData("users", query, (page) => putRow(page, query, data.user)));
        }
        // Whoever changed himself is called by his new name at once.
        if ((getState() as unknown as { session: SessionState }).session.user?.id === id)
          dispatch(userFetched(data.user));
      },
      invalidatesTags: (_answer, error) => (error === undefined ? ["Waiting"] : []),
    }),
    deleteUser: build.mutation<Said, number>({
      query: (id) => ({ url: `/users/${id}`, method: "DELETE" }),
      // The row goes here; the list is not fetched again.
      async onQueryStarted(id, { dispatch, getState, queryFulfilled }) {
        const { data } = await queryFulfilled.catch(() => ({ data: undefined }));
        if (data === undefined) return;
        for (const query of usersApi.util.selectCachedArgsForQuery(getState(), "users")) {
          dispatch(usersApi.util.updateQueryData("users", query, (page) => dropRow(page, id)));
        }
      },
      invalidatesTags: (_answer, error) => (error === undefined ? ["Waiting"] : []),
    }),
    resetPassword: build.mutation<Said, { id: number; newPassword: string }>({
      query: ({ id, newPassword }) => ({ url: `/users/${id}/change-password`, method: "POST", body: { newPassword } }),
    }),
  }),
});

/** A changed user stays in his row, unless the list is of another status. */
function putRow(page: UsersPage, { status }: UsersQuery, user: User): void {
  if (status !== undefined && user.status !== status) return dropRow(page, user.id);
  const index = page.users.findIndex(({ id }) => id === user.id);
  if (index !== -1) page.users[index] = user;
}

function dropRow(page: UsersPage, id: number): void {
  const index = page.users.findIndex((user) => user.id === id);
  if (index === -1) return;
  page.users.splice(index, 1);
  page.total -= 1;
}

export const {
  useUsersQuery,
  useUserQuery,
  useCreateUserMutation,
  useUpdateUserMutation,
  useDeleteUserMutation,
  useResetPasswordMutation,
} = usersApi;
