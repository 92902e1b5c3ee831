import { useEffect } from "react";
import { useLocation } from "react-router";
import { setDownCount } from "../../ui/page-header.tsx";
import { useAppSelector } from "../hooks.ts";
import { paths } from "../paths.ts";
import type { RootState } from "../store.ts";
import { type DownCounts, downOf, useDownQuery } from "./api.ts";

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
  return answer === undefined ? undefined : sum(downOf(answer as Parameters<typeof downOf>[0]));
}

const sum = ({ monitors, agents }: DownCounts) => monitors + agents;

function showCount(count: number) {
  setDownCount(count);
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  icon?.setAttribute("href", count > 0 ? icons.down : icons.well);
}
