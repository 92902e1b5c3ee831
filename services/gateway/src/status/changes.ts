import {
  type ChangedEvent,
  type OverallEvent,
  overallState,
  type PublicState,
  type StateEvent,
  verdictOf,
} from "@sonde/proto/http/status";
import type { PageStates } from "@sonde/proto/http/status-snapshot";
import { isOutdated, knownAt } from "./join.ts";
import type { Known } from "./view.ts";

/** What a stream of the public page may be told. */
export type StatusFrame =
  | { event: "monitor" | "agent"; data: StateEvent }
  | { event: "status"; data: OverallEvent }
  | { event: "changed"; data: ChangedEvent };

/** While all stays as it is, visitors are told at most this often that it is so still. */
const repeatedAfterMs = 10_000;

/** The page as a whole: its state, and how many of the services that it shows do not work. */
export function overallOf({ summary, states }: Known, nowMs: number): OverallEvent {
  const shown = shownStates(summary, states);
  return {
    state: overallState(shown, summary.openImpacts),
    ill: shown.filter((state) => verdictOf(state) === "ill").length,
    total: shown.length,
    updatedAt: knownAt(states),
    outdated: isOutdated(states, nowMs),
  };
}

/** Whether the whole is to be told again to those who were told `told` last. */
export function isNews(told: OverallEvent | null, now: OverallEvent): boolean {
  if (told === null || told.state !== now.state || told.outdated !== now.outdated) return true;
  if (told.ill !== now.ill || told.total !== now.total) return true;
  return Date.parse(now.updatedAt ?? "") - Date.parse(told.updatedAt ?? "") >= repeatedAfterMs;
}

/** What visitors who knew the one must be told of single services to know the other; of what the page shows alone. */
export function changesBetween(before: Known, now: Known): StatusFrame[] {
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

function shownStates({ monitors, agents }: Known["summary"], states: PageStates): PublicState[] {
  return [
    ...monitors.map((id) => states.monitors[id]?.status ?? "unknown"),
    ...agents.map((id) => states.agents[id]?.status ?? "unknown"),
  ];
}
