import type { Monitor, monitorAnswer } from "@sonde/proto/http/monitors/monitors";
import type { pingKeyAnswer, pingsAnswer, scheduleAnswer, scheduleQuery } from "@sonde/proto/http/monitors/pings";
import type { z } from "zod";
import { type AnswerOf, api } from "../../../app/api.ts";
import { keepRefetched } from "../../../app/live/events.ts";

export type HeartbeatMonitor = Extract<Monitor, { type: "heartbeat" }>;

const pageSize = 30;
const pingsEveryMs = 1500;

const heartbeatApi = api.injectEndpoints({
  endpoints: (build) => ({
    pings: build.infiniteQuery<AnswerOf<typeof pingsAnswer>, number, string | null>({
      infiniteQueryOptions: {
        initialPageParam: null,
        getNextPageParam: ({ pings }) => (pings.length < pageSize ? undefined : pings.at(-1)?.at),
      },
      query: ({ queryArg: id, pageParam: before }) => ({
        url: `/monitors/${id}/pings`,
        params: { limit: pageSize, before: before ?? undefined },
      }),
      providesTags: (_answer, _error, id) => ["Checks", { type: "Checks", id }],
      onCacheEntryAdded: keepRefetched(
        (id: number) => ({ type: "Checks", id }),
        ({ name, data }, id) => (name === "monitor" && data.id === id ? pingsEveryMs : null),
      ),
    }),
    /** The last pings with facts, newest first. */
    pingFacts: build.query<AnswerOf<typeof pingsAnswer>, number>({
      query: (id) => ({ url: `/monitors/${id}/pings`, params: { only: "facts", limit: 200 } }),
      providesTags: (_answer, _error, id) => ["Checks", { type: "Checks", id }],
    }),
    renewPingUrl: build.mutation<AnswerOf<typeof monitorAnswer>, number>({
      query: (id) => ({ url: `/monitors/${id}/ping-url`, method: "POST" }),
      invalidatesTags: (_answer, error, id) => (error === undefined ? [{ type: "Monitor", id }] : []),
    }),
    schedule: build.query<AnswerOf<typeof scheduleAnswer>, z.input<typeof scheduleQuery>>({
      query: (params) => ({ url: "/schedule", params }),
      // The times depend on when they are requested.
      keepUnusedDataFor: 0,
    }),
    pingKey: build.query<AnswerOf<typeof pingKeyAnswer>, void>({
      query: () => "/ping-key",
      providesTags: ["PingKey"],
    }),
  }),
});

export const { usePingsInfiniteQuery, usePingFactsQuery, useRenewPingUrlMutation, useScheduleQuery, usePingKeyQuery } =
  heartbeatApi;
