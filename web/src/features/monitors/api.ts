import type { RecentCheck } from "@sonde/proto/http/recent-checks";
import type { CheckResult, HistoryBucket, HistoryRange } from "@sonde/proto/http/checks";
import type { Incident } from "@sonde/proto/http/incidents";
import type { Monitor, MonitorFilter, MonitorInputDraft } from "@sonde/proto/http/monitors";
import { api } from "../../app/api.ts";
import { checkTimeoutMs } from "./check-timeout.ts";
import { keepRecentChecksLive, keepMonitorLive, keepPageLive, keepRecordsLive } from "./keep-live.ts";

export type MonitorsQuery = {
  page: number;
  pageSize: number;
  search?: string;
  sort?: string;
  status?: MonitorFilter;
  tag?: string;
};
/** Rows without bodies, headers and assertions. */
export type MonitorsPage = { monitors: Monitor[]; total: number };
export type History = { range: HistoryRange; step: number; buckets: HistoryBucket[] };
export type BulkAction = "pause" | "resume" | "delete";
export type BulkAnswer = { done: number[]; failed: { id: number; message: string }[] };
type Said = { message?: string };

const one = (id: number) => ({ type: "Monitor", id }) as const;

export const monitorsApi = api.injectEndpoints({
  endpoints: (build) => ({
    monitors: build.query<MonitorsPage, MonitorsQuery>({
      query: (params) => ({ url: "/monitors", params: { ...params, compact: true } }),
      providesTags: ["MonitorList"],
      onCacheEntryAdded: keepPageLive,
    }),
    recentChecks: build.query<{ recentChecks: Record<string, RecentCheck[]> }, readonly number[]>({
      query: (ids) => ({ url: "/monitors/recent-checks", params: { ids: ids.join(",") } }),
      providesTags: ["RecentChecks"],
      onCacheEntryAdded: keepRecentChecksLive,
    }),
    monitor: build.query<{ monitor: Monitor }, number>({
      query: (id) => `/monitors/${id}`,
      providesTags: (_answer, _error, id) => ["Monitor", one(id)],
      onCacheEntryAdded: keepMonitorLive,
    }),
    history: build.query<History, { id: number; range: HistoryRange }>({
      query: ({ id, range }) => ({ url: `/monitors/${id}/history`, params: { range } }),
      providesTags: (_answer, _error, { id }) => ["History", { type: "History", id }],
      onCacheEntryAdded: keepRecordsLive("History", ({ id }) => id),
    }),
    checks: build.query<{ checks: CheckResult[] }, { id: number; limit: number }>({
      query: ({ id, limit }) => ({ url: `/monitors/${id}/checks`, params: { limit } }),
      providesTags: (_answer, _error, { id }) => ["Checks", { type: "Checks", id }],
      onCacheEntryAdded: keepRecordsLive("Checks", ({ id }) => id),
    }),
    monitorIncidents: build.query<{ incidents: Incident[]; total: number }, number>({
      query: (id) => ({ url: `/monitors/${id}/incidents`, params: { pageSize: 20 } }),
      providesTags: (_answer, _error, id) => ["Incidents", { type: "Incidents", id }],
      onCacheEntryAdded: keepRecordsLive("Incidents", (id) => id),
    }),
    createMonitor: build.mutation<Said & { monitor: Monitor }, MonitorInputDraft>({
      query: (body) => ({ url: "/monitors", method: "POST", body }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["MonitorList", "Dashboard"] : []),
    }),
    updateMonitor: build.mutation<Said & { monitor: Monitor }, { id: number; input: MonitorInputDraft }>({
      query: ({ id, input }) => ({ url: `/monitors/${id}`, method: "PUT", body: input }),
      invalidatesTags: (_answer, error, { id }) => (error === undefined ? [one(id), "MonitorList", "Dashboard"] : []),
    }),
    deleteMonitor: build.mutation<Said, number>({
      query: (id) => ({ url: `/monitors/${id}`, method: "DELETE" }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["MonitorList", "Dashboard"] : []),
    }),
    switchMonitor: build.mutation<Said & { monitor: Monitor }, { id: number; action: "pause" | "resume" }>({
      query: ({ id, action }) => ({ url: `/monitors/${id}/${action}`, method: "POST" }),
      invalidatesTags: (_answer, error, { id }) =>
        error === undefined ? [one(id), { type: "Incidents", id }, "MonitorList", "Dashboard"] : [],
    }),
    bulkMonitors: build.mutation<BulkAnswer, { ids: number[]; action: BulkAction }>({
      query: (body) => ({ url: "/monitors/bulk", method: "POST", body }),
      invalidatesTags: ["MonitorList", "Dashboard", "Monitor"],
    }),
    checkMonitor: build.mutation<Said & { result: CheckResult; monitor: Monitor }, Pick<Monitor, "id" | "timeout">>({
      query: ({ id, timeout }) => ({ url: `/monitors/${id}/check`, method: "POST", timeout: checkTimeoutMs(timeout) }),
      async onQueryStarted({ id }, { dispatch, queryFulfilled }) {
        const { data } = await queryFulfilled.catch(() => ({ data: undefined }));
        if (data !== undefined)
          void dispatch(monitorsApi.util.upsertQueryData("monitor", id, { monitor: data.monitor }));
      },
      invalidatesTags: (_answer, error, { id }) => (error === undefined ? [{ type: "Checks", id }] : []),
    }),
    testMonitor: build.mutation<{ result: CheckResult }, { input: MonitorInputDraft; monitorId?: number }>({
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
  useChecksQuery,
  useMonitorIncidentsQuery,
  useCreateMonitorMutation,
  useUpdateMonitorMutation,
  useDeleteMonitorMutation,
  useSwitchMonitorMutation,
  useBulkMonitorsMutation,
  useCheckMonitorMutation,
  useTestMonitorMutation,
} = monitorsApi;
