import type { MaintenanceSpan } from "@sonde/kit/maintenance/spans";
import type { PublicState } from "@sonde/proto/http/status/status";
import type { PageStates } from "@sonde/proto/http/status/snapshot";
import type { AgentFacts, MonitorFacts } from "./sources.ts";

type MonitorState = PageStates["monitors"][string];
type AgentState = PageStates["agents"][string];

/** A monitor's public state; `span`: the maintenance that it is in, if any. */
export function monitorState(
  { status, sinceMs, staleSinceMs }: MonitorFacts,
  span: MaintenanceSpan | undefined,
): MonitorState {
  if (span !== undefined) return inMaintenance(span);
  if (staleSinceMs !== null && status !== "paused") return { status: "unknown", sinceMs: staleSinceMs };
  return { status, sinceMs };
}

export function agentState({ status, sinceMs }: AgentFacts, span: MaintenanceSpan | undefined): AgentState {
  return span === undefined ? { status, sinceMs } : inMaintenance(span);
}

export const inMaintenance = ({ fromMs }: MaintenanceSpan) =>
  ({ status: "maintenance" satisfies PublicState, sinceMs: fromMs }) as const;
