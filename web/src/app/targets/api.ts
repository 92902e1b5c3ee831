import type { AgentStatus, agentAnswer, agentsAnswer } from "@sonde/proto/http/agents";
import type { monitorAnswer, monitorsAnswer, MonitorStatus } from "@sonde/proto/http/monitors";
import type { TargetRef } from "@sonde/proto/http/targets";
import type { Answer } from "../answer.ts";
import { api } from "../api.ts";
import type { LiveEvent } from "../live/events.ts";
import { keepRefetched } from "../live/keep-live.ts";

/** What screens show of a monitor or an agent that another thing names. */
export type Target = {
  id: number;
  name: string;
  /** A monitor's URL or address, an agent's hostname. */
  at: string;
} & (
  | { type: "monitor"; status: MonitorStatus; stale: boolean; note: string }
  | { type: "agent"; status: AgentStatus; note?: undefined }
);

const found = 8;
const everyMs = 3000;

const tagOf = ({ type, id }: TargetRef) => ({ type: type === "agent" ? "Agent" : "Monitor", id }) as const;

const targetsApi = api.injectEndpoints({
  endpoints: (build) => ({
    target: build.query<Target, TargetRef>({
      query: ({ type, id }) => `/${type}s/${id}`,
      transformResponse: (answer: Answer<typeof monitorAnswer> | Answer<typeof agentAnswer>) =>
        "agent" in answer ? ofAgent(answer.agent) : ofMonitor(answer.monitor),
      providesTags: (_answer, _error, target) => [tagOf(target)],
      onCacheEntryAdded: keepRefetched(tagOf, (event, target) => (isChangeOf(target, event) ? everyMs : null)),
    }),
    findTargets: build.query<Target[], string>({
      async queryFn(search, _api, _extra, ask) {
        const params = { page: 1, pageSize: found, sort: "name", search: search === "" ? undefined : search };
        const [monitors, agents] = await Promise.all([
          ask({ url: "/monitors", params: { ...params, compact: true } }),
          ask({ url: "/agents", params }),
        ]);
        // Those of one kind are shown while the service of the other is away.
        if (monitors.error !== undefined && agents.error !== undefined) return { error: monitors.error };
        const { monitors: ofMonitors = [] } = (monitors.data ?? {}) as Partial<Answer<typeof monitorsAnswer>>;
        const { agents: ofAgents = [] } = (agents.data ?? {}) as Partial<Answer<typeof agentsAnswer>>;
        return { data: [...ofMonitors.map(ofMonitor), ...ofAgents.map(ofAgent)] };
      },
    }),
  }),
});

const ofMonitor = (monitor: Answer<typeof monitorAnswer>["monitor"]): Target => {
  const { id, name, target, status, stale, note } = monitor;
  return { type: "monitor", id, name, at: target, status, stale, note };
};

const ofAgent = ({ id, name, hostname, status }: Answer<typeof agentAnswer>["agent"]): Target => ({
  type: "agent",
  id,
  name,
  at: hostname,
  status,
});

function isChangeOf({ type, id }: TargetRef, { name, data }: LiveEvent): boolean {
  return (name === "monitor" || name === "agent") && name === type && data.id === id && data.change !== "figures";
}

/** One monitor or agent; and the first of both whose name or address holds a text. */
export const { useTargetQuery, useFindTargetsQuery } = targetsApi;
export { targetsApi };
