import type { MonitorFilter } from "@sonde/proto/http/monitors/monitors";
import { choiceFilter, textFilter } from "../../../lists/params.ts";
import { useList } from "../../../lists/use-list.ts";

// Repeated here and checked against the contract's type: importing the value would add zod to the list's chunk.
export const monitorFilters = [
  "down",
  "slow",
  "stale",
  "pending",
  "up",
  "paused",
  "active",
  "expiring",
] as const satisfies readonly MonitorFilter[];

export const listFilters = {
  status: choiceFilter(monitorFilters),
  tag: textFilter(40),
  type: choiceFilter(["group"]),
  slower: choiceFilter(["true"]),
};

export function useMonitorList() {
  return useList({
    pageSize: 50,
    sortFields: ["name", "status", "createdAt", "statusSince", "target", "uptime", "responseTime", "p95", "p95Change"],
    // Monitors that are down first.
    initialSort: "status",
    display: { group: choiceFilter(["tag"]) },
    filters: listFilters,
  });
}
export type MonitorList = ReturnType<typeof useMonitorList>;
