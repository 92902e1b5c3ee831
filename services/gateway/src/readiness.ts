import type { Log } from "@sonde/kit/service/log";
import { setTimeout as sleep } from "node:timers/promises";
import { pingServices, type Services } from "./services.ts";

const pauseMs = 100;
const warnAfterMs = 3000;

/** Waits until auth, monitors, metrics and the notifier answer, or the time is over; logs once which are missing. */
export async function waitForServices(services: Services, waitSeconds: number, log: Log): Promise<boolean> {
  const startedAt = performance.now();
  const waitedMs = () => performance.now() - startedAt;
  for (let said = false; waitedMs() < waitSeconds * 1000; await sleep(pauseMs)) {
    const states = await pingServices(services);
    const missing = Object.entries(states).flatMap(([name, isThere]) => (isThere ? [] : [name]));
    if (missing.length === 0) return true;
    if (!said && waitedMs() > warnAfterMs) {
      said = true;
      log.warn({ missing }, "waiting for services");
    }
  }
  return false;
}
