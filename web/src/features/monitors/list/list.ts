import type { MonitorFilter } from "@sonde/proto/http/monitors/monitors";
import { choiceFilter, textFilter } from "../../../lists/params.ts";
import { useList } from "../../../lists/use-list.ts";

// Spelled here once more, checked against the contract: importing the value would bring zod into the list's chunk.
export const monitorFilters = [
  "down",
  "stale",
  "pending",
  "up",
  "paused",
  "active",
  "expiring",
] as const satisfies readonly MonitorFilter[];

export function useMonitorList() {
  return useList({
    pageSize: 50,
    sortFields: ["name", "status", "createdAt", "statusSince", "target", "uptime", "responseTime"],
    // What is down comes first.
    initialSort: "status",
    display: { group: choiceFilter(["tag"]) },
    filters: { status: choiceFilter(monitorFilters), tag: textFilter(40) },
  });
}
export type MonitorList = ReturnType<typeof useMonitorList>;
