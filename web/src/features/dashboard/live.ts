import type { dashboardAnswer } from "@sonde/proto/http/dashboard";
import type { Answer } from "../../app/answer.ts";
import type { LiveEvent } from "../../app/live/events.ts";
import { keepLive } from "../../app/live/keep-live.ts";

export type Dashboard = Answer<typeof dashboardAnswer>;

/** Counts of other monitors and exact uptime come by asking; not more often than this. */
const refetchEveryMs = 3000;
/** While something is stale, any check may end that. */
const refetchStaleEveryMs = 10_000;
const shownIncidents = 10;

/** Whether a check, or its absence, may change how many monitors are stale: events do not tell the count. */
export function mayChangeStale({ monitors }: Dashboard, { name, data }: LiveEvent): boolean {
  return name === "monitor" && data.change === "figures" && monitors !== null && data.stale !== monitors.stale > 0;
}

/**
 * What a live event changes on the dashboard at once: the count of a state that was left and of the one reached, and
 * incidents. A part that is not available stays so until it is fetched anew.
 */
export function applyToDashboard(dashboard: Dashboard, event: LiveEvent): void {
  if (event.name === "monitor" && event.data.change === "state") {
    const { status, previousStatus } = event.data;
    if (status === undefined || previousStatus === undefined || status === previousStatus) return;
    const { monitors } = dashboard;
    if (monitors === null || monitors[previousStatus] === 0) return;
    monitors[previousStatus] -= 1;
    monitors[status] += 1;
    monitors.active = monitors.total - monitors.paused;
  }
  if (event.name === "agent" && event.data.change === "state") {
    const { status, previousStatus } = event.data;
    const { agents } = dashboard;
    if (status === undefined || previousStatus === undefined) return;
    if (agents === null || agents[previousStatus] === 0) return;
    agents[previousStatus] -= 1;
    agents[status] += 1;
  }
  if (event.name === "incident") {
    const { change, incident } = event.data;
    const { recent } = dashboard;
    if (recent === null) return;
    const index = recent.findIndex(({ id }) => id === incident.id);
    const known = recent[index];
    if (known !== undefined) recent[index] = incident;
    // Others may be old ones that somebody acknowledges now.
    else if (change === "opened" || change === "closed")
      dashboard.recent = [incident, ...recent].slice(0, shownIncidents);
    if (dashboard.incidents === null) return;
    if (change === "opened" && known === undefined) dashboard.incidents += 1;
    if (change === "closed" && known?.closedAt === undefined)
      dashboard.incidents = Math.max(0, dashboard.incidents - 1);
  }
}

/** Keeps the dashboard live. */
export const keepDashboardLive = keepLive(
  (_arg: void) => "Dashboard",
  (events, _arg, update: (change: (dashboard: Dashboard) => void) => void) => {
    let isStale = false;
    update((dashboard) => {
      isStale = events.some((event) => mayChangeStale(dashboard, event));
      for (const event of events) applyToDashboard(dashboard, event);
    });
    const isChange = events.some(
      ({ name, data }) => (name === "monitor" || name === "agent") && data.change !== "figures",
    );
    return isChange ? refetchEveryMs : isStale ? refetchStaleEveryMs : null;
  },
);
