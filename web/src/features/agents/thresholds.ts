import type { Agent } from "@sonde/proto/http/agents";
import { type AllSettings, useSettingsInForceQuery } from "../../app/notifications/api.ts";
import type { Thresholds } from "./usage-tone.ts";

const none: Thresholds = { cpu: null, memory: null, disk: null };

/** The thresholds that hold for an agent, and whose setting they are. */
export type ThresholdsNow = {
  thresholds: Thresholds;
  scope: "agent" | "global";
  /** Everybody's settings; undefined while they are on their way or away. */
  all: AllSettings | undefined;
};

/** From the notification settings, which change first; until they came, as the agent's own answer says. */
export function useThresholds({ id, thresholds }: Agent): ThresholdsNow {
  const { data: all } = useSettingsInForceQuery();
  if (all === undefined) return { thresholds: thresholds ?? none, scope: thresholds?.scope ?? "global", all };
  const own = all.agents[String(id)];
  return { thresholds: (own ?? all.globalAgent).thresholds, scope: own === undefined ? "global" : "agent", all };
}
