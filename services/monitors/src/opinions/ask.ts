import type { Client } from "@sonde/kit/bus/rpc";
import type { Database } from "@sonde/kit/postgres/database";
import type { Log } from "@sonde/kit/service/log";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { TimerClock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import { attemptMs } from "@sonde/proto/http/monitors/check-now";
import type { Confirm } from "@sonde/proto/http/monitors/monitors";
import type { probesContract } from "@sonde/proto/rpc/probes";
import { findConfirm, withoutOwnLocations } from "./confirm.ts";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { findMonitor } from "../monitors/store.ts";
import { isAwaited } from "./suspicion.ts";
import type { Suspicion, TrackedMonitor } from "../state/tracked.ts";

const asked = counter("sonde_opinions_asked_total", "Second opinions, by outcome", ["outcome"]);

/** At most 50 requests a second per process. With thousands of failures, the rest are reported late. */
const everyMs = 20;
const atOnce = 3;
/** With a longer queue, each failure requests no more opinions than it needs. */
const busyMs = 1_000;
const lookMs = 5_000;

/**
 * Asks other locations to check failures. Their results arrive through RESULTS like any other and are decided there,
 * so the requesting process may exit. A direct response only ends the waiting.
 */
export function startOpinions({
  db,
  probes,
  clock,
  log,
}: {
  db: Database;
  probes: Pick<Client<typeof probesContract>, "runCheck">;
  clock: TimerClock;
  log: Log;
}) {
  let forAll: Confirm | null = null;
  let nextAtMs = 0;
  let stopped = false;
  const look = async (): Promise<void> => {
    forAll = await findConfirm(db);
  };
  const looking = startLoop({ work: "the second opinion of all monitors", log, everyMs: lookMs, run: look });

  const of = ({ confirm, locations }: Pick<TrackedMonitor, "confirm" | "locations">): Confirm | null =>
    withoutOwnLocations(confirm ?? forAll, locations);

  /** Resolves on this caller's turn; false if that would be too late. */
  const turn = async (isInTime: (atMs: number) => boolean): Promise<boolean> => {
    const waitMs = Math.max(0, nextAtMs - clock.elapsedMs());
    if (!isInTime(clock.now() + waitMs)) return false;
    nextAtMs = Math.max(nextAtMs, clock.elapsedMs()) + everyMs;
    if (waitMs > 0) await new Promise<void>((resolve) => void clock.setTimeout(resolve, waitMs));
    return !stopped;
  };

  const askEach = async (monitor: TrackedMonitor, suspicion: Suspicion, { locations, need }: Confirm) => {
    const { id, version, timeoutMs } = monitor;
    const left = [...locations];
    const isInTime = (atMs: number) => isAwaited(suspicion, timeoutMs, atMs);
    const isOpen = () =>
      [...monitor.locationStates.values()].some(
        ({ suspicion: known }) => known?.slotMs === suspicion.slotMs && known.verdict === undefined,
      );
    let reading: Promise<StoredMonitor> | undefined;
    let failed = 0;
    const work = async () => {
      for (let location = left.shift(); location !== undefined && isOpen(); location = left.shift()) {
        if (!(await turn(isInTime))) return asked.inc({ outcome: "late" });
        reading ??= findMonitor(db, id);
        const { config: check, version: stored } = await reading;
        if (stored !== version || !isOpen()) return;
        const opinion = { monitorId: id, version, check, timeoutMs, confirms: suspicion.slotMs };
        const outcome = await probes.runCheck(opinion, { scope: location, timeoutMs: attemptMs(timeoutMs) }).then(
          ({ status }) => status,
          () => "none",
        );
        asked.inc({ outcome });
        if (outcome === "down") failed++;
        if (outcome === "up" || failed >= need) left.length = 0;
      }
    };
    const isBusy = nextAtMs - clock.elapsedMs() > busyMs;
    await Promise.all(Array.from({ length: isBusy ? need : atOnce }, work));
  };

  return {
    /** Returns the locations that confirm failures of a monitor, never its own. */
    of,
    look,
    ask(monitor: TrackedMonitor, suspicion: Suspicion): void {
      const confirm = of(monitor);
      if (confirm === null) return;
      askEach(monitor, suspicion, confirm).catch((err: unknown) =>
        log.debug({ err, monitorId: monitor.id }, "asking for a second opinion failed"),
      );
    },
    stop: async () => {
      stopped = true;
      await looking.stop();
    },
  };
}

export type Opinions = Pick<ReturnType<typeof startOpinions>, "of" | "look" | "ask">;
