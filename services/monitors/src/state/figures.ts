import { create } from "@bufbuild/protobuf";
import { slotAfter } from "@sonde/kit/time/slots";
import { type MonitorFigures, MonitorFiguresSchema } from "@sonde/proto/gen/events/v1/events";
import { newestLocationState, type TrackedMonitor } from "./tracked.ts";

/** The public figures of a monitor after a check. */
export function figuresOf(monitor: TrackedMonitor, stale: boolean, nowMs: number): MonitorFigures {
  const newest = newestLocationState(monitor.locationStates.values());
  const failed = newest?.status === "down" ? newest.error : undefined;
  return create(MonitorFiguresSchema, {
    monitorId: monitor.id,
    version: monitor.version,
    status: monitor.status,
    statusSinceMs: monitor.statusSinceMs,
    stale,
    flapping: monitor.flapping.isFlapping,
    ...(newest === null ? {} : { responseTimeMs: newest.responseTimeMs, lastCheckedAtMs: newest.checkedAtMs }),
    ...(monitor.activeSinceMs === null ? {} : { nextCheckAtMs: slotAfter(monitor.id, monitor.intervalMs, nowMs) }),
    ...(failed === undefined ? {} : { lastError: failed }),
    certificateExpiresAtMs: newest?.certificateExpiresAtMs,
    certificateIssuer: newest?.certificateIssuer,
  });
}
