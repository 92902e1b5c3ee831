/**
 * Measures a whole Sonde that monitors HTTP targets: `npm run bench -- machine`. `--write` updates
 * bench/results/machine.md.
 * Needs Linux, root (cgroups) and Chromium. `-- checks` takes six minutes per rate, `-- memory` an hour or `--minutes
 * 5`. `--mib 1024 --monitors 1000 --interval 20` changes the machine and the load.
 */
import { parseArgs } from "node:util";
import { reportFigures } from "@sonde/testing/report";
import type { Figure } from "@sonde/testing/figures";
import { costOfChecks } from "./checks.ts";
import { inLittleMemory } from "./memory.ts";

const { values, positionals } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    mib: { type: "string", default: "512" },
    monitors: { type: "string", default: "500" },
    interval: { type: "string", default: "60" },
    write: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const isWanted = (part: string) => positionals.length === 0 || positionals.includes(part);
const figures: Figure[] = [];

if (isWanted("checks")) {
  figures.push(...(await costOfChecks({ monitors: 500, cpuMs: 1.3, anonymousMib: 300, pssMib: 540 })));
  figures.push(...(await costOfChecks({ monitors: 1000, cpuMs: 0.9, anonymousMib: 330, pssMib: 580 })));
}
if (isWanted("memory"))
  figures.push(
    await inLittleMemory({
      mib: Number(values.mib),
      monitors: Number(values.monitors),
      intervalSeconds: Number(values.interval),
      minutes: Number(values.minutes),
    }),
  );
await reportFigures("bench/results/machine", figures);
process.exit(0);
