import type { messageAnswer } from "@sonde/proto/http/auth";
import type { subscribersAnswer, subscribersQuery } from "@sonde/proto/http/status/subscribers";
import { type AnswerOf, type QueryOf, api } from "../../../app/api.ts";
import { removeRow } from "../../../app/live/events.ts";

export type { Subscriber } from "@sonde/proto/http/status/subscribers";

const subscribersApi = api.injectEndpoints({
  endpoints: (build) => ({
    subscribers: build.query<AnswerOf<typeof subscribersAnswer>, QueryOf<typeof subscribersQuery>>({
      query: (params) => ({ url: "/status/subscribers", params }),
    }),
    deleteSubscriber: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/status/subscribers/${id}`, method: "DELETE" }),
      // The row goes here; the list is not fetched again.
      async onQueryStarted(id, { dispatch, getState, queryFulfilled }) {
        const { data } = await queryFulfilled.catch(() => ({ data: undefined }));
        if (data === undefined) return;
        for (const query of subscribersApi.util.selectCachedArgsForQuery(getState(), "subscribers")) {
          dispatch(
            subscribersApi.util.updateQueryData("subscribers", query, (page) => removeRow(page, page.subscribers, id)),
          );
        }
      },
    }),
  }),
});

export const { useSubscribersQuery, useDeleteSubscriberMutation } = subscribersApi;
