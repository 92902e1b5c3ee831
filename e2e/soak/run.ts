/**
 * Runs Sonde with `npm start` under 5,000 monitors and 5,000 agents every 15 s, and compares the stored data with what
 * was due: `npm run test:soak`. Needs Linux. `-- --monitors 500 --agents 500 --minutes 10` is a small run. Exits with 1
 * if a row fails.
 */
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { slotsBetween } from "@sonde/kit/time/slots";
import { apiOf, type Api, firstAdmin } from "@sonde/testing/api";
import { startTarget } from "@sonde/testing/target";
import { readStored } from "../kills/stored.ts";
import { startFleet } from "@sonde/testing/fleet/fleet";
import type { Identity, Ledger } from "@sonde/testing/fleet/simulated-agent";
import { reportFigures } from "@sonde/testing/report";
import type { Figure } from "@sonde/testing/figures";
import { processesBelow } from "@sonde/testing/processes";
import { emptyDataDir, npmStart } from "@sonde/testing/npm-start";

const { values } = parseArgs({
  options: {
    monitors: { type: "string", default: "5000" },
    agents: { type: "string", default: "5000" },
    minutes: { type: "string", default: "60" },
    write: { type: "boolean", default: false },
  },
});
const [monitors, agents, minutes] = [values.monitors, values.agents, values.minutes].map(Number) as [
  number,
  number,
  number,
];
const intervalMs = 15_000;
const [atOnce, settleMs, drainMs] = [20, 60_000, 60_000];
const flat = 1.1;
const log = (line: string) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

const dataDir = await emptyDataDir();
const target = await startTarget();
let held = false;
try {
  const sonde = await npmStart(resolve(import.meta.dirname, "../.."), dataDir, {
    MONITOR_MIN_INTERVAL_SECONDS: String(intervalMs / 1000),
  });
  const watched = await watch(sonde.url, sonde.pid).finally(() => sonde.stop());
  const restarts = sonde.lines.filter(({ text }) => /restarting in|has not responded/.test(text)).length;
  const figures = await judge(watched, restarts);
  held = figures.every((figure) => figure.held);
  await reportFigures(
    "e2e/results/soak",
    figures,
    `${monitors} monitors and ${agents} agents every 15 s for ${minutes} minutes`,
  );
} finally {
  await target.stop();
  await rm(join(dataDir, ".."), { recursive: true, force: true });
}
process.exit(held ? 0 : 1);

type Watched = {
  ids: number[];
  fromMs: number;
  untilMs: number;
  incidents: number;
  /** Memory (PSS) of all processes, once a minute. */
  minutesMib: number[];
  cpuCores: number;
  ledgers: Ledger[];
};

async function watch(url: string, pid: number): Promise<Watched> {
  const { api } = await firstAdmin(url);
  log(`adding ${monitors} monitors and ${agents} agents`);
  const ids = await several(monitors, (n) => addMonitor(api, n));
  const identities = await several(agents, (n) => register(api, url, n));
  const fleet = startFleet({ port: Number(new URL(url).port), identities, intervalMs, pooled: 50 });
  try {
    await sleep(settleMs);
    log("watching");
    const used = async () => (await processesBelow(pid)).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    const [fromMs, cpuBefore] = [Date.now(), await used()];
    const minutesMib: number[] = [];
    for (let minute = 1; minute <= minutes; minute++) {
      await sleep(fromMs + minute * 60_000 - Date.now());
      minutesMib.push((await processesBelow(pid)).reduce((sum, { pssMib }) => sum + pssMib, 0));
      log(`minute ${minute}: ${minutesMib.at(-1)?.toFixed(0)} MiB, ${(await latestIncidents(api)).total} incidents`);
    }
    const untilMs = Date.now();
    const cpuCores = ((await used()) - cpuBefore) / (untilMs - fromMs);
    const incidents = await countIncidents(api);
    await fleet.drained(drainMs);
    const ledgers = await fleet.ask("ledgers");
    await sleep(drainMs / 2); // Pending data is stored.
    return { ids, fromMs, untilMs, incidents, minutesMib, cpuCores, ledgers };
  } finally {
    await fleet.stop();
  }
}

type Incidents = { incidents: { openedAt: string; cause: string; target: { name: string } }[]; total: number };
function latestIncidents(api: Api): Promise<Incidents> {
  return api.get<Incidents>("/api/incidents?page=1&pageSize=20");
}

/** Counts all incidents and logs the latest ones. */
async function countIncidents(api: Api): Promise<number> {
  const { incidents, total } = await latestIncidents(api);
  for (const { openedAt, cause, target: of } of incidents) log(`incident of ${of.name} at ${openedAt}: ${cause}`);
  return total;
}

async function several<Made>(count: number, make: (n: number) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  for (let from = 0; from < count; from += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - from) }, (_, at) => from + at);
    made.push(...(await Promise.all(numbers.map(make))));
  }
  return made;
}

async function addMonitor(api: Api, n: number): Promise<number> {
  const input = { name: `Monitor ${n}`, url: `${target.url}?${n}`, interval: intervalMs / 60_000 };
  return (await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", input)).monitor.id;
}

async function register(api: Api, url: string, n: number): Promise<Identity> {
  const { token } = await api.send<{ token: string }>("POST", "/api/agents/tokens", { name: `Agent ${n}` });
  const host = { hostname: `host-${n}`, ipAddresses: [], os: "Debian 12", version: "1.0.0" };
  const registration = { token, ...host, interval: intervalMs / 1000 };
  const { agentId: id, key } = await apiOf(url).send<{ agentId: number; key: string }>(
    "POST",
    "/agent/v1/register",
    registration,
  );
  return { id, key };
}

async function judge(watched: Watched, restarts: number): Promise<Figure[]> {
  const { ids, fromMs, untilMs, incidents, minutesMib, cpuCores, ledgers } = watched;
  const { checks, samples } = await readStored(dataDir);
  const within = checks.filter(({ slotMs }) => slotMs >= fromMs && slotMs < untilMs);
  const seen = new Set(within.map(({ monitorId, slotMs }) => `${monitorId}/${slotMs}`)).size;
  const due = ids.reduce((sum, id) => sum + slotsBetween(id, intervalMs, fromMs, untilMs), 0);
  const down = within.filter(({ up }) => !up).length;
  const stored = new Map<number, Set<number>>();
  for (const { agentId, sequence } of samples) stored.set(agentId, (stored.get(agentId) ?? new Set()).add(sequence));
  const acknowledged = ledgers.reduce((sum, each) => sum + each.acknowledged, 0);
  const lost = ledgers.reduce(
    (sum, { id, made, acknowledged: count }) =>
      sum + made.slice(0, count).filter((sequence) => !stored.get(id)?.has(sequence)).length,
    0,
  );
  const quarter = Math.ceil(minutesMib.length / 4);
  const meanOf = (part: number[]) => part.reduce((sum, mib) => sum + mib, 0) / part.length;
  const [early, late] = [meanOf(minutesMib.slice(quarter, 2 * quarter)), meanOf(minutesMib.slice(-quarter))];
  const row = (what: string, wanted: string, measured: string, held: boolean): Figure => ({
    goal: "S1",
    what,
    wanted,
    measured,
    held,
  });
  return [
    row("slots without a check", "0", `${due - seen} of ${due}`, due === seen),
    row("checks that report DOWN, and incidents", "0", `${down}, ${incidents}`, down + incidents === 0),
    row("acknowledged samples missing from history", "0", `${lost} of ${acknowledged}`, lost === 0),
    row("processes that exited or stalled for 10 s", "0", String(restarts), restarts === 0),
    row(
      "memory of the last quarter relative to the second (PSS)",
      `≤ ${flat} ×`,
      `${(late / early).toFixed(2)} × (${late.toFixed(0)} MiB, ${early.toFixed(0)} MiB; maximum ${Math.max(...minutesMib).toFixed(0)} MiB)`,
      late / early <= flat,
    ),
    row("CPU time of all processes", "–", `${cpuCores.toFixed(2)} cores`, true),
  ];
}
