import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Log } from "@sonde/kit/service/log";
import type { Clock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import { type TargetType, targetTypes } from "@sonde/proto/http/monitors/targets";
import type { Deps } from "../deps.ts";
import type { Hub } from "./hub.ts";

export function silencedUntil(
  { maintenance, clock }: Pick<Deps, "maintenance" | "clock">,
  type: TargetType,
  id: number,
): string | undefined {
  const untilMs = maintenance.silencedUntil(type, id, clock.now());
  return untilMs === undefined ? undefined : new Date(untilMs).toISOString();
}

export const maintenanceFields = (
  known: Pick<Deps, "maintenance" | "clock">,
  type: TargetType,
  id: number,
): { inMaintenance: true | undefined; silencedUntil: string | undefined } => ({
  inMaintenance: known.maintenance.at(type, id, known.clock.now()) === undefined ? undefined : true,
  silencedUntil: silencedUntil(known, type, id),
});

const checkEveryMs = 1_000;

/** Publishes an update when maintenance or a silence begins or ends: open pages then fetch the target again. */
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
}): Service & { check(): void } {
  const known = new Map<string, ReadonlySet<number>>();
  const check = () => {
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
  return { check, stop: startLoop({ work: "maintenance check", log, everyMs: checkEveryMs, run: check }).stop };
}
