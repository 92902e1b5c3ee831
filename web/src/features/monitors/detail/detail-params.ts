import type { HistoryRange } from "@sonde/proto/http/monitors/checks";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { choiceFilter, choiceParam, readParams, writeParams } from "../../../lists/params.ts";

export const ranges = ["1h", "24h", "7d", "30d"] as const satisfies readonly HistoryRange[];
export type ChartView = "percentiles" | "phases";
export type RecordsView = "history" | "checks" | "incidents";

const youngMs = 6 * 3_600_000;

/**
 * What the detail page shows, kept in the address: the range (an hour at first, while the monitor is younger than six), what
 * the chart draws, which records are listed, and whether those are failures alone.
 */
export function useDetailParams(createdAt: string) {
  const [address, setAddress] = useSearchParams();
  // What is preselected does not change while the page is open.
  const [openedMs] = useState(() => Date.now());
  const initial: HistoryRange = openedMs - Date.parse(createdAt) < youngMs ? "1h" : "24h";
  const table = {
    range: choiceParam<HistoryRange>([initial, ...ranges]),
    chart: choiceParam<ChartView>(["percentiles", "phases"]),
    tab: choiceParam<RecordsView>(["history", "checks", "incidents"]),
    failed: choiceFilter(["true"]),
  };
  const params = readParams(table, address);
  return {
    ...params,
    change: (part: Partial<typeof params>) => setAddress(writeParams(table, { ...params, ...part }), { replace: true }),
  };
}
export type DetailParams = ReturnType<typeof useDetailParams>;
