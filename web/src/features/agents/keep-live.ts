import type { Agent } from "@sonde/proto/http/agents";
import { api } from "../../app/api.ts";
import { subscribeLive } from "../../app/live/events.ts";
import { throttle } from "../../lib/throttle.ts";
import { applyToAgent, applyToPage } from "./live.ts";

type TagType = "Agent" | "AgentList" | "AgentMetrics" | "AgentIncidents";
type Lifecycle<Data> = {
  dispatch: (action: ReturnType<typeof invalidate>) => unknown;
  cacheDataLoaded: Promise<unknown>;
  cacheEntryRemoved: Promise<void>;
  updateCachedData: (change: (draft: Data) => void) => unknown;
};

const util = api.enhanceEndpoints({ addTagTypes: ["Agent", "AgentList", "AgentMetrics", "AgentIncidents"] }).util;
const invalidate = (type: TagType, id?: number) => util.invalidateTags([id === undefined ? { type } : { type, id }]);

/** A page whose rows changed in number or order is asked for anew, not more often than this. */
const pageEveryMs = 1500;
/** A whole sample comes with the agent itself; percentages move at once. */
const agentEveryMs = 2000;
const metricsEveryMs = 30_000;

/** Keeps a page of the list live: usage and states move in place. */
export async function keepPageLive(
  _arg: unknown,
  { dispatch, cacheDataLoaded, cacheEntryRemoved, updateCachedData }: Lifecycle<{ agents: Agent[]; total: number }>,
): Promise<void> {
  await cacheDataLoaded.catch(() => undefined);
  const refetch = throttle(pageEveryMs, () => dispatch(invalidate("AgentList")));
  const stop = subscribeLive((events) => {
    let stale = events.some(({ name }) => name === "reset");
    updateCachedData((page) => {
      for (const event of events) {
        if (event.name === "agent") stale = applyToPage(page, event.data) || stale;
      }
    });
    if (stale) refetch();
  });
  await cacheEntryRemoved;
  stop();
  refetch.cancel();
}

/** Keeps one agent live: its percentages at once, its whole sample shortly after. */
export async function keepAgentLive(
  id: number,
  { dispatch, cacheDataLoaded, cacheEntryRemoved, updateCachedData }: Lifecycle<{ agent: Agent }>,
): Promise<void> {
  await cacheDataLoaded.catch(() => undefined);
  const refetch = throttle(agentEveryMs, () => dispatch(invalidate("Agent", id)));
  const stop = subscribeLive((events) => {
    const own = events.filter((event) => event.name === "agent").filter(({ data }) => data.id === id);
    if (own.length === 0 && !events.some(({ name }) => name === "reset")) return;
    updateCachedData((draft) => {
      for (const { data } of own) applyToAgent(draft.agent, data);
    });
    refetch();
  });
  await cacheEntryRemoved;
  stop();
  refetch.cancel();
}

/** Keeps what grows with an agent's samples live: charts are drawn anew now and then, incidents as they come. */
export function keepRecordsLive<Arg>(type: "AgentMetrics" | "AgentIncidents", idOf: (arg: Arg) => number) {
  return async (
    arg: Arg,
    { dispatch, cacheDataLoaded, cacheEntryRemoved }: Omit<Lifecycle<never>, "updateCachedData">,
  ) => {
    const id = idOf(arg);
    await cacheDataLoaded.catch(() => undefined);
    const refetch = throttle(type === "AgentMetrics" ? metricsEveryMs : pageEveryMs, () =>
      dispatch(invalidate(type, id)),
    );
    const stop = subscribeLive((events) => {
      const concerns = events.some((event) => {
        if (event.name === "reset") return true;
        if (type === "AgentMetrics") return event.name === "agent" && event.data.id === id;
        return (
          event.name === "incident" &&
          event.data.incident.target.type === "agent" &&
          event.data.incident.target.id === id
        );
      });
      if (concerns) refetch();
    });
    await cacheEntryRemoved;
    stop();
    refetch.cancel();
  };
}
