import { invalid } from "@sonde/kit/errors";
import type { MonitorHistoryRequest } from "@sonde/proto/gen/metrics/v1/metrics";
import { historyQuery } from "@sonde/proto/http/checks";
import type { HistoryInput } from "./history.ts";

/** @throws AppError `invalid` for a range, a step or a time zone that there is not */
export function readHistoryRequest({ monitorId, range, step, timeZone }: MonitorHistoryRequest): HistoryInput {
  const asked = historyQuery.safeParse({ range, step: step || undefined, timeZone: timeZone || undefined });
  if (asked.success) return { monitorId, ...asked.data };
  const paths = new Set(asked.error.issues.map(({ path }) => path.join(".")));
  throw invalid([...paths].map((path) => ({ path, message: "The request is not valid" })));
}
