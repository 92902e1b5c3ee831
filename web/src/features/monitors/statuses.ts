import type { MonitorStatus } from "@sonde/proto/http/monitors";

// Spelled here once more, checked against the contract: importing the value would bring zod into the list's chunk.
export const monitorStatuses = ["up", "down", "pending", "paused"] as const satisfies readonly MonitorStatus[];
export type { MonitorStatus };
