import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Log } from "@sonde/kit/service/log";
import type { Clock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import { type TargetType, targetTypes } from "@sonde/proto/http/monitors/targets";
import type { Deps } from "../deps.ts";
import type { Hub } from "./hub.ts";

/** When the silence of a target ends that runs now, in the form of responses: absent if none runs. */
export function silencedUntil(
  { maintenance, clock }: Pick<Deps, "maintenance" | "clock">,
  type: TargetType,
  id: number,
): string | undefined {
  const untilMs = maintenance.silencedUntil(type, id, clock.now());
  return untilMs === undefined ? undefined : new Date(untilMs).toISOString();
}

/** Whether a target is in maintenance now, and until when it is silenced, in the form of responses: absent if not. */
export const holdsOf = (
  known: Pick<Deps, "maintenance" | "clock">,
  type: TargetType,
  id: number,
): { inMaintenance: true | undefined; silencedUntil: string | undefined } => ({
  inMaintenance: known.maintenance.at(type, id, known.clock.now()) === undefined ? undefined : true,
  silencedUntil: silencedUntil(known, type, id),
});

const lookAgainMs = 1_000;

/**
 * Notifies open pages, as of an update, when maintenance or a silence of a target begins or ends, so that they fetch it
 * again.
 */
export function notifyStreams({
  maintenance,
  hub,
  clock,
  log,
}: {
  maintenance: Pick<MaintenanceWatch, "covered" | "silenced">;
  hub: Pick<Hub, "live">;
  clock: Clock;
  log: Log;
}): Service & { look(): void } {
  const known = new Map<string, ReadonlySet<number>>();
  const look = () => {
    const nowMs = clock.now();
    for (const type of targetTypes) {
      for (const how of ["covered", "silenced"] as const) {
        const now = maintenance[how](type, nowMs);
        for (const id of now.symmetricDifference(known.get(`${how} ${type}`) ?? new Set())) {
          hub.live({ event: type, data: { id, change: "updated", at: new Date(nowMs).toISOString() } });
        }
        known.set(`${how} ${type}`, now);
      }
    }
  };
  return { look, stop: startLoop({ work: "looking for maintenance", log, everyMs: lookAgainMs, run: look }).stop };
}
