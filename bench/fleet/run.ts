/**
 * A fleet of agents against one agent-ingest, each figure beside its goal: `npm run bench:fleet`, with `--write` into
 * bench/README.md, with numbers (`-- 1000 5`) that many agents and rounds of 15 s.
 */
import { writeFleet } from "@sonde/agent-ingest/testing/fleet";
import { tellFigures } from "../pipeline/report.ts";
import { type Figure, ms, percent } from "../probe/figures.ts";
import { bareServer, beginReporting, intervalMs, killed, settled, steadily, throughGateway } from "./scenarios.ts";
import { startServers } from "./servers.ts";
import { audit } from "./audit.ts";

const [agents = 10_000, rounds = 3] = process.argv.slice(2).filter(Number).map(Number);
const goalPercent = (30 * agents) / 10_000;
const began = performance.now();
const say = (text: string) =>
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}\n`);

const servers = await startServers();
const figures: Figure[] = [];
const add = (goal: string, what: string, wanted: string, measured: string, held = true) =>
  figures.push({ goal, what, wanted, measured, held });
try {
  say(`writing ${agents} agents`);
  const identities = await writeFleet(servers.databaseUrl, agents, intervalMs);
  say("bare node:http");
  const bareMs = await bareServer(identities);
  add("–", "peer: bare `node:http` that reads the same reports, CPU each", "–", ms(bareMs));

  say("agent-ingest starts");
  const first = await servers.startIngest();
  await settled(first);
  say("agents begin to report");
  const fleet = await beginReporting(servers, first, identities);

  say(`${rounds} rounds`);
  const steady = await steadily(fleet, first, rounds);
  const { cpuMsAReport: eachMs, cpuPercent } = steady;
  const times = `${ms(eachMs)}, ${(eachMs / bareMs).toFixed(1)} × the peer`;
  add("P14", "CPU of agent-ingest a report", "≤ 0.45 ms", times, eachMs <= 0.45);
  const rate = `${agents} agents every 15 s`;
  add("P14", `${rate}: CPU of one core`, `≤ ${goalPercent} %`, percent(cpuPercent), cpuPercent <= goalPercent);
  add("–", "the same: time to the acknowledgement, p50; p99", "–", `${ms(steady.p50Ms)}; ${ms(steady.p99Ms)}`);
  add("–", "the same: memory (RSS, highest)", "–", `${steady.mostRssMib.toFixed(0)} MiB`);
  const { reports, failed } = steady;
  add("P14", `the same: reports of ${reports} that did not get through`, "0", String(failed), failed === 0);

  say("kill -9 and a start");
  const { ingest, ledgers, ...after } = await killed(fleet, servers, first);
  await fleet.stop();
  say("looking for every sample");
  const { made, missing, missingAcknowledged, doubled, strange } = await audit(servers.natsUrl, ledgers);
  const away = `kill -9, away for ${after.awaySeconds.toFixed(1)} s, ${after.failed} reports failed`;
  add("P14", `${away}: of ${made} samples not in SAMPLES`, "0", String(missing), missing === 0);
  const lost = missingAcknowledged + strange;
  add("P14", "the same: acknowledged and not there; there and never made", "0", String(lost), lost === 0);
  add("–", "the same: twice there (stored, and killed before the answer)", "–", String(doubled));

  say("through the gateway");
  const gatewayMs = await throughGateway(servers, identities);
  add("–", "CPU of a gateway a report that it passes on, a connection an agent", "–", ms(gatewayMs));
  await ingest.stop();
} finally {
  await servers.stop();
}
say("done");
await tellFigures("fleet", figures, `took ${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exit(0);
