import type { messageAnswer } from "@sonde/proto/http/auth";
import type { escalateAnswer } from "@sonde/proto/http/on-call/escalation";
import type { policiesAnswer, policyAnswer, PolicyInput, PolicyPatch } from "@sonde/proto/http/on-call/policies";
import { type AnswerOf, api } from "../../app/api.ts";
import { onSuccess, post, put, remove } from "../../app/mutations.ts";

const maxListed = 200;

export const recipientKinds = ["schedule", "everyone", "user", "channel"] as const;
export type RecipientKind = (typeof recipientKinds)[number];
export type Recipient = { kind: RecipientKind; value: string; name: string };
type Named = { id: number; name: string };

const onCallApi = api.enhanceEndpoints({ addTagTypes: ["OnCall"] }).injectEndpoints({
  endpoints: (build) => ({
    policies: build.query<AnswerOf<typeof policiesAnswer>, void>({
      query: () => ({ url: "/on-call/policies", params: { pageSize: maxListed } }),
      providesTags: ["Policies"],
    }),
    policy: build.query<AnswerOf<typeof policyAnswer>, number>({
      query: (id) => `/on-call/policies/${id}`,
      providesTags: ["Policies"],
    }),
    /** Everyone whom a step can notify, as `user:4` with names. Viewers see no users. */
    recipients: build.query<readonly Recipient[], void>({
      async queryFn(_none, _api, _extra, ask) {
        const [schedules, people, channels] = await Promise.all([
          ask({ url: "/on-call/schedules", params: { pageSize: maxListed } }),
          ask("/on-call/people"),
          ask("/notifications/channels"),
        ]);
        const error = schedules.error ?? channels.error;
        if (error !== undefined) return { error };
        const named = (kind: RecipientKind, items: unknown) =>
          ((items ?? []) as Named[]).map(({ id, name }) => ({ kind, value: `${kind}:${id}`, name }));
        const listed = { ...Object(schedules.data), ...Object(people.data), ...Object(channels.data) };
        // The list of schedules contains the people in them, but the other one is complete.
        const data = [
          ...named("schedule", listed.schedules),
          ...named("everyone", listed.schedules),
          ...named("user", people.data === undefined ? [] : Object(people.data).people),
          ...named("channel", listed.channels),
        ];
        return { data };
      },
      providesTags: ["Channels", "OnCall"],
    }),
    createPolicy: build.mutation<AnswerOf<typeof policyAnswer>, PolicyInput>(post("/on-call/policies", "Policies")),
    updatePolicy: build.mutation<AnswerOf<typeof policyAnswer>, { id: number; input: PolicyPatch }>(
      put("/on-call/policies", "Policies"),
    ),
    deletePolicy: build.mutation<AnswerOf<typeof messageAnswer>, number>(remove("/on-call/policies", "Policies")),
    escalate: build.mutation<AnswerOf<typeof escalateAnswer>, { id: string; note: string | undefined }>({
      query: ({ id, note }) => ({ url: `/incidents/${id}/escalate`, method: "POST", body: { note } }),
      invalidatesTags: onSuccess("Incident"),
    }),
  }),
});

export const {
  usePoliciesQuery,
  usePolicyQuery,
  useRecipientsQuery,
  useCreatePolicyMutation,
  useUpdatePolicyMutation,
  useDeletePolicyMutation,
  useEscalateMutation,
} = onCallApi;
