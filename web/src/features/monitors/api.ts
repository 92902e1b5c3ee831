import type { messageAnswer } from "@sonde/proto/http/auth";
import type {
  checkAnswer,
  checksAnswer,
  historyAnswer,
  HistoryRange,
  HistoryStep,
} from "@sonde/proto/http/monitors/checks";
import type { incidentsAnswer } from "@sonde/proto/http/incidents/incidents";
import type { bulkAnswer, bulkInput, monitorsQuery, tagsAnswer } from "@sonde/proto/http/monitors/lists";
import type {
  checkNowAnswer,
  Monitor,
  monitorAnswer,
  MonitorInputDraft,
  monitorsAnswer,
} from "@sonde/proto/http/monitors/monitors";
import type { recentChecksAnswer } from "@sonde/proto/http/monitors/recent-checks";
import type { z } from "zod";
import { type AnswerOf, type QueryOf, api } from "../../app/api.ts";
import { ownTimeZone } from "../../lib/format.ts";
import { checkTimeoutMs } from "./check-timeout.ts";
import { keepIncidentsLive, keepMonitorLive, keepPageLive, keepRecentChecksLive, keepRecordsLive } from "./live.ts";

export type MonitorHistory = AnswerOf<typeof historyAnswer>;
type BulkInput = z.infer<typeof bulkInput>;
export type BulkAction = BulkInput["action"];
export type BulkFilter = NonNullable<BulkInput["filter"]>;

/** What a change of ten thousand monitors may take. */
const longestBulkMs = 120_000;

/** Few at first; more are loaded on demand. */
const checksOfPage = (before: string | null) => (before === null ? 30 : 100);

/** The parts of a monitor's page share the check that was started there; another monitor's page has its own. */
export const checkKey = (id: number) => `check ${id}`;

const one = (id: number) => ({ type: "Monitor", id }) as const;

export const monitorsApi = api.injectEndpoints({
  endpoints: (build) => ({
    monitors: build.query<AnswerOf<typeof monitorsAnswer>, QueryOf<typeof monitorsQuery>>({
      // Rows without bodies, headers and assertions.
      query: (params) => ({ url: "/monitors", params: { ...params, compact: true } }),
      providesTags: ["MonitorList"],
      onCacheEntryAdded: keepPageLive,
    }),
    recentChecks: build.query<AnswerOf<typeof recentChecksAnswer>, readonly number[]>({
      query: (ids) => ({ url: "/monitors/recent-checks", params: { ids: ids.join(",") } }),
      providesTags: ["RecentChecks"],
      onCacheEntryAdded: keepRecentChecksLive,
    }),
    monitor: build.query<AnswerOf<typeof monitorAnswer>, number>({
      query: (id) => `/monitors/${id}`,
      providesTags: (_answer, _error, id) => ["Monitor", one(id)],
      onCacheEntryAdded: keepMonitorLive,
    }),
    history: build.query<MonitorHistory, { id: number; range: HistoryRange; step?: HistoryStep }>({
      // Days are those of the reader's zone.
      query: ({ id, range, step }) => ({
        url: `/monitors/${id}/history`,
        params: { range, step, timeZone: ownTimeZone() },
      }),
      providesTags: (_answer, _error, { id }) => ["History", { type: "History", id }],
      onCacheEntryAdded: keepRecordsLive("History"),
    }),
    checks: build.infiniteQuery<AnswerOf<typeof checksAnswer>, { id: number; failed: boolean }, string | null>({
      infiniteQueryOptions: {
        initialPageParam: null,
        getNextPageParam: ({ checks }, _pages, before) =>
          checks.length < checksOfPage(before) ? undefined : checks.at(-1)?.slot,
      },
      query: ({ queryArg: { id, failed }, pageParam: before }) => ({
        url: `/monitors/${id}/checks`,
        params: { limit: checksOfPage(before), before: before ?? undefined, failed: failed || undefined },
      }),
      providesTags: (_answer, _error, { id }) => ["Checks", { type: "Checks", id }],
      onCacheEntryAdded: keepRecordsLive("Checks"),
    }),
    monitorIncidents: build.query<AnswerOf<typeof incidentsAnswer>, number>({
      query: (id) => ({ url: `/monitors/${id}/incidents`, params: { pageSize: 20 } }),
      providesTags: (_answer, _error, id) => ["Incidents", { type: "Incidents", id }],
      onCacheEntryAdded: keepIncidentsLive,
    }),
    createMonitor: build.mutation<
      AnswerOf<typeof monitorAnswer>,
      { input: MonitorInputDraft; cloneOf?: number | undefined }
    >({
      query: ({ input, cloneOf }) => ({ url: "/monitors", method: "POST", params: { cloneOf }, body: input }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["MonitorList", "Dashboard"] : []),
    }),
    updateMonitor: build.mutation<AnswerOf<typeof monitorAnswer>, { id: number; input: MonitorInputDraft }>({
      query: ({ id, input }) => ({ url: `/monitors/${id}`, method: "PUT", body: input }),
      invalidatesTags: (_answer, error, { id }) => (error === undefined ? [one(id), "MonitorList", "Dashboard"] : []),
    }),
    deleteMonitor: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/monitors/${id}`, method: "DELETE" }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["MonitorList", "Dashboard"] : []),
    }),
    switchMonitor: build.mutation<AnswerOf<typeof monitorAnswer>, { id: number; action: "pause" | "resume" }>({
      query: ({ id, action }) => ({ url: `/monitors/${id}/${action}`, method: "POST" }),
      invalidatesTags: (_answer, error, { id }) =>
        error === undefined ? [one(id), { type: "Incidents", id }, "MonitorList", "Dashboard"] : [],
    }),
    tags: build.query<AnswerOf<typeof tagsAnswer>, string>({
      query: (search) => ({ url: "/monitors/tags", params: search === "" ? {} : { search } }),
      providesTags: ["MonitorList"],
    }),
    bulkMonitors: build.mutation<AnswerOf<typeof bulkAnswer>, BulkInput>({
      query: (body) => ({ url: "/monitors/bulk", method: "POST", body, timeout: longestBulkMs }),
      invalidatesTags: ["MonitorList", "Dashboard", "Monitor"],
    }),
    checkMonitor: build.mutation<AnswerOf<typeof checkNowAnswer>, Pick<Monitor, "id" | "timeout" | "retries">>({
      query: ({ id, timeout, retries }) => ({
        url: `/monitors/${id}/check`,
        method: "POST",
        timeout: checkTimeoutMs(timeout, retries),
      }),
      async onQueryStarted({ id }, { dispatch, queryFulfilled }) {
        const { data } = await queryFulfilled.catch(() => ({ data: undefined }));
        if (data !== undefined)
          void dispatch(monitorsApi.util.upsertQueryData("monitor", id, { monitor: data.monitor }));
      },
      invalidatesTags: (_answer, error, { id }) =>
        error === undefined
          ? [
              { type: "Checks", id },
              { type: "Incidents", id },
            ]
          : [],
    }),
    testMonitor: build.mutation<
      AnswerOf<typeof checkAnswer>,
      { input: MonitorInputDraft; monitorId?: number | undefined }
    >({
      // With the id of a stored monitor its masked values stand for the stored ones.
      query: ({ input, monitorId }) => ({
        url: "/monitors/test",
        method: "POST",
        params: { monitorId },
        body: input,
        timeout: checkTimeoutMs(input.timeout),
      }),
    }),
  }),
});

export const {
  useMonitorsQuery,
  useRecentChecksQuery,
  useMonitorQuery,
  useHistoryQuery,
  useChecksInfiniteQuery,
  useMonitorIncidentsQuery,
  useCreateMonitorMutation,
  useUpdateMonitorMutation,
  useDeleteMonitorMutation,
  useSwitchMonitorMutation,
  useTagsQuery,
  useBulkMonitorsMutation,
  useCheckMonitorMutation,
  useTestMonitorMutation,
} = monitorsApi;
