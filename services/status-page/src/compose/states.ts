import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import type { PageStates } from "@sonde/proto/http/status/snapshot";
import type { PageFacts } from "../collect/facts.ts";
import { type MonitorFacts, shownTargets } from "../collect/targets.ts";

type StatesByType = Pick<PageStates, "monitors" | "agents">;

export function composeStates(
  { monitors, agents, earlier }: Pick<PageFacts, "monitors" | "agents" | "earlier">,
  config: StatusConfig,
  maintenance: Pick<MaintenanceWatch, "at">,
  nowMs: number,
): StatesByType {
  const states: StatesByType = { monitors: {}, agents: {} };
  const covered = <State>(type: TargetType, id: number, state: State) => {
    const span = maintenance.at(type, id, nowMs);
    return span === undefined ? state : { status: "maintenance" as const, sinceMs: span.fromMs };
  };
  for (const id of config.monitors) {
    const facts = monitors.get(id);
    const state = facts === undefined ? earlier.states?.monitors[id] : monitorState(facts);
    if (state !== undefined) states.monitors[id] = covered("monitor", id, state);
  }
  for (const id of config.agents) {
    const state = agents.get(id) ?? earlier.states?.agents[id];
    if (state !== undefined) states.agents[id] = covered("agent", id, { status: state.status, sinceMs: state.sinceMs });
  }
  return states;
}

function monitorState({ status, sinceMs, staleSinceMs, slow }: MonitorFacts): PageStates["monitors"][string] {
  if (staleSinceMs !== null && status !== "paused") return { status: "unknown", sinceMs: staleSinceMs };
  return { status: slow && status === "up" ? "slow" : status, sinceMs };
}

/** Returns when the next maintenance of a shown target begins or ends, or `null`. */
export function nextBoundaryMs(
  config: StatusConfig,
  maintenance: Pick<MaintenanceWatch, "spansOf">,
  nowMs: number,
): number | null {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const { type, id } of shownTargets(config)) {
    const span = maintenance.spansOf(type, id).find(({ toMs }) => toMs > nowMs);
    if (span !== undefined) nextMs = Math.min(nextMs, span.fromMs > nowMs ? span.fromMs : span.toMs);
  }
  return nextMs === Number.POSITIVE_INFINITY ? null : nextMs;
}
