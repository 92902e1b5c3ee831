/**
 * Tests the chart on the cluster of KUBECONFIG, with the images that `npm run images` built and its nodes have: `npm
 * run test:kubernetes` for all scenarios, `-- install story` for some, `--quick` for smaller ones, `--write` to update
 * e2e/results/kubernetes.md. Exits with 1 and keeps its namespaces if a row fails.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { machine, writeReport } from "@sonde/testing/report";
import { openGround } from "./ground.ts";
import { help, readOptions } from "./options.ts";
import { type Reported, table } from "./report.ts";
import { scenarios } from "./scenarios.ts";

const log = (line: string) => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
const options = (() => {
  try {
    return readOptions(
      process.argv.slice(2),
      scenarios.map(({ name }) => name),
    );
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${help}\n`);
    return process.exit(2);
  }
})();

const [maxMinutes, stopTimeoutMs] = [14, 30_000];
const beganMs = performance.now();
const ground = await openGround(options, log);
const rows: Reported[] = [];
let interrupted = false;
process.once("SIGINT", () => {
  interrupted = true;
  log("stopping after this scenario; press Ctrl-C again to exit without cleanup");
});

ground.keeps = () => options.keep || rows.some(({ held }) => held === false);

for (const { name, about, run } of scenarios) {
  if (interrupted || !options.chosen.includes(name)) continue;
  log(`${name}: ${about}`);
  const startedMs = performance.now();
  const inTime = new AbortController();
  const results = await Promise.race([run(ground), tooLate(name, inTime.signal)]).catch((error: Error) => {
    log(error.stack ?? error.message);
    return [{ what: about, goal: "completes", result: error.message, lost: "–", held: false }];
  });
  inTime.abort();
  await Promise.race([ground.settle(), sleep(stopTimeoutMs)]);
  for (const row of results) {
    rows.push({ scenario: name, ...row });
    const word = row.held === null ? "" : row.held ? "passed: " : "FAILED: ";
    log(`  ${word}${row.what}: ${row.result} (goal ${row.goal}, lost ${row.lost})`);
  }
  log(`${name} took ${Math.round((performance.now() - startedMs) / 1000)} s`);
}

const failed = rows.filter(({ held }) => held === false);
const minutes = ((performance.now() - beganMs) / 60_000).toFixed(1);
const about = `${machine()}; ${minutes} minutes${options.quick ? ", quick form" : ""}`;
await writeReport("e2e/results/kubernetes", `${about}\n\n${table(rows)}\n`);
await ground.close();
/** A scenario that hangs also ends the run, because later ones would find its namespace in use. */
async function tooLate(name: string, signal: AbortSignal): Promise<never> {
  await sleep(maxMinutes * 60_000, undefined, { ref: false, signal });
  interrupted = true;
  throw new Error(`${name} did not finish within ${maxMinutes} minutes`);
}

process.exit(failed.length > 0 || interrupted ? 1 : 0);
