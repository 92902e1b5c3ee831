import type { auditAnswer } from "@sonde/proto/http/audit";
import type { messageAnswer } from "@sonde/proto/http/auth";
import type { MonitorEvent } from "@sonde/proto/http/events";
import type { Incident, incidentsAnswer } from "@sonde/proto/http/incidents/incidents";
import { checkNowMs } from "@sonde/proto/http/monitors/check-now";
import type {
  checkAnswer,
  checksAnswer,
  historyAnswer,
  historyQuery,
  locationHistoriesAnswer,
  locationsQuery,
} from "@sonde/proto/http/monitors/checks";
import type {
  bulkAnswer,
  bulkInput,
  monitorCountsAnswer,
  monitorCountsQuery,
  monitorsQuery,
  tagsAnswer,
} from "@sonde/proto/http/monitors/lists";
import type {
  checkNowAnswer,
  Monitor,
  monitorAnswer,
  MonitorInputDraft,
  monitorsAnswer,
} from "@sonde/proto/http/monitors/monitors";
import type { recentChecksAnswer } from "@sonde/proto/http/monitors/recent-checks";
import type { MonitorSettings, monitorSettingsAnswer } from "@sonde/proto/http/notifications/settings";
import type { z } from "zod";
import { type AnswerOf, api, type QueryOf } from "../../app/api.ts";
import {
  eventsNamed,
  isIncidentOf,
  isOlderLive,
  keepListLive,
  keepLive,
  keepRefetched,
  type LiveEvent,
  removeRow,
} from "../../app/live/events.ts";
import { onSuccess } from "../../app/mutations.ts";
import { ownTimeZone } from "../../lib/format.ts";

/** Extra time for the server's wait of one second and for the network. */
const marginMs = 6000;

/** Timeout in milliseconds for a manual check with its retries. A test has no retries. */
export function checkTimeoutMs(timeoutSeconds = 10, retries = 0): number {
  return checkNowMs(timeoutSeconds * 1000, retries) + marginMs;
}

type MonitorsPage = { monitors: Monitor[]; total: number };

/** Applies a live event to a monitor. Events of other monitors, and outdated ones, change nothing. */
export function applyToMonitor(monitor: Monitor, event: MonitorEvent): void {
  if (event.id !== monitor.id) return;
  if (event.change === "figures") {
    // Events may arrive out of order through two tabs or a replay.
    if (isOlderLive(event.lastCheckedAt, monitor.lastCheckedAt)) return;
    const { id: _id, change: _change, lastError, partial, recovery, ...figures } = event;
    Object.assign(monitor, figures);
    if (lastError === undefined) delete monitor.lastError;
    else monitor.lastError = lastError;
    if (partial === undefined) delete monitor.partial;
    else monitor.partial = partial;
    if (recovery === undefined) delete monitor.recovery;
    else monitor.recovery = recovery;
    return;
  }
  if (event.change === "state" && event.status !== undefined) {
    if (isOlder(event.statusSince ?? event.at, monitor.statusSince)) return;
    monitor.status = event.status;
    if (monitor.type === "group") monitor.state = event.status;
    monitor.statusSince = event.statusSince ?? event.at;
  }
  if (event.change === "updated" && event.name !== undefined) monitor.name = event.name;
}

function isOlder(instant: string | null, than: string | null): boolean {
  return instant !== null && than !== null && Date.parse(instant) < Date.parse(than);
}

export function applyToPage(page: MonitorsPage, event: MonitorEvent): boolean {
  if (event.change === "deleted") removeRow(page, page.monitors, event.id);
  else for (const monitor of page.monitors) applyToMonitor(monitor, event);
  return event.change !== "figures";
}

/** Interval of refetches for uptime and the next check while checks arrive. */
const monitorEveryMs = 10_000;
const recordsEveryMs = 3000;
const recentChecksEveryMs = 10_000;

const keepMonitorLive = keepLive(
  (id: number) => ({ type: "Monitor", id }),
  (events, id, update: (change: (answer: { monitor: Monitor }) => void) => void) => {
    const own = eventsNamed("monitor", events).filter(({ data }) => data.id === id);
    if (own.length === 0) return null;
    update(({ monitor }) => {
      for (const { data } of own) applyToMonitor(monitor, data);
    });
    return own.every(({ data }) => data.change === "figures") ? monitorEveryMs : 0;
  },
);

function keepRecordsLive(type: "History" | "Checks") {
  return keepRefetched(
    ({ id }: { id: number }) => ({ type, id }),
    ({ name, data }, { id }) => (name === "monitor" && data.id === id ? recordsEveryMs : null),
  );
}

function isChangeOf(id: number, { name, data }: LiveEvent): boolean {
  return name === "monitor" && data.id === id && data.change !== "figures";
}

export type MonitorHistory = AnswerOf<typeof historyAnswer>;
type BulkInput = z.infer<typeof bulkInput>;
export type BulkAction = BulkInput["action"];
export type BulkFilter = NonNullable<BulkInput["filter"]>;

/** Timeout for a change of ten thousand monitors. */
const maxBulkMs = 120_000;

/** Limited to a period if `from` and `until` are set. */
type ChecksQuery = { id: number; failed: boolean; from?: string; until?: string };

/** A small first page. Others are loaded on demand. */
const checksOfPage = (before: string | null) => (before === null ? 12 : 100);

/** Shared by all parts of a monitor's page for the check started there. */
export const manualCheckKey = (id: number) => `check ${id}`;

const one = (id: number) => ({ type: "Monitor", id }) as const;

const monitorsApi = api.injectEndpoints({
  endpoints: (build) => ({
    monitors: build.query<AnswerOf<typeof monitorsAnswer>, QueryOf<typeof monitorsQuery>>({
      // Without bodies, headers and assertions.
      query: (params) => ({ url: "/monitors", params: { ...params, compact: true } }),
      providesTags: ["MonitorList"],
      onCacheEntryAdded: keepListLive(
        "MonitorList",
        (page: MonitorsPage, { name, data }) => name === "monitor" && applyToPage(page, data),
      ),
    }),
    monitorCounts: build.query<AnswerOf<typeof monitorCountsAnswer>, QueryOf<typeof monitorCountsQuery>>({
      query: (params) => ({ url: "/monitors/counts", params }),
      providesTags: ["MonitorList"],
    }),
    recentChecks: build.query<AnswerOf<typeof recentChecksAnswer>, readonly number[]>({
      query: (ids) => ({ url: "/monitors/recent-checks", params: { ids: ids.join(",") } }),
      providesTags: ["RecentChecks"],
      onCacheEntryAdded: keepRefetched(
        () => "RecentChecks",
        ({ name, data }, ids: readonly number[]) =>
          name === "monitor" && ids.includes(data.id) ? recentChecksEveryMs : null,
      ),
    }),
    monitor: build.query<AnswerOf<typeof monitorAnswer>, number>({
      query: (id) => `/monitors/${id}`,
      providesTags: (_answer, _error, id) => ["Monitor", one(id)],
      onCacheEntryAdded: keepMonitorLive,
    }),
    history: build.query<MonitorHistory, { id: number } & QueryOf<typeof historyQuery>>({
      // Days are in the user's time zone.
      query: ({ id, ...params }) => ({
        url: `/monitors/${id}/history`,
        params: { ...params, timeZone: ownTimeZone() },
      }),
      providesTags: (_answer, _error, { id }) => ["History", { type: "History", id }],
      onCacheEntryAdded: keepRecordsLive("History"),
    }),
    locationHistories: build.query<
      AnswerOf<typeof locationHistoriesAnswer>,
      { id: number } & QueryOf<typeof locationsQuery>
    >({
      query: ({ id, ...params }) => ({ url: `/monitors/${id}/history/locations`, params }),
      providesTags: (_answer, _error, { id }) => ["History", { type: "History", id }],
    }),
    checks: build.infiniteQuery<AnswerOf<typeof checksAnswer>, ChecksQuery, string | null>({
      infiniteQueryOptions: {
        initialPageParam: null,
        getNextPageParam: ({ checks }, _pages, before) =>
          checks.length < checksOfPage(before) ? undefined : checks.at(-1)?.slot,
      },
      query: ({ queryArg: { id, failed, from, until }, pageParam: before }) => ({
        url: `/monitors/${id}/checks`,
        params: { limit: checksOfPage(before), before: before ?? until, from, failed: failed || undefined },
      }),
      providesTags: (_answer, _error, { id }) => ["Checks", { type: "Checks", id }],
      onCacheEntryAdded: keepRecordsLive("Checks"),
    }),
    monitorEdits: build.query<AnswerOf<typeof auditAnswer>, { id: number; since: string; until: string }>({
      query: ({ id, ...period }) => ({
        url: "/audit",
        params: { target: `monitor:${id}`, action: "update", pageSize: 50, ...period },
      }),
    }),
    monitorIncidents: build.query<AnswerOf<typeof incidentsAnswer>, number>({
      query: (id) => ({ url: `/monitors/${id}/incidents`, params: { pageSize: 50 } }),
      providesTags: (_answer, _error, id) => ["Incidents", { type: "Incidents", id }],
      // Has its own events, and is deleted with the monitor.
      onCacheEntryAdded: keepRefetched(
        (id: number) => ({ type: "Incidents", id }),
        (event, id) => (isIncidentOf("monitor", id, event) || isChangeOf(id, event) ? recordsEveryMs : null),
      ),
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
    tags: build.query<AnswerOf<typeof tagsAnswer>, string>({
      query: (search) => ({ url: "/monitors/tags", params: search === "" ? {} : { search } }),
      providesTags: ["MonitorList"],
    }),
    bulkMonitors: build.mutation<AnswerOf<typeof bulkAnswer>, BulkInput>({
      query: (body) => ({ url: "/monitors/bulk", method: "POST", body, timeout: maxBulkMs }),
      invalidatesTags: ["MonitorList", "Dashboard", "Monitor", "Incidents"],
    }),
    /** Returns what a change would end, without applying it. */
    previewBulk: build.mutation<AnswerOf<typeof bulkAnswer>, BulkInput>({
      query: (body) => ({ url: "/monitors/bulk", method: "POST", body: { ...body, preview: true } }),
    }),
    /** Whether a monitor's alerts reach nobody. */
    isNobodyNotified: build.query<boolean, number>({
      query: (id) => ({ url: "/notifications/audience", params: { target: `monitor:${id}` } }),
      transformResponse: ({ audience }: { audience: { nobody: boolean } }) => audience.nobody,
      providesTags: (_answer, _error, id) => ["NotificationSettings", "Channels", one(id)],
    }),
    saveMonitorSettings: build.mutation<
      AnswerOf<typeof monitorSettingsAnswer>,
      { id: number; settings: MonitorSettings }
    >({
      query: ({ id, settings }) => ({ url: `/notifications/settings/monitor/${id}`, method: "PUT", body: settings }),
      invalidatesTags: onSuccess("NotificationSettings"),
    }),
    resetMonitorSettings: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/notifications/settings/monitor/${id}`, method: "DELETE" }),
      invalidatesTags: onSuccess("NotificationSettings"),
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
        error === undefined ? (["Checks", "Incidents"] as const).map((type) => ({ type, id })) : [],
    }),
    testMonitor: build.mutation<
      AnswerOf<typeof checkAnswer>,
      { input: MonitorInputDraft; monitorId?: number | undefined }
    >({
      // With the id of a stored monitor, masked values refer to its stored secrets.
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
  useMonitorCountsQuery,
  useRecentChecksQuery,
  useMonitorQuery,
  useHistoryQuery,
  useLocationHistoriesQuery,
  useChecksInfiniteQuery,
  useMonitorIncidentsQuery,
  useMonitorEditsQuery,
  useCreateMonitorMutation,
  useUpdateMonitorMutation,
  useDeleteMonitorMutation,
  useTagsQuery,
  useBulkMonitorsMutation,
  usePreviewBulkMutation,
  useIsNobodyNotifiedQuery,
  useSaveMonitorSettingsMutation,
  useResetMonitorSettingsMutation,
  useCheckMonitorMutation,
  useTestMonitorMutation,
} = monitorsApi;

/** True for an open incident, except alerts of other systems that are not critical. */
export const isCauseOfDown = ({ closedAt, severity = "critical" }: Incident): boolean =>
  closedAt === undefined && severity === "critical";
