import type { AgentStatus, agentAnswer, agentsAnswer } from "@sonde/proto/http/agents/agents";
import type { monitorAnswer, monitorsAnswer, MonitorStatus } from "@sonde/proto/http/monitors/monitors";
import type { tagsAnswer } from "@sonde/proto/http/monitors/lists";
import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import { type AnswerOf, api } from "../../app/api.ts";
import { type LiveEvent, keepRefetched } from "../../app/live/events.ts";
import type { CurlRequest } from "./curl.ts";

export type TargetSummary = {
  id: number;
  name: string;
  /** A monitor's URL or address, or an agent's hostname. */
  at: string;
  tags: readonly string[];
} & (
  | { type: "monitor"; status: MonitorStatus; stale: boolean; slow: boolean; note: string; request?: CurlRequest }
  | { type: "agent"; status: AgentStatus; note?: undefined; request?: undefined }
);

/** `type` restricts the search to monitors or agents. */
export type RequestedTargets = { search: string; type?: TargetType | undefined };
/** The first targets of a type by name, and their total number. */
export type AllTargets = { targets: TargetSummary[]; total: number };

const bothTypes = ["monitor", "agent"] as const;
const found = 8;
const pageSize = 200;
/** Upper limit. An installation may have 10,000 monitors, but nobody selects from a complete list of them. */
const maxListed = 2000;
const everyMs = 3000;

const tagOf = ({ type, id }: TargetRef) => ({ type: type === "agent" ? "Agent" : "Monitor", id }) as const;

const targetsApi = api.injectEndpoints({
  endpoints: (build) => ({
    target: build.query<TargetSummary, TargetRef>({
      query: ({ type, id }) => `/${type}s/${id}`,
      transformResponse: (answer: AnswerOf<typeof monitorAnswer> | AnswerOf<typeof agentAnswer>) =>
        "agent" in answer ? ofAgent(answer.agent) : ofMonitor(answer.monitor),
      providesTags: (_answer, _error, target) => [tagOf(target)],
      onCacheEntryAdded: keepRefetched(tagOf, (event, target) => (isChangeOf(target, event) ? everyMs : null)),
    }),
    findTargets: build.query<TargetSummary[], RequestedTargets>({
      async queryFn({ search, type }, _api, _extra, ask) {
        const params = { page: 1, pageSize: found, sort: "name", search: search === "" ? undefined : search };
        const types = type === undefined ? bothTypes : [type];
        const answers = await Promise.all(types.map(async (each) => await ask(listOf(each, params))));
        // Shows one type even if the service of the other is unavailable.
        const failure = answers.every(({ error }) => error !== undefined) ? answers[0]?.error : undefined;
        if (failure !== undefined) return { error: failure };
        return { data: answers.flatMap(({ data }) => (data === undefined ? [] : targetsIn(data).targets)) };
      },
    }),
    /** Tags of monitors and agents, most used first. */
    knownTags: build.query<string[], string>({
      async queryFn(search, _api, _extra, ask) {
        const params = search === "" ? {} : { search };
        const answers = await Promise.all([ask({ url: "/monitors/tags", params }), ask("/agents/tags")]);
        const failure = answers.every(({ error }) => error !== undefined) ? answers[0]?.error : undefined;
        if (failure !== undefined) return { error: failure };
        const tags = answers.flatMap(({ data }) => (data as AnswerOf<typeof tagsAnswer> | undefined)?.tags ?? []);
        const sought = search.toLowerCase();
        return {
          data: [...new Set(tags.map(({ name }) => name))].filter((name) => name.toLowerCase().includes(sought)),
        };
      },
    }),
    allTargets: build.query<AllTargets, TargetType>({
      async queryFn(type, _api, _extra, ask) {
        const targets: TargetSummary[] = [];
        let total = 0;
        for (let page = 1; page <= maxListed / pageSize; page++) {
          const answer = await ask(listOf(type, { page, pageSize, sort: "name" }));
          if (answer.error !== undefined) return { error: answer.error };
          const part = targetsIn(answer.data);
          targets.push(...part.targets);
          total = part.total;
          if (targets.length >= total || part.targets.length === 0) break;
        }
        return { data: { targets, total } };
      },
    }),
  }),
});

const listOf = (type: TargetType, params: object) =>
  type === "monitor" ? { url: "/monitors", params: { ...params, compact: true } } : { url: "/agents", params };

function targetsIn(answer: unknown): AllTargets {
  const { monitors = [], agents = [], total = 0 } = answer as Partial<List>;
  return { targets: [...monitors.map(ofMonitor), ...agents.map(ofAgent)], total };
}
type List = AnswerOf<typeof monitorsAnswer> & AnswerOf<typeof agentsAnswer>;

const ofMonitor = (monitor: AnswerOf<typeof monitorAnswer>["monitor"]): TargetSummary => {
  const { id, name, target, tags, status, stale, slow, note } = monitor;
  const request = monitor.type === "http" ? { request: monitor } : {};
  return { type: "monitor", id, name, at: target, tags, status, stale, slow, note, ...request };
};

const ofAgent = ({ id, name, hostname, tags, status }: AnswerOf<typeof agentAnswer>["agent"]): TargetSummary => ({
  type: "agent",
  id,
  name,
  at: hostname,
  tags,
  status,
});

function isChangeOf({ type, id }: TargetRef, { name, data }: LiveEvent): boolean {
  return (name === "monitor" || name === "agent") && name === type && data.id === id && data.change !== "figures";
}

export const { useKnownTagsQuery, useTargetQuery, useFindTargetsQuery, useAllTargetsQuery } = targetsApi;
export { targetsApi };

/** For example `monitor:12`. */
export const targetKey = ({ type, id }: TargetRef) => `${type}:${id}` as const;

export const isSameTarget = (one: TargetRef, other: TargetRef | undefined) =>
  one.type === other?.type && one.id === other.id;

export const targetsOf = ({ monitors, agents }: TargetIds): TargetRef[] => [
  ...monitors.map((id): TargetRef => ({ type: "monitor", id })),
  ...agents.map((id): TargetRef => ({ type: "agent", id })),
];
type TargetIds = { monitors: readonly number[]; agents: readonly number[] };

export const idsOf = (targets: readonly TargetRef[]) => ({
  monitors: targets.flatMap(({ type, id }) => (type === "monitor" ? [id] : [])),
  agents: targets.flatMap(({ type, id }) => (type === "agent" ? [id] : [])),
});

/** Maps a path of the input to the form field. Both lists of ids are one field. */
export function targetFieldOf(path: string): string {
  const [field = ""] = path.split(".");
  return field === "monitors" || field === "agents" ? "targets" : field;
}
