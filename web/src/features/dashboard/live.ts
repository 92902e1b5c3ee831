import type { dashboardAnswer } from "@sonde/proto/http/dashboard";
import type { AgentEvent, IncidentEvent, MonitorEvent } from "@sonde/proto/http/events";
import type { gapsAnswer } from "@sonde/proto/http/on-call/schedules";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { type AnswerOf, api } from "../../app/api.ts";
import { isOlderLive, keepLive, type LiveEvent } from "../../app/live/events.ts";

export type Dashboard = AnswerOf<typeof dashboardAnswer>;

/** True if there are agents or their number is unknown. */
export const hasAgents = ({ agents }: Dashboard) => agents === null || agents.total > 0;

/** Minimum interval of refetches for the counts of other monitors and for exact uptime. */
const refetchEveryMs = 3000;
/** Stale monitors and recent checks also need refetches. */
const refetchFiguresEveryMs = 10_000;
const maxShown = { recent: 10, open: 100, ended: 5 };

/** True if a check may change the number of stale monitors or recent checks, which events do not contain. */
export function mayChangeFigures({ monitors, attention }: Dashboard, { name, data }: LiveEvent): boolean {
  if (name !== "monitor" || data.change !== "figures") return false;
  if (attention?.some(({ id }) => id === data.id) === true) return true;
  return monitors !== null && data.stale !== monitors.stale > 0;
}

/** Applies a live event to the dashboard. Unavailable parts stay so until a refetch. */
export function applyToDashboard(dashboard: Dashboard, event: LiveEvent): void {
  if (event.name === "monitor") applyMonitor(dashboard, event.data);
  if (event.name === "agent") applyAgent(dashboard, event.data);
  if (event.name === "incident") applyIncident(dashboard, event.data);
}

function applyMonitor({ monitors, attention }: Dashboard, event: MonitorEvent): void {
  const shown = attention?.find(({ id }) => id === event.id);
  if (event.change === "figures") {
    if (shown === undefined || isOlderLive(event.lastCheckedAt, shown.lastCheckedAt)) return;
    const { status, statusSince, stale, flapping, slow, responseTime, lastCheckedAt, lastError } = event;
    Object.assign(shown, { status, statusSince, stale, flapping, slow, responseTime, lastCheckedAt, lastError });
    return;
  }
  if (event.change !== "state") return;
  const { status, previousStatus } = event;
  if (shown !== undefined && status !== undefined) shown.status = status;
  if (status === undefined || previousStatus === undefined || status === previousStatus) return;
  if (monitors === null || monitors[previousStatus] === 0) return;
  monitors[previousStatus] -= 1;
  monitors[status] += 1;
  monitors.active = monitors.total - monitors.paused;
}

function applyAgent({ agents, worstAgents }: Dashboard, event: AgentEvent): void {
  const shown = worstAgents?.find(({ id }) => id === event.id);
  if (event.change === "figures") {
    if (shown === undefined || isOlderLive(event.lastSeen, shown.lastSeen)) return;
    const { status, lastSeen, cpu, memory, disk } = event;
    Object.assign(shown, { status, lastSeen, cpu, memory, disk });
    return;
  }
  if (event.change !== "state") return;
  const { status, previousStatus } = event;
  if (status === undefined || previousStatus === undefined) return;
  if (shown !== undefined) shown.status = status;
  if (agents === null || agents[previousStatus] === 0) return;
  agents[previousStatus] -= 1;
  agents[status] += 1;
}

function applyIncident(dashboard: Dashboard, { change, incident }: IncidentEvent): void {
  const { recent, open, ended } = dashboard;
  const wasOpen = open?.some(({ id }) => id === incident.id) === true;
  const hasEnded = ended?.some(({ id }) => id === incident.id) === true;
  const known = recent?.find(({ id }) => id === incident.id);
  if (dashboard.incidents !== null) {
    if (change === "opened" && !wasOpen && known === undefined) dashboard.incidents += 1;
    if (change === "closed" && !hasEnded && known?.closedAt === undefined)
      dashboard.incidents = Math.max(0, dashboard.incidents - 1);
  }
  // Other changes may concern old incidents, for example acknowledgements.
  const isNew = change === "opened" || change === "closed";
  if (recent !== null) dashboard.recent = withIncident(recent, incident, isNew, maxShown.recent);
  if (open !== null)
    dashboard.open =
      incident.closedAt === undefined
        ? withIncident(open, incident, change === "opened", maxShown.open)
        : open.filter(({ id }) => id !== incident.id);
  if (ended !== null && incident.closedAt !== undefined)
    dashboard.ended = withIncident(ended, incident, change === "closed", maxShown.ended);
}

/** Returns a list with the updated incident. A new incident is added at the top. */
function withIncident(list: Incident[], incident: Incident, isNew: boolean, limit: number): Incident[] {
  const index = list.findIndex(({ id }) => id === incident.id);
  if (index !== -1) return list.with(index, incident);
  return isNew ? [incident, ...list].slice(0, limit) : list;
}

const keepDashboardLive = keepLive(
  (_arg: void) => "Dashboard",
  (events, _arg, update: (change: (dashboard: Dashboard) => void) => void) => {
    let isFigures = false;
    update((dashboard) => {
      isFigures = events.some((event) => mayChangeFigures(dashboard, event));
      for (const event of events) applyToDashboard(dashboard, event);
    });
    const isChange = events.some(
      ({ name, data }) => (name === "monitor" || name === "agent") && data.change !== "figures",
    );
    return isChange ? refetchEveryMs : isFigures ? refetchFiguresEveryMs : null;
  },
);

export type Gaps = Pick<AnswerOf<typeof gapsAnswer>, "gaps" | "unreachable">;

const dashboardApi = api.injectEndpoints({
  endpoints: (build) => ({
    dashboard: build.query<Dashboard, void>({
      query: () => "/dashboard",
      providesTags: ["Dashboard"],
      onCacheEntryAdded: keepDashboardLive,
    }),
    // The dashboard waits for it, to show everything at once, but not for long.
    gaps: build.query<AnswerOf<typeof gapsAnswer>, void>({ query: () => ({ url: "/on-call/gaps", timeout: 2_000 }) }),
  }),
});

export const { useDashboardQuery, useGapsQuery } = dashboardApi;
