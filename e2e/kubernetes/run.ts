/**
 * Proves the chart on the cluster of KUBECONFIG, with the images that `npm run images` built and that its nodes have:
 * `npm run test:kubernetes`, all scenarios, or `-- install story` those that are named; `--quick` for fewer of everything,
 * `--write` into e2e/results/kubernetes.md. Ends with 1 and keeps its namespace where a row does not hold.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { machine, writeReport } from "@sonde/testing/report";
import { openGround } from "./ground.ts";
import { help, readOptions } from "./options.ts";
import { type Reported, table } from "./report.ts";
import { scenarios } from "./scenarios.ts";

const say = (line: string) => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
const options = (() => {
  try {
    return readOptions(
      process.argv.slice(2),
      scenarios.map(({ name }) => name),
    );
  } catch (fault) {
    process.stderr.write(`${(fault as Error).message}\n${help}\n`);
    return process.exit(2);
  }
})();

const [maxMinutes, stopTimeoutMs] = [14, 30_000];
const beganMs = performance.now();
const ground = await openGround(options, say);
const rows: Reported[] = [];
let interrupted = false;
process.once("SIGINT", () => {
  interrupted = true;
  say("ends after this scenario; Ctrl-C once more leaves everything as it is");
});

ground.keeps = () => options.keep || rows.some(({ held }) => held === false);

for (const { name, about, run } of scenarios) {
  if (interrupted || !options.chosen.includes(name)) continue;
  say(`${name}: ${about}`);
  const startedMs = performance.now();
  const inTime = new AbortController();
  const found = await Promise.race([run(ground), tooLate(name, inTime.signal)]).catch((fault: Error) => {
    say(fault.stack ?? fault.message);
    return [{ what: about, goal: "carried out", result: fault.message, lost: "–", held: false }];
  });
  inTime.abort();
  await Promise.race([ground.settle(), sleep(stopTimeoutMs)]);
  for (const row of found) {
    rows.push({ scenario: name, ...row });
    const word = row.held === null ? "" : row.held ? "held: " : "NOT HELD: ";
    say(`  ${word}${row.what}: ${row.result} (goal ${row.goal}, lost ${row.lost})`);
  }
  say(`${name} took ${Math.round((performance.now() - startedMs) / 1000)} s`);
}

const failed = rows.filter(({ held }) => held === false);
const minutes = ((performance.now() - beganMs) / 60_000).toFixed(1);
const about = `${machine()}; ${minutes} minutes${options.quick ? ", the quick form" : ""}`;
await writeReport("e2e/results/kubernetes", `${about}\n\n${table(rows)}\n`);
await ground.close();
/** What waits for ever must not hold up the others; they find its namespace in use, so nothing follows. */
async function tooLate(name: string, signal: AbortSignal): Promise<never> {
  await sleep(maxMinutes * 60_000, undefined, { ref: false, signal });
  interrupted = true;
  throw new Error(`${name} is not done after ${maxMinutes} minutes`);
}

process.exit(failed.length > 0 || interrupted ? 1 : 0);
