import type { agentsAnswer } from "@sonde/proto/http/agents/agents";
import type { incidentsAnswer } from "@sonde/proto/http/incidents/incidents";
import type { tagsAnswer } from "@sonde/proto/http/monitors/lists";
import type { checkNowAnswer, monitorAnswer, monitorsAnswer } from "@sonde/proto/http/monitors/monitors";
import type { channelsAnswer } from "@sonde/proto/http/notifications/channels";
import type { templatesAnswer } from "@sonde/proto/http/notifications/templates";
import type { usersAnswer } from "@sonde/proto/http/users";
import { type AnswerOf, api } from "../../app/api.ts";

const monitorsShown = 8;
const othersShown = 5;
const page = (pageSize: number, sort: string | undefined, search: string) => ({ page: 1, pageSize, sort, search });

/** Upper limit for a manual check with its retries. Its result also appears on the monitor's page. */
const maxCheckMs = 60_000;

const paletteApi = api.injectEndpoints({
  endpoints: (build) => ({
    findMonitors: build.query<AnswerOf<typeof monitorsAnswer>, string>({
      query: (search) => ({ url: "/monitors", params: page(monitorsShown, "name", search) }),
      providesTags: ["MonitorList"],
    }),
    findAgents: build.query<AnswerOf<typeof agentsAnswer>, string>({
      query: (search) => ({ url: "/agents", params: page(othersShown, "name", search) }),
      providesTags: ["AgentList"],
    }),
    findIncidents: build.query<AnswerOf<typeof incidentsAnswer>, string>({
      // By default open incidents first, then the newest.
      query: (search) => ({ url: "/incidents", params: page(othersShown, undefined, search) }),
      providesTags: ["IncidentList"],
    }),
    findTags: build.query<AnswerOf<typeof tagsAnswer>, string>({
      query: (search) => ({ url: "/monitors/tags", params: { search } }),
      providesTags: ["MonitorList"],
    }),
    findChannels: build.query<AnswerOf<typeof channelsAnswer>, void>({
      query: () => "/notifications/channels",
      providesTags: ["Channels"],
    }),
    findTemplates: build.query<AnswerOf<typeof templatesAnswer>, void>({
      query: () => "/notifications/templates",
      providesTags: ["Templates"],
    }),
    findUsers: build.query<AnswerOf<typeof usersAnswer>, string>({
      query: (search) => ({ url: "/users", params: page(othersShown, "username", search) }),
      providesTags: ["UserList"],
    }),
    switchFromPalette: build.mutation<AnswerOf<typeof monitorAnswer>, { id: number; action: "pause" | "resume" }>({
      query: ({ id, action }) => ({ url: `/monitors/${id}/${action}`, method: "POST" }),
      invalidatesTags: ["Monitor", "MonitorList", "Incidents", "Dashboard"],
    }),
    checkFromPalette: build.mutation<AnswerOf<typeof checkNowAnswer>, number>({
      query: (id) => ({ url: `/monitors/${id}/check`, method: "POST", timeout: maxCheckMs }),
      invalidatesTags: ["Monitor", "Checks", "Incidents"],
    }),
  }),
});

export const {
  useFindMonitorsQuery,
  useFindAgentsQuery,
  useFindIncidentsQuery,
  useFindTagsQuery,
  useFindChannelsQuery,
  useFindTemplatesQuery,
  useFindUsersQuery,
  useSwitchFromPaletteMutation,
  useCheckFromPaletteMutation,
} = paletteApi;
