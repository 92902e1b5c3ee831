import type { MonitorFilter } from "@sonde/proto/http/monitors";

// Spelled here once more, checked against the contract: importing the value would bring zod into the list's chunk.
export const monitorFilters = [
  "up",
  "down",
  "stale",
  "pending",
  "paused",
  "active",
  "expiring",
] as const satisfies readonly MonitorFilter[];
export type { MonitorFilter };
