import type { messageAnswer } from "@sonde/proto/http/auth";
import type { AgentSettings, agentSettingsAnswer } from "@sonde/proto/http/notification-settings";
import type { Answer } from "../../app/answer.ts";
import { api } from "../../app/api.ts";

const changed = (id: number) => ["NotificationSettings", { type: "Agent", id }, "AgentList"] as const;

const thresholdsApi = api.injectEndpoints({
  endpoints: (build) => ({
    saveAgentSettings: build.mutation<Answer<typeof agentSettingsAnswer>, { id: number; settings: AgentSettings }>({
      query: ({ id, settings }) => ({ url: `/notifications/settings/agent/${id}`, method: "PUT", body: settings }),
      invalidatesTags: (_answer, error, { id }) => (error === undefined ? changed(id) : []),
    }),
    resetAgentSettings: build.mutation<Answer<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/notifications/settings/agent/${id}`, method: "DELETE" }),
      invalidatesTags: (_answer, error, id) => (error === undefined ? changed(id) : []),
    }),
  }),
});

export const { useSaveAgentSettingsMutation, useResetAgentSettingsMutation } = thresholdsApi;
