import type { Beat as BeatMessage } from "@sonde/proto/gen/metrics/v1/metrics";
import type { Beat, BeatStatus } from "@sonde/proto/http/beats";
import { tenths } from "./figures.ts";
import { instantOf } from "./instant.ts";

export function presentBeat({ atMs, status, responseTimeMs }: BeatMessage): Beat {
  return {
    at: instantOf(atMs),
    status: status as BeatStatus,
    ...(responseTimeMs === undefined ? {} : { responseTime: tenths(responseTimeMs) }),
  };
}
