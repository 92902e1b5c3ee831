/**
 * Lets servers of every kind of check and channel answer in hostile ways: `npm run test:hostile -- --minutes 60`, or
 * `--cases 5000`; `--seed 7` picks other answers and `--case 123` repeats one. Everything is on loopback. Exits with 1 if the
 * attacked process saw an exception, a blocked loop, growing memory, or anything that a library printed.
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
const goesOn = (done: number) => {
  if (values.case !== undefined) return done < 1;
  return values.minutes === undefined ? done < Number(values.cases) : performance.now() - startedMs < minutes * 60_000;
};
const log = (line: string) => process.stdout.write(`${line}\n`);
const { done, problems, outcomes } = await attack({
  seed: Number(values.seed),
  first: Number(values.case ?? 0),
  goesOn,
  log,
});
if (values.outcomes || values.case !== undefined) {
  for (const [outcome, count] of [...outcomes].sort(([one], [other]) => one.localeCompare(other)))
    log(`${count} × ${outcome}`);
}
log(`${done} cases, ${problems.length} problems in ${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes`);
process.exit(problems.length === 0 ? 0 : 1);
