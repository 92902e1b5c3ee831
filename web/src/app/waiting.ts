import { api } from "./api.ts";
import { useConfigQuery } from "./config.ts";
import { useSession } from "./hooks.ts";

const askAgainMs = 60_000;

const waitingApi = api.enhanceEndpoints({ addTagTypes: ["Waiting"] }).injectEndpoints({
  endpoints: (build) => ({
    waiting: build.query<{ total: number }, void>({
      // The answer's `total` is all that is needed: the page is as small as it may be.
      query: () => ({ url: "/users", params: { status: "pending", pageSize: 1 } }),
      transformResponse: ({ total }: { total: number }) => ({ total }),
      providesTags: ["Waiting"],
    }),
  }),
});

/** How many accounts wait for an administrator's approval; 0 for whoever may not approve. */
export function useWaiting(): number {
  const { isAdmin } = useSession();
  const { data: config } = useConfigQuery();
  // Without approval nobody is made to wait, and nothing needs to be asked.
  const skip = !isAdmin || config?.registration !== "approval";
  const { data } = waitingApi.useWaitingQuery(undefined, { skip, pollingInterval: askAgainMs });
  return skip ? 0 : (data?.total ?? 0);
}
