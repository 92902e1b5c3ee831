/**
 * Runs a fleet of agents against one agent-ingest and prints each figure next to its goal: `npm run bench -- fleet`.
 * `--write` updates bench/results/fleet.md. `-- 1000 5` sets the number of agents and of 15 s rounds, `-- steady
 * instant` runs only these parts, `--profile=<folder>` writes CPU profiles of agent-ingest.
 */
import { silenceFleet, writeFleet } from "@sonde/agent-ingest/testing/fleet";
import { reportFigures } from "@sonde/testing/report";
import { type Figure, percent } from "@sonde/testing/figures";
import { beginReporting, instantly, intervalMs, killed, settled, steadily } from "./scenarios.ts";
import { startServers } from "./servers.ts";
import { audit } from "./audit.ts";

const given = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const [agents = 10_000, rounds = 3] = given.filter(Number).map(Number);
const names = given.filter((word) => !Number(word));
const does = (part: "steady" | "kill" | "instant") => names.length === 0 || names.includes(part);
const profileFolder = process.argv.find((word) => word.startsWith("--profile="))?.split("=")[1];
const execArgv = profileFolder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileFolder}`];
const goalPercent = (35 * agents) / 10_000;
const began = performance.now();
const say = (text: string) =>
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}\n`);

const servers = await startServers();
const figures: Figure[] = [];
const add = (goal: string, what: string, wanted: string, measured: string, held: boolean) =>
  figures.push({ goal, what, wanted, measured, held });
const startIngest = async () => {
  say("agent-ingest starts");
  const started = await servers.startIngest(execArgv);
  await settled(started);
  return started;
};
try {
  say(`writing ${agents} agents`);
  const identities = await writeFleet(servers.databaseUrl, agents, intervalMs);
  if (does("steady") || does("kill")) {
    const first = await startIngest();
    say("agents begin to report");
    const fleet = await beginReporting(servers, first, identities);

    say(`${rounds} rounds`);
    const { cpuPercent, reports, failed } = await steadily(fleet, first, rounds);
    const rate = `${agents} agents every 15 s`;
    add("P14", `${rate}: CPU of one core`, `≤ ${goalPercent} %`, percent(cpuPercent), cpuPercent <= goalPercent);
    add("P14", `the same: reports of ${reports} that did not get through`, "0", String(failed), failed === 0);

    if (does("kill")) {
      say("kill -9 and a start");
      const { ingest, ledgers, ...after } = await killed(fleet, servers, first);
      say("looking for every sample");
      const { made, missing, missingAcknowledged, strange } = await audit(servers.natsUrl, ledgers);
      const away = `kill -9, away for ${after.awaySeconds.toFixed(1)} s, ${after.failed} reports failed`;
      add("P14", `${away}: of ${made} samples not in SAMPLES`, "0", String(missing), missing === 0);
      const lost = missingAcknowledged + strange;
      add("P14", "the same: acknowledged and not there; there and never made", "0", String(lost), lost === 0);
      await ingest.stop();
    } else await first.stop();
    await fleet.stop();
  }

  if (does("instant")) {
    await silenceFleet(servers.databaseUrl);
    const ingest = await startIngest();
    say("all in the same instant");
    const seconds = await instantly(servers, identities);
    const online = `${agents} agents that were offline report in the same instant: all online, incidents closed after`;
    add("P14", online, "≤ 25 s", `${seconds.toFixed(1)} s`, seconds <= 25);
    await ingest.stop();
  }
} finally {
  await servers.stop();
}
say("done");
await reportFigures("bench/results/fleet", figures, `took ${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exit(0);
