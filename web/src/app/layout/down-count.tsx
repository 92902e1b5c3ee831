import { basePath } from "../../lib/base-path.ts";
import { useEffect } from "react";
import { useLocation } from "react-router-dom";
import { createShared } from "../../lib/hooks.ts";
import { setDownCount } from "../../ui/page-header.tsx";
import { useAppSelector } from "../hooks.ts";
import { paths } from "../paths.ts";
import type { RootState } from "../store.ts";
import type { IncidentEvent } from "@sonde/proto/http/events";
import type { dashboardAnswer } from "@sonde/proto/http/dashboard";
import { type AnswerOf, api } from "../api.ts";
import { type LiveEvent, keepListLive } from "../live/events.ts";

/** Number of open incidents. `null` until it is known. */
export const openIncidents = createShared<number | null>(null);

const icons = { well: `${basePath}/favicon.svg`, down: `${basePath}/favicon-down.svg` };

/**
 * Shows in the browser tab how many monitors are down and agents are offline, and makes its icon red. Also updates the
 * number of open incidents. Uses the dashboard's data on the dashboard, otherwise one request and live events. Renders
 * nothing.
 */
export function DownCount() {
  const { pathname } = useLocation();
  const isDashboard = pathname === paths.dashboard;
  const shown = useAppSelector(onDashboard, isSame);
  const { data } = useDownQuery(undefined, { skip: isDashboard });
  const known = isDashboard ? shown : data;
  const count = known && known.monitors + known.agents;
  useEffect(() => {
    if (count !== undefined) showCount(count);
  }, [count]);
  const incidents = known?.incidents;
  useEffect(() => {
    if (incidents !== undefined) openIncidents.set(incidents);
  }, [incidents]);
  useEffect(
    () => () => {
      showCount(0);
      openIncidents.set(null);
    },
    [],
  );
  return null;
}

/** Reads the counts from the dashboard's data, which live events keep up to date. */
function onDashboard(state: RootState): DownCounts | undefined {
  const answer = state.api.queries["dashboard(undefined)"]?.data;
  return answer === undefined ? undefined : downOf(answer as Counted);
}

const isSame = (one: DownCounts | undefined, other: DownCounts | undefined) =>
  one?.monitors === other?.monitors && one?.agents === other?.agents && one?.incidents === other?.incidents;

function showCount(count: number) {
  setDownCount(count);
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  icon?.setAttribute("href", count > 0 ? icons.down : icons.well);
}

type DownCounts = { monitors: number; agents: number; incidents: number | null };

/** Created and deleted monitors may be down; events do not say so. Minimum interval between refetches. */
const refetchEveryMs = 10_000;

type Counted = Pick<AnswerOf<typeof dashboardAnswer>, "monitors" | "agents" | "incidents">;
const downOf = ({ monitors, agents, incidents }: Counted): DownCounts => ({
  monitors: monitors?.down ?? 0,
  agents: agents?.offline ?? 0,
  incidents,
});

/** Applies a state change. Returns true if the event may have changed more than it contains. */
export function applyToDown(down: DownCounts, { name, data }: LiveEvent): boolean {
  if (name === "incident") return countIncident(down, data.change);
  if (name !== "monitor" && name !== "agent") return false;
  if (data.change === "figures" || data.change === "stale" || data.change === "fresh") return false;
  if (data.change !== "state") return data.change === "created" || data.change === "deleted";
  const [kind, bad] = name === "monitor" ? (["monitors", "down"] as const) : (["agents", "offline"] as const);
  const step = Number(data.status === bad) - Number(data.previousStatus === bad);
  down[kind] = Math.max(0, down[kind] + step);
  return false;
}

/** Updates the count. Returns true if a refetch must follow, since the count may have included the change already. */
function countIncident(down: DownCounts, change: IncidentEvent["change"]): boolean {
  const step = change === "opened" ? 1 : change === "closed" ? -1 : 0;
  if (step !== 0 && down.incidents !== null) down.incidents = Math.max(0, down.incidents + step);
  return step !== 0;
}

const { useDownQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    down: build.query<DownCounts, void>({
      query: () => "/dashboard",
      transformResponse: downOf,
      providesTags: ["Dashboard"],
      onCacheEntryAdded: keepListLive<DownCounts>("Dashboard", applyToDown, refetchEveryMs),
    }),
  }),
});
