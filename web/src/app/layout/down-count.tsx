import { useEffect } from "react";
import { useLocation } from "react-router";
import { setDownCount } from "../../ui/page-header.tsx";
import { useAppSelector } from "../hooks.ts";
import { paths } from "../paths.ts";
import type { RootState } from "../store.ts";
import type { dashboardAnswer } from "@sonde/proto/http/dashboard";
import { type AnswerOf, api } from "../api.ts";
import { type LiveEvent, keepListLive } from "../live/events.ts";

const icons = { well: "/favicon.svg", down: "/favicon-down.svg" };

/**
 * Shows in the browser's tab how many monitors are down and agents offline, and turns its icon red. On the dashboard it
 * takes what that page knows; elsewhere it asks once and listens. Draws nothing.
 */
export default function DownCount() {
  const { pathname } = useLocation();
  const isDashboard = pathname === paths.dashboard;
  const shown = useAppSelector(onDashboard);
  const { data } = useDownQuery(undefined, { skip: isDashboard });
  const count = isDashboard ? shown : data && sum(data);
  useEffect(() => {
    if (count !== undefined) showCount(count);
  }, [count]);
  // Nothing is shown after a logout.
  useEffect(() => () => showCount(0), []);
  return null;
}

/** By the dashboard's own answer, which its live events keep. */
function onDashboard(state: RootState): number | undefined {
  const answer = state.api.queries["dashboard(undefined)"]?.data;
  return answer === undefined ? undefined : sum(downOf(answer as Counted));
}

const sum = ({ monitors, agents }: DownCounts) => monitors + agents;

function showCount(count: number) {
  setDownCount(count);
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  icon?.setAttribute("href", count > 0 ? icons.down : icons.well);
}

/** How many monitors are down, and how many agents offline. */
type DownCounts = { monitors: number; agents: number };

/** What came or went may have been down: events do not hold it. Asked not more often than this. */
const refetchEveryMs = 10_000;

type Counted = Pick<AnswerOf<typeof dashboardAnswer>, "monitors" | "agents">;
const downOf = ({ monitors, agents }: Counted): DownCounts => ({
  monitors: monitors?.down ?? 0,
  agents: agents?.offline ?? 0,
});

/** Counts a change of state at once; answers whether an event may have changed more than it holds. */
export function applyToDown(down: DownCounts, { name, data }: LiveEvent): boolean {
  if (name !== "monitor" && name !== "agent") return false;
  if (data.change === "figures" || data.change === "stale" || data.change === "fresh") return false;
  if (data.change !== "state") return data.change === "created" || data.change === "deleted";
  const [kind, bad] = name === "monitor" ? (["monitors", "down"] as const) : (["agents", "offline"] as const);
  const step = Number(data.status === bad) - Number(data.previousStatus === bad);
  down[kind] = Math.max(0, down[kind] + step);
  return false;
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
