import type { messageAnswer } from "@sonde/proto/http/auth";
import type {
  CreateKeyInput,
  CreateServiceAccountInput,
  keysAnswer,
  newKeyAnswer,
  serviceAccountAnswer,
  serviceAccountsAnswer,
} from "@sonde/proto/http/keys";
import { type AnswerOf, api } from "../../../app/api.ts";
import { onSuccess, post, remove } from "../../../app/mutations.ts";

const keysApi = api.injectEndpoints({
  endpoints: (build) => ({
    keys: build.query<AnswerOf<typeof keysAnswer>, { all: boolean }>({
      query: ({ all }) => ({ url: "/keys", params: all ? { all } : {} }),
      providesTags: ["Keys"],
    }),
    createKey: build.mutation<AnswerOf<typeof newKeyAnswer>, CreateKeyInput>(post("/keys", "Keys", "ServiceAccounts")),
    rotateKey: build.mutation<AnswerOf<typeof newKeyAnswer>, { id: number; overlapMinutes: number }>({
      query: ({ id, ...body }) => ({ url: `/keys/${id}/rotate`, method: "POST", body }),
      invalidatesTags: onSuccess("Keys"),
    }),
    deleteKey: build.mutation<AnswerOf<typeof messageAnswer>, number>(remove("/keys", "Keys", "ServiceAccounts")),
    serviceAccounts: build.query<AnswerOf<typeof serviceAccountsAnswer>, void>({
      query: () => "/service-accounts",
      providesTags: ["ServiceAccounts"],
    }),
    createServiceAccount: build.mutation<AnswerOf<typeof serviceAccountAnswer>, CreateServiceAccountInput>(
      post("/service-accounts", "ServiceAccounts"),
    ),
    deleteServiceAccount: build.mutation<AnswerOf<typeof messageAnswer>, number>(
      remove("/service-accounts", "ServiceAccounts", "Keys"),
    ),
  }),
});

export const {
  useKeysQuery,
  useCreateKeyMutation,
  useRotateKeyMutation,
  useDeleteKeyMutation,
  useServiceAccountsQuery,
  useCreateServiceAccountMutation,
  useDeleteServiceAccountMutation,
} = keysApi;
