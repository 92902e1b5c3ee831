import type { MaintenanceWatch } from "@sonde/kit/maintenance/watch";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Log } from "@sonde/kit/service/log";
import type { Clock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import { type TargetType, targetTypes } from "@sonde/proto/http/monitors/targets";
import type { Deps } from "../deps.ts";
import type { Hub } from "./hub.ts";

/** Whether a target is in maintenance now, in the form of responses: absent if not. */
export function inMaintenance(
  { maintenance, clock }: Pick<Deps, "maintenance" | "clock">,
  type: TargetType,
  id: number,
): true | undefined {
  return maintenance.at(type, id, clock.now()) === undefined ? undefined : true;
}

const lookAgainMs = 1_000;

/** Notifies open pages, as of an update, when maintenance of a target begins or ends, so that they fetch it again. */
export function notifyStreams({
  maintenance,
  hub,
  clock,
  log,
}: {
  maintenance: Pick<MaintenanceWatch, "covered">;
  hub: Pick<Hub, "live">;
  clock: Clock;
  log: Log;
}): Service & { look(): void } {
  const known = new Map<TargetType, ReadonlySet<number>>();
  const look = () => {
    const nowMs = clock.now();
    for (const type of targetTypes) {
      const covered = maintenance.covered(type, nowMs);
      for (const id of covered.symmetricDifference(known.get(type) ?? new Set())) {
        hub.live({ event: type, data: { id, change: "updated", at: new Date(nowMs).toISOString() } });
      }
      known.set(type, covered);
    }
  };
  return { look, stop: startLoop({ work: "looking for maintenance", log, everyMs: lookAgainMs, run: look }).stop };
}
