/**
 * Makes servers for every kind of check and channel respond in hostile ways: `npm run test:hostile -- --minutes 60`, or
 * `--cases 5000`. `--seed 7` generates other responses and `--case 123` repeats one case. Everything runs on loopback.
 * Exits with 1 if the attacked process threw, blocked its loop, leaked memory, or printed anything.
 */
import { parseArgs } from "node:util";
import { attack } from "./attack.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    cases: { type: "string", default: "5000" },
    seed: { type: "string", default: "1" },
    case: { type: "string" },
    outcomes: { type: "boolean", default: false },
  },
});
const startedMs = performance.now();
const minutes = Number(values.minutes);
const hasNext = (done: number) => {
  if (values.case !== undefined) return done < 1;
  return values.minutes === undefined ? done < Number(values.cases) : performance.now() - startedMs < minutes * 60_000;
};
const log = (line: string) => process.stdout.write(`${line}\n`);
const { done, problems, outcomes } = await attack({
  seed: Number(values.seed),
  first: Number(values.case ?? 0),
  hasNext,
  log,
});
if (values.outcomes || values.case !== undefined) {
  for (const [outcome, count] of [...outcomes].sort(([one], [other]) => one.localeCompare(other)))
    log(`${count} × ${outcome}`);
}
log(`${done} cases, ${problems.length} problems in ${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes`);
process.exit(problems.length === 0 ? 0 : 1);
