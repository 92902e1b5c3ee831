import type { dashboardAnswer } from "@sonde/proto/http/dashboard";
import { type AnswerOf, api } from "../api.ts";
import { type LiveEvent, keepLive } from "../live/events.ts";

/** How many monitors are down, and how many agents offline. */
export type DownCounts = { monitors: number; agents: number };

/** What came or went may have been down: events do not hold it. Asked not more often than this. */
const refetchEveryMs = 10_000;

export function downOf({
  monitors,
  agents,
}: Pick<AnswerOf<typeof dashboardAnswer>, "monitors" | "agents">): DownCounts {
  return { monitors: monitors?.down ?? 0, agents: agents?.offline ?? 0 };
}

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

const downApi = api.injectEndpoints({
  endpoints: (build) => ({
    down: build.query<DownCounts, void>({
      query: () => "/dashboard",
      transformResponse: downOf,
      providesTags: ["Dashboard"],
      onCacheEntryAdded: keepLive<void, DownCounts>(
        () => "Dashboard",
        (events, _arg, update) => {
          let isUnknown = false;
          update((down) => {
            for (const event of events) isUnknown = applyToDown(down, event) || isUnknown;
          });
          return isUnknown ? refetchEveryMs : null;
        },
      ),
    }),
  }),
});

export const { useDownQuery } = downApi;
