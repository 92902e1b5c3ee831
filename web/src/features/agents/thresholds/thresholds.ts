import type { Agent } from "@sonde/proto/http/agents/agents";
import type { messageAnswer } from "@sonde/proto/http/auth";
import type { AgentSettings, agentSettingsAnswer } from "@sonde/proto/http/notifications/settings";
import { type AnswerOf, api } from "../../../app/api.ts";
import { type AllSettings, useSettingsInForceQuery } from "../../../app/notifications/api.ts";
import type { Thresholds } from "./usage-tone.ts";

const none: Thresholds = { cpu: null, memory: null, disk: null };

/** The thresholds that hold for an agent, and whose setting they are. */
export type ThresholdsNow = {
  thresholds: Thresholds;
  scope: "agent" | "global";
  /** Everybody's settings; undefined while they are on their way or away. */
  all: AllSettings | undefined;
};

/** From the notification settings, which change first; until they came, as in the agent's own answer. */
export function useThresholds({ id, thresholds }: Agent): ThresholdsNow {
  const { data: all } = useSettingsInForceQuery();
  if (all === undefined) return { thresholds: thresholds ?? none, scope: thresholds?.scope ?? "global", all };
  const own = all.agents[String(id)];
  return { thresholds: (own ?? all.globalAgent).thresholds, scope: own === undefined ? "global" : "agent", all };
}

const changed = (id: number) => ["NotificationSettings", { type: "Agent", id }, "AgentList"] as const;

const thresholdsApi = api.injectEndpoints({
  endpoints: (build) => ({
    saveAgentSettings: build.mutation<AnswerOf<typeof agentSettingsAnswer>, { id: number; settings: AgentSettings }>({
      query: ({ id, settings }) => ({ url: `/notifications/settings/agent/${id}`, method: "PUT", body: settings }),
      invalidatesTags: (_answer, error, { id }) => (error === undefined ? changed(id) : []),
    }),
    resetAgentSettings: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/notifications/settings/agent/${id}`, method: "DELETE" }),
      invalidatesTags: (_answer, error, id) => (error === undefined ? changed(id) : []),
    }),
  }),
});

export const { useSaveAgentSettingsMutation, useResetAgentSettingsMutation } = thresholdsApi;
