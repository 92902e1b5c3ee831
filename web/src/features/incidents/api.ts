import type {
  Incident,
  incidentsAnswer,
  incidentsQuery,
  incidentStoryAnswer,
} from "@sonde/proto/http/incidents/incidents";
import type { agentsAnswer } from "@sonde/proto/http/agents/agents";
import type { monitorsAnswer } from "@sonde/proto/http/monitors/monitors";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { Language } from "@sonde/proto/http/messages";
import { type AnswerOf, api, type QueryOf } from "../../app/api.ts";
import { keepListLive, keepRefetched, type LiveEvent } from "../../app/live/events.ts";

/** An incident opens, creates alerts and delivers messages almost at once. */
const storyEveryMs = 700;

/** Keeps a list page live: displayed incidents change in place, additions and removals are refetched. */
const keepPageLive = keepListLive("IncidentList", (page: { incidents: Incident[] }, event) => {
  if (event.name === "incident") {
    const { incident } = event.data;
    const index = page.incidents.findIndex(({ id }) => id === incident.id);
    if (index !== -1) page.incidents[index] = incident;
    return true;
  }
  return (
    (event.name === "monitor" || event.name === "agent") &&
    ["deleted", "renamed", "updated"].includes(event.data.change)
  );
});

function isOf(id: string, { name, data }: LiveEvent): boolean {
  if (name === "delivery") return data.incidentId === id;
  return name === "incident" && data.incident.id === id;
}

/** Tags and host of incident targets, by `monitor:12`. */
export type TargetFacts = Readonly<Record<string, { tags: readonly string[]; host: string | undefined }>>;

const maxTargets = 200;
const numbersOf = (keys: readonly string[], type: TargetType) =>
  keys.flatMap((key) => (key.startsWith(`${type}:`) ? [Number(key.slice(type.length + 1))] : [])).slice(0, maxTargets);

export type Story = AnswerOf<typeof incidentStoryAnswer>;

const incidentsApi = api.injectEndpoints({
  endpoints: (build) => ({
    incidents: build.query<AnswerOf<typeof incidentsAnswer>, QueryOf<typeof incidentsQuery>>({
      query: (params) => ({ url: "/incidents", params }),
      providesTags: ["IncidentList"],
      onCacheEntryAdded: keepPageLive,
    }),
    targetFacts: build.query<TargetFacts, readonly string[]>({
      async queryFn(keys, _api, _extra, ask) {
        const facts: Record<string, TargetFacts[string]> = {};
        for (const type of ["monitor", "agent"] as const) {
          const ids = numbersOf(keys, type);
          if (ids.length === 0) continue;
          const compact = type === "monitor" ? true : undefined;
          const { data, error } = await ask({
            url: `/${type}s`,
            params: { ids: ids.join(","), pageSize: maxTargets, compact },
          });
          if (error !== undefined) return { error };
          const { monitors = [], agents = [] } = data as Partial<
            AnswerOf<typeof monitorsAnswer> & AnswerOf<typeof agentsAnswer>
          >;
          for (const { id, tags, target } of monitors) facts[`monitor:${id}`] = { tags, host: hostOf(target) };
          for (const { id, tags, hostname } of agents) facts[`agent:${id}`] = { tags, host: hostname };
        }
        return { data: facts };
      },
      providesTags: ["MonitorList", "AgentList"],
    }),
    /** The server writes the texts in the requested language. */
    story: build.query<Story, { id: string; language: Language }>({
      query: ({ id }) => `/incidents/${id}`,
      providesTags: (_answer, _error, { id }) => ["Incident", { type: "Incident", id }],
      onCacheEntryAdded: keepRefetched(
        ({ id }: { id: string }) => ({ type: "Incident", id }),
        (event, { id }) => (isOf(id, event) ? storyEveryMs : null),
      ),
    }),
  }),
});

const hostOf = (target: string) => URL.parse(target)?.hostname || undefined;

export const { useIncidentsQuery, useTargetFactsQuery, useStoryQuery } = incidentsApi;

export const isIncidentId = (text: string) => /^[ma][1-9]\d{0,9}$/.test(text);
