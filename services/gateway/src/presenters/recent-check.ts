import type { RecentCheck as RecentCheckMessage } from "@sonde/proto/gen/metrics/v1/metrics";
import type { RecentCheck, RecentCheckStatus } from "@sonde/proto/http/recent-checks";
import { tenths } from "./figures.ts";
import { instantOf } from "./instant.ts";

export function presentRecentCheck({ atMs, status, responseTimeMs }: RecentCheckMessage): RecentCheck {
  return {
    at: instantOf(atMs),
    status: status as RecentCheckStatus,
    ...(responseTimeMs === undefined ? {} : { responseTime: tenths(responseTimeMs) }),
  };
}
