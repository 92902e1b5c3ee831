/**
 * Measures a whole Sonde on one machine that watches: `npm run bench:machine`. Needs Linux, root (cgroups), Chromium.
 * `-- memory` alone runs an hour in 512 MiB, then one in 768 MiB; `--minutes 5` makes both shorter. `-- checks` alone takes six
 * minutes for each rate.
 */
import { parseArgs } from "node:util";
import { reportFigures } from "@sonde/testing/report";
import type { Figure } from "@sonde/testing/figures";
import { costOfChecks } from "./checks.ts";
import { inLittleMemory } from "./memory.ts";

const { values, positionals } = parseArgs({
  options: { minutes: { type: "string", default: "60" }, write: { type: "boolean", default: false } },
  allowPositionals: true,
});
const isWanted = (part: string) => positionals.length === 0 || positionals.includes(part);
const figures: Figure[] = [];

if (isWanted("checks"))
  for (const [monitors, goalMs] of [
    [500, 2],
    [1000, 1.5],
  ] as const)
    figures.push(await costOfChecks({ monitors, intervalSeconds: 20, goalMs }));
if (isWanted("memory"))
  for (const [mib, monitors, intervalSeconds] of [
    [512, 500, 60],
    [768, 1000, 5],
  ] as const)
    figures.push(await inLittleMemory({ mib, monitors, intervalSeconds, minutes: Number(values.minutes) }));
await reportFigures("bench/results/machine", figures);
process.exit(0);
