import type { Language } from "@sonde/proto/http/messages";
import type {
  incidentAnswer,
  incidentsAnswer,
  incidentsQuery,
  incidentStoryAnswer,
} from "@sonde/proto/http/incidents/incidents";
import { type AnswerOf, type QueryOf, api } from "../../app/api.ts";
import { keepPageLive, keepStoryLive } from "./live.ts";

type IncidentsPage = AnswerOf<typeof incidentsAnswer>;
export type Story = AnswerOf<typeof incidentStoryAnswer>;

const incidentsApi = api.injectEndpoints({
  endpoints: (build) => ({
    incidents: build.query<IncidentsPage, QueryOf<typeof incidentsQuery>>({
      query: (params) => ({ url: "/incidents", params }),
      providesTags: ["IncidentList"],
      onCacheEntryAdded: keepPageLive,
    }),
    /** The server words it, in the language that is asked for. */
    story: build.query<Story, { id: string; language: Language }>({
      query: ({ id }) => `/incidents/${id}`,
      providesTags: (_answer, _error, { id }) => ["Incident", { type: "Incident", id }],
      onCacheEntryAdded: keepStoryLive,
    }),
    acknowledge: build.mutation<AnswerOf<typeof incidentAnswer>, { id: string; note?: string | undefined }>({
      query: ({ id, note }) => ({ url: `/incidents/${id}/acknowledge`, method: "POST", body: { note } }),
      invalidatesTags: (_answer, error, { id }) =>
        error === undefined
          ? [
              { type: "Incident", id },
              "IncidentList",
              "Incidents",
              "AgentIncidents",
              "Dashboard",
              "NotificationSettings",
            ]
          : [],
    }),
  }),
});

export const { useIncidentsQuery, useStoryQuery, useAcknowledgeMutation } = incidentsApi;
