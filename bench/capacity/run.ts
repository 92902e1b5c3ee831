/**
 * Measures what grows with the number of monitors rather than with the rate of checks: starts, lists, the bus's writes.
 * `npm run bench:capacity`, with `--write` into bench/results/capacity.md; `-- 10000` for so many monitors. Linux alone.
 */
import { reportFigures } from "../pipeline/report.ts";
import type { Figure } from "../probe/figures.ts";
import { publishes } from "./publishes.ts";
import { starts } from "./starts.ts";

const given = process.argv.slice(2).filter(Number).map(Number);
const counts = given.length > 0 ? given : [10_000, 100_000];
const say = (line: string) => void process.stderr.write(`${line}\n`);

const figures: Figure[] = [];
say("publishing …");
for (const [runners, bytes] of [
  [1, 2000],
  [10, 2000],
  [40, 2000],
] as const) {
  figures.push(await publishes(runners, bytes));
}
for (const count of counts) figures.push(...(await starts(count, say)));
await reportFigures("capacity", figures);
process.exit(0);
