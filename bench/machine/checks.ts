import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "@sonde/testing/figures";
import { watch } from "./watching.ts";

const intervalSeconds = 20;
const [settleSeconds, measuredSeconds] = [60, 120];
const roomMib = 2048;

/** The load, and the limits for all processes of `npm start`. */
type Load = { monitors: number; cpuMs: number; anonymousMib: number; pssMib: number };

/** C1, M1 and M2: CPU time per check, idle cost included, and memory at the end. */
export async function costOfChecks(load: Load): Promise<Figure[]> {
  const { monitors } = load;
  const sonde = await watch(roomMib, monitors, intervalSeconds);
  try {
    await sleep(settleSeconds * 1000);
    const sum = async (field: "cpuMs" | "anonymousMib" | "pssMib") =>
      (await sonde.processes()).reduce((total, each) => total + each[field], 0);
    const [beforeMs, checksBefore] = [await sum("cpuMs"), sonde.checks()];
    await sleep(measuredSeconds * 1000);
    const checks = sonde.checks() - checksBefore;
    const cpuMs = ((await sum("cpuMs")) - beforeMs) / checks;
    const [anonymousMib, pssMib] = [await sum("anonymousMib"), await sum("pssMib")];
    const what = `${monitors} monitors every ${intervalSeconds} s (${(checks / measuredSeconds).toFixed(1)}/s)`;
    return [
      {
        goal: "C1",
        what: `${what}: CPU a check, all processes, idle cost included`,
        wanted: `≤ ${load.cpuMs} ms`,
        measured: `${cpuMs.toFixed(2)} ms`,
        held: cpuMs <= load.cpuMs,
      },
      memory("M1", `${what}: anonymous memory, all processes`, anonymousMib, load.anonymousMib),
      memory("M2", `${what}: PSS, all processes`, pssMib, load.pssMib),
    ];
  } finally {
    await sonde.stop();
  }
}

function memory(goal: string, what: string, mib: number, maxMib: number): Figure {
  return { goal, what, wanted: `≤ ${maxMib} MiB`, measured: `${mib.toFixed(0)} MiB`, held: mib <= maxMib };
}
