/**
 * Measures a probe runner on loopback and prints each figure next to its goal: `npm run bench -- probe`. `--write`
 * updates bench/results/probe.md; names (`many`, `punctual`, `restart`, `https`) select parts.
 */
import { reportFigures } from "@sonde/testing/report";
import type { Figure } from "@sonde/testing/figures";
import { httpsChecks, manyMonitors, punctuality, restart } from "./scenarios.ts";

const scenarios: Record<string, () => Promise<Figure[]>> = {
  many: manyMonitors,
  punctual: punctuality,
  restart,
  https: httpsChecks,
};

const chosen = process.argv.slice(2).filter((name) => name in scenarios);
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(scenarios)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  figures.push(...(await measure()));
}
await reportFigures("bench/results/probe", figures);
process.exit(0);
