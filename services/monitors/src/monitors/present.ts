import type { MessageInitShape } from "@bufbuild/protobuf";
import { orUnavailable } from "@sonde/kit/postgres/database";
import { slotAfter } from "@sonde/kit/time/slots";
import type { MonitorFigures } from "@sonde/proto/gen/events/v1/events";
import type { MonitorSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Context } from "../context.ts";
import { isStale } from "../state/stale.ts";
import { loadLocationStates } from "../state/store.ts";
import { newestLocationState, type LocationState } from "../state/tracked.ts";
import { writeFields } from "./fields.ts";
import type { StoredMonitor } from "./monitor.ts";

export type MonitorInit = MessageInitShape<typeof MonitorSchema>;

type Reading = Pick<Context, "db" | "live" | "clock">;

export async function presentMonitor(ctx: Reading, monitor: StoredMonitor): Promise<MonitorInit> {
  const [presented = {}] = await presentMonitors(ctx, [monitor]);
  return presented;
}

/** Monitors as people see them: the row, and the newest figures whether stored or only told so far. */
export async function presentMonitors(ctx: Reading, monitors: readonly StoredMonitor[]): Promise<MonitorInit[]> {
  const versions = monitors.map(({ id, figuresVersion }) => ({ id, figures_version: figuresVersion }));
  const stored = await orUnavailable(() => loadLocationStates(ctx.db, versions));
  const nowMs = ctx.clock.now();
  return monitors.map((monitor) => {
    const figures = newestFigures(ctx, monitor, newestLocationState(stored.get(monitor.id)?.values() ?? []), nowMs);
    const { id, intervalMs, activeSinceMs } = monitor;
    return {
      id,
      fields: writeFields(monitor),
      target: monitor.target,
      status: monitor.status,
      statusSinceMs: Math.min(monitor.statusSinceMs, nowMs),
      flapping: monitor.flapping,
      ...figures,
      nextCheckAtMs: activeSinceMs === null ? undefined : slotAfter(id, intervalMs, nowMs),
      stale: isStale(monitor, figures.lastCheckedAtMs ?? null, nowMs),
      createdAtMs: monitor.createdAtMs,
      updatedAtMs: monitor.updatedAtMs,
    };
  });
}

type ShownFigures = Pick<
  MonitorInit,
  "responseTimeMs" | "lastCheckedAtMs" | "certificateExpiresAtMs" | "certificateIssuer" | "lastError"
>;

function newestFigures(
  { live }: Reading,
  { id, figuresVersion }: StoredMonitor,
  locationState: LocationState | null,
  nowMs: number,
): ShownFigures {
  const told = live.get(id);
  if (isToldNewer(told, figuresVersion, locationState?.checkedAtMs ?? null, nowMs)) {
    const { responseTimeMs, certificateExpiresAtMs, certificateIssuer, lastError } = told;
    const lastCheckedAtMs = told.lastCheckedAtMs === undefined ? undefined : Math.min(told.lastCheckedAtMs, nowMs);
    return { responseTimeMs, lastCheckedAtMs, certificateExpiresAtMs, certificateIssuer, lastError };
  }
  if (locationState === null) return {};
  const lastError = locationState.status === "down" ? locationState.error : undefined;
  const { responseTimeMs, certificateExpiresAtMs, certificateIssuer } = locationState;
  const lastCheckedAtMs = Math.min(locationState.checkedAtMs, nowMs);
  return { responseTimeMs, lastCheckedAtMs, certificateExpiresAtMs, certificateIssuer, lastError };
}

/** Whether figures that were told are newer than those of the newest check that is stored, made at `storedAtMs`; null: none is. */
export function isToldNewer(
  told: MonitorFigures | undefined,
  figuresVersion: number,
  storedAtMs: number | null,
  nowMs: number,
): told is MonitorFigures {
  // What was kept before the clock was set back lies in the future; what was told since is newer.
  const storedMs = storedAtMs === null ? 1 : storedAtMs > nowMs ? 0 : storedAtMs;
  return told !== undefined && told.version >= figuresVersion && (told.lastCheckedAtMs ?? 0) >= storedMs;
}
