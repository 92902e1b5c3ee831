import { useMonitorsQuery } from "../api.ts";

/** Maximum page size. */
const maxRows = 200;

export function useMonitorsByIds(ids: number[]) {
  return useMonitorsQuery({ ids, pageSize: maxRows }, { skip: ids.length === 0 }).currentData?.monitors;
}
