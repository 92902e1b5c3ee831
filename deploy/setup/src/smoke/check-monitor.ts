import { setTimeout as sleep } from "node:timers/promises";
import { StartupError } from "@sonde/kit/embedded/startup-error";
import { configAnswer } from "@sonde/proto/http/config";
import { locationsAnswer, monitorAnswer } from "@sonde/proto/http/monitors/monitors";
import { z } from "zod";
import { ask, type HttpOptions, type ApiRequest, Refusal } from "./http-client.ts";

type Target = { url: string; expectedStatus: string };

const askEveryMs = 1_000;
/** A first check is due within an interval; a runner that starts may need another. */
const waitedIntervals = 3;
const leastWaitMs = 60_000;

/**
 * Adds a monitor, waits for its first result and deletes it, whatever the result.
 * @throws StartupError with what did not work
 */
export async function checkMonitor(
  http: HttpOptions,
  token: string,
  { url, expectedStatus }: Target,
  say: (line: string) => void,
): Promise<void> {
  const send = <Shape extends z.ZodType>(request: Omit<ApiRequest, "token">, shape: Shape) =>
    ask(http, { ...request, token }, shape);
  const { minIntervalMinutes } = await send({ method: "GET", path: "/api/config" }, configAnswer);
  const served = await servedLocation(() => send({ method: "GET", path: "/api/locations" }, locationsAnswer), say);
  const interval = Math.max(minIntervalMinutes, 0.25);
  const body = {
    name: `helm test ${new Date().toISOString()}`,
    url,
    interval,
    expectedStatus,
    locations: [served.name],
  };
  const made = await send({ method: "POST", path: "/api/monitors", body }, monitorAnswer).catch((refusal: unknown) => {
    if (!(refusal instanceof Refusal)) throw refusal;
    throw new StartupError(`The monitor of ${url} is refused: ${refusal.message}`, { cause: refusal });
  });
  const path = `/api/monitors/${made.monitor.id}`;
  say(`A monitor of ${url} is there; its first check from ${served.name} is due within ${interval * 60} s.`);
  try {
    const waitMs = Math.max(interval * 60_000 * waitedIntervals, leastWaitMs);
    for (const deadlineMs = performance.now() + waitMs; ;) {
      const { monitor } = await send({ method: "GET", path }, monitorAnswer);
      if (monitor.lastError !== undefined) throw new StartupError(`The check of ${url} failed: ${monitor.lastError}`);
      if (monitor.status === "up") {
        say(`Its first result is there: up, ${monitor.responseTime} ms.`);
        break;
      }
      if (performance.now() > deadlineMs) {
        throw new StartupError(
          `There is no result after ${Math.round(waitMs / 1000)} s: the monitor is ${monitor.status}.`,
        );
      }
      await sleep(askEveryMs);
    }
  } finally {
    await send({ method: "DELETE", path }, z.object({ success: z.literal(true) })).then(
      () => say("The monitor is deleted again."),
      (fault: unknown) => say(`The monitor ${made.monitor.id} could not be deleted: ${String(fault)}`),
    );
  }
}

/** Runners and services learn of each other within seconds of their start. */
async function servedLocation(
  readLocations: () => Promise<z.infer<typeof locationsAnswer>>,
  say: (line: string) => void,
): Promise<{ name: string }> {
  const deadlineMs = performance.now() + leastWaitMs;
  for (let asked = 0; ; asked++) {
    const { locations } = await readLocations();
    const served = locations.find(({ runners }) => runners > 0);
    if (served !== undefined) return served;
    if (performance.now() > deadlineMs) throw new StartupError("No probe runner is there: nothing can be checked.");
    if (asked === 0) say("Waiting for a probe runner.");
    await sleep(askEveryMs);
  }
}
