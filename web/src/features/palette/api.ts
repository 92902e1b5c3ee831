import type { agentsAnswer } from "@sonde/proto/http/agents/agents";
import type { monitorsAnswer } from "@sonde/proto/http/monitors/monitors";
import type { usersAnswer } from "@sonde/proto/http/users";
import { type AnswerOf, api } from "../../app/api.ts";

const monitorsShown = 8;
const othersShown = 5;

const paletteApi = api.injectEndpoints({
  endpoints: (build) => ({
    findMonitors: build.query<AnswerOf<typeof monitorsAnswer>, string>({
      query: (search) => ({ url: "/monitors", params: { page: 1, pageSize: monitorsShown, sort: "name", search } }),
      providesTags: ["MonitorList"],
    }),
    findAgents: build.query<AnswerOf<typeof agentsAnswer>, string>({
      query: (search) => ({ url: "/agents", params: { page: 1, pageSize: othersShown, sort: "name", search } }),
      providesTags: ["AgentList"],
    }),
    findUsers: build.query<AnswerOf<typeof usersAnswer>, string>({
      query: (search) => ({ url: "/users", params: { page: 1, pageSize: othersShown, sort: "username", search } }),
      providesTags: ["UserList"],
    }),
  }),
});

/** The first of each kind whose name, or what else its list searches, holds a text. */
export const { useFindMonitorsQuery, useFindAgentsQuery, useFindUsersQuery } = paletteApi;
