import {
  type ChangedEvent,
  type OverallEvent,
  overallState,
  type PublicState,
  type StateEvent,
  verdictOf,
} from "@sonde/proto/http/status/status";
import { isOutdated, knownAt, type PageStates } from "@sonde/proto/http/status/snapshot";
import type { PublishedPage } from "./view.ts";

/** What streams of the public page send. */
export type StatusFrame =
  | { event: "monitor" | "agent"; data: StateEvent }
  | { event: "status"; data: OverallEvent }
  | { event: "changed"; data: ChangedEvent };

/** While all stays as it is, that is sent at most this often. */
const repeatedAfterMs = 10_000;

/** The page as a whole: its state, and how many of the services that it shows do not work. */
export function overallOf({ summary, states }: PublishedPage, nowMs: number): OverallEvent {
  const shown = shownStates(summary, states);
  return {
    state: overallState(shown, summary.openImpacts),
    ill: shown.filter((state) => verdictOf(state) === "ill").length,
    total: shown.length,
    updatedAt: knownAt(states),
    outdated: isOutdated(states, nowMs),
  };
}

/** Whether the whole is to be sent again after `last`. */
export function isNews(last: OverallEvent | null, now: OverallEvent): boolean {
  if (last === null || last.state !== now.state || last.outdated !== now.outdated) return true;
  if (last.ill !== now.ill || last.total !== now.total) return true;
  return Date.parse(now.updatedAt ?? "") - Date.parse(last.updatedAt ?? "") >= repeatedAfterMs;
}

/** The events of single services between two states of the page; of what the page shows alone. */
export function changesBetween(before: PublishedPage, now: PublishedPage): StatusFrame[] {
  const frames: StatusFrame[] = [];
  for (const [event, of] of [
    ["monitor", "monitors"],
    ["agent", "agents"],
  ] as const) {
    for (const id of now.summary[of]) {
      const [was, is] = [before.states[of][id], now.states[of][id]];
      if (is === undefined || (was?.status === is.status && was.sinceMs === is.sinceMs)) continue;
      frames.push({ event, data: { id, status: is.status, since: new Date(is.sinceMs).toISOString() } });
    }
  }
  if (before.summary.content !== now.summary.content) frames.push({ event: "changed", data: {} });
  return frames;
}

function shownStates({ monitors, agents }: PublishedPage["summary"], states: PageStates): PublicState[] {
  return [
    ...monitors.map((id) => states.monitors[id]?.status ?? "unknown"),
    ...agents.map((id) => states.agents[id]?.status ?? "unknown"),
  ];
}
