import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "@sonde/testing/figures";
import { watch } from "./watching.ts";

const [settleSeconds, measuredSeconds] = [60, 120];

/** Processor time of all processes of an `npm start` for each check, what they use while idle included. */
export async function costOfChecks(rate: {
  monitors: number;
  intervalSeconds: number;
  goalMs: number;
}): Promise<Figure> {
  const { monitors, intervalSeconds, goalMs } = rate;
  const sonde = await watch(2048, monitors, intervalSeconds);
  try {
    await sleep(settleSeconds * 1000);
    const cpuMs = async () => (await sonde.processes()).reduce((sum, each) => sum + each.cpuMs, 0);
    const [beforeMs, checksBefore] = [await cpuMs(), sonde.checks()];
    await sleep(measuredSeconds * 1000);
    const checks = sonde.checks() - checksBefore;
    const eachMs = ((await cpuMs()) - beforeMs) / checks;
    return {
      goal: "M1",
      what: `processor time of all processes a check, idle cost included: ${monitors} monitors each ${intervalSeconds} s (${(checks / measuredSeconds).toFixed(1)}/s)`,
      wanted: `≤ ${goalMs} ms`,
      measured: `${eachMs.toFixed(2)} ms`,
      held: eachMs <= goalMs,
    };
  } finally {
    await sonde.stop();
  }
}
