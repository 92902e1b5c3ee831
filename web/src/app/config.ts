import type { configAnswer } from "@sonde/proto/http/config";
import { type AnswerOf, api } from "./api.ts";
import type { usersAnswer } from "@sonde/proto/http/users";
import { useSession } from "./hooks.ts";

const configApi = api.injectEndpoints({
  endpoints: (build) => ({
    config: build.query<AnswerOf<typeof configAnswer>, void>({ query: () => "/config", providesTags: ["Config"] }),
  }),
});

export const { useConfigQuery } = configApi;

const pollMs = 60_000;

const pendingUsersApi = api.injectEndpoints({
  endpoints: (build) => ({
    pendingUsers: build.query<AnswerOf<typeof usersAnswer>, void>({
      // Only `total` is used, so the page is as small as possible.
      query: () => ({ url: "/users", params: { status: "pending", pageSize: 1 } }),
      providesTags: ["PendingUsers"],
    }),
  }),
});

export function usePendingUsers(): number {
  const { isAdmin } = useSession();
  const { data: config } = useConfigQuery();
  // Without approval there are no pending accounts.
  const skip = !isAdmin || config?.registration !== "approval";
  const { data } = pendingUsersApi.usePendingUsersQuery(undefined, { skip, pollingInterval: pollMs });
  return skip ? 0 : (data?.total ?? 0);
}
