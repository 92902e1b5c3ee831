import type { RecentCheck as RecentCheckMessage } from "@sonde/proto/gen/metrics/v1/metrics";
import type { RecentCheck } from "@sonde/proto/http/recent-checks";
import { tenths } from "./figures.ts";
import { instantOf } from "./instant.ts";
import { readRecentCheckStatus } from "./unions.ts";

export function presentRecentCheck({ atMs, status, responseTimeMs, inMaintenance }: RecentCheckMessage): RecentCheck {
  return {
    at: instantOf(atMs),
    status: readRecentCheckStatus(status),
    responseTime: responseTimeMs === undefined ? undefined : tenths(responseTimeMs),
    inMaintenance: inMaintenance || undefined,
  };
}
