import { useMonitorsQuery } from "../api.ts";

/** As many as one page may hold. */
const mostKept = 200;

/** Monitors that are kept in sight though they no longer match: undefined until they are here. */
export function useMonitorsByIds(ids: number[]) {
  return useMonitorsQuery({ ids, pageSize: mostKept }, { skip: ids.length === 0 }).currentData?.monitors;
}
