import type { agentFigureSorts as sorts, AgentStatus, MetricsRange } from "@sonde/proto/http/agents";

// Spelled here once more, checked against the contract: importing the values would bring zod into the list's chunk.
export const agentStatuses = ["online", "connecting", "offline"] as const satisfies readonly AgentStatus[];
export const agentFigureSorts = ["cpu", "memory", "disk", "network", "load"] as const satisfies typeof sorts;
export const metricsRanges = ["1h", "24h", "30d"] as const satisfies readonly MetricsRange[];
export type { AgentStatus, MetricsRange };
