import { choiceFilter, textFilter } from "../../lists/params.ts";
import { useList } from "../../lists/use-list.ts";
import { monitorFilters } from "./statuses.ts";

/** The state of the monitor list. */
export function useMonitorList() {
  return useList({
    pageSize: 50,
    sortFields: ["name", "status", "createdAt", "statusSince", "target", "uptime", "responseTime"],
    filters: { status: choiceFilter(monitorFilters), tag: textFilter(40) },
  });
}
export type MonitorList = ReturnType<typeof useMonitorList>;
