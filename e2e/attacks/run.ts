/**
 * Attacks Sonde as anonymous clients, users and agents could, one attack after the other, and measures what a bystander
 * notices: `npm run test:attacks`, `-- slow-bodies patterns` for some of them, `--write` to update
 * e2e/results/attacks.md. Everything runs on loopback. Exits with 1 if the bystander was harmed.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { firstAdmin } from "@sonde/testing/api";
import { startProduct } from "@sonde/testing/product";
import { machine, writeReport } from "@sonde/testing/report";
import type { Attacked, Outcome } from "./attack.ts";
import { type AttackName, attackNames } from "./attack-process.ts";
import { type Seen, startBystander } from "./bystander.ts";
import { startTarget } from "./target.ts";

const quietMs = 10_000;
const attackFailed: Outcome = { responses: "the attack itself failed", passed: false };
const targetRequestMs = 250;
/** A check that starts later than this after its slot is late. */
const maxLatenessMs = 250;
/** Rejecting a burst may slow requests down. A bystander who waits longer than this is harmed. */
const maxRequestMs = 2_000;

const requested = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const chosen = requested.length === 0 ? attackNames : attackNames.filter((name) => requested.includes(name));
const target = await startTarget();
const sonde = await startProduct({ MONITOR_MIN_INTERVAL_SECONDS: "1", PUBLIC_URL: "http://status.example.com" });
let harmed = false;
try {
  const { api, token } = await firstAdmin(sonde.url);
  const bystander = await startBystander(sonde.url, api, token, target.url);
  await sleep(quietMs);
  const rows = [rowOf("no attack", { responses: "–", passed: true }, await bystander.during(() => sleep(quietMs)))];
  for (const name of chosen) {
    process.stderr.write(`${name} …\n`);
    let outcome = attackFailed;
    const attacked: Attacked = { url: sonde.url, token, target: target.url };
    const seen = await bystander.during(async () => {
      outcome = await attack(name, attacked);
    });
    rows.push(rowOf(name, outcome, seen));
    await sleep(quietMs);
  }
  bystander.stop();
  const head =
    "| attack | responses | slowest bystander request | latest bystander check, missed slots | incidents | passed |";
  await writeReport(
    "e2e/results/attacks",
    `${machine()}\n\n${head}\n| --- | --- | --- | --- | --- | --- |\n${rows.join("\n")}\n`,
  );
} finally {
  await sonde.remove();
  target.close();
}
process.exit(harmed ? 1 : 0);

function rowOf(name: string, outcome: Outcome, seen: Seen): string {
  const { slowestMs, failed, requests, latestMs, missed, checks, incidents } = seen;
  const isUnaffected = failed === 0 && missed === 0 && incidents === 0;
  const isHarmless = outcome.passed && isUnaffected && latestMs <= maxLatenessMs;
  harmed ||= !isHarmless || slowestMs > maxRequestMs;
  const passed = isHarmless && slowestMs <= targetRequestMs;
  const slowest = `${slowestMs.toFixed(0)} ms (${failed} of ${requests} failed)`;
  return `| ${name} | ${outcome.responses} | ${slowest} | ${latestMs.toFixed(0)} ms, ${missed} of ${checks + missed} | ${incidents} | ${passed ? "yes" : "no"} |`;
}

/** Runs an attack in its own process, so the attacker does not block the bystander's timers. */
async function attack(name: AttackName, attacked: Attacked): Promise<Outcome> {
  const child = fork(new URL("./attack-process.ts", import.meta.url), [name, JSON.stringify(attacked)]);
  const [outcome] = (await Promise.race([once(child, "message"), once(child, "exit").then(() => [attackFailed])])) as [
    Outcome,
  ];
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return outcome;
}
