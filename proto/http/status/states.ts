/** Shared with the public page's script, so nothing in here may need a schema. */

/** `unknown`: no result for three slots, or the state is unavailable. */
export const publicMonitorStates = ["up", "slow", "down", "pending", "paused", "maintenance", "unknown"] as const;
export const publicAgentStates = ["online", "offline", "connecting", "maintenance", "unknown"] as const;
export type PublicState = (typeof publicMonitorStates)[number] | (typeof publicAgentStates)[number];

export const overallStates = ["operational", "degraded", "down", "unknown"] as const;
export type OverallState = (typeof overallStates)[number];

export const impacts = ["minor", "major", "critical"] as const;
export type Impact = (typeof impacts)[number];
export const updateStates = ["investigating", "identified", "monitoring", "resolved"] as const;
export type UpdateState = (typeof updateStates)[number];

/** Days per bar. */
export const shownDays = 90;

/** Classifies a state as working, failing or neither. */
export function verdictOf(state: PublicState): "well" | "ill" | null {
  if (state === "up" || state === "slow" || state === "online") return "well";
  return state === "down" || state === "offline" ? "ill" : null;
}

/**
 * Returns the overall state: `down` if nothing works or a critical announcement is open; `degraded` if something fails
 * or is slow, or an announcement is open; `unknown` if no service is working or failing, unless one is in maintenance.
 */
export function overallState(states: readonly PublicState[], openImpacts: readonly Impact[]): OverallState {
  const verdicts = states.map(verdictOf);
  const ill = verdicts.filter((verdict) => verdict === "ill").length;
  const well = verdicts.filter((verdict) => verdict === "well").length;
  if ((ill > 0 && well === 0) || openImpacts.includes("critical")) return "down";
  if (ill > 0 || openImpacts.length > 0 || states.includes("slow")) return "degraded";
  return well > 0 || states.includes("maintenance") ? "operational" : "unknown";
}

export const headlines = ["none", "some", "slow", "announced", "maintenance", "operational", "unknown"] as const;
export type Headline = (typeof headlines)[number];

/** Returns the headline for the overall state. `states`: of every service shown. */
export function headlineOf(state: OverallState, states: readonly PublicState[]): Headline {
  const verdicts = states.map(verdictOf);
  if (verdicts.includes("ill")) return verdicts.includes("well") ? "some" : "none";
  if (state === "degraded" && states.includes("slow")) return "slow";
  if (state === "degraded" || state === "down") return "announced";
  if (state === "unknown") return "unknown";
  return states.includes("maintenance") ? "maintenance" : "operational";
}
