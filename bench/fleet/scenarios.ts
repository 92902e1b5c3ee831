import { countFleet } from "@sonde/agent-ingest/testing/fleet";
import { setTimeout as sleep } from "node:timers/promises";
import { type Fleet, type Seen, startFleet } from "@sonde/testing/fleet/fleet";
import type { Servers } from "./servers.ts";
import type { ServiceProcess } from "./service-process.ts";
import type { Identity, Ledger } from "@sonde/testing/fleet/simulated-agent";

export const intervalMs = 15_000;
/** The gateway's connection pool to agent-ingest has the same size. */
const pooled = 256;
const patienceMs = 180_000;
const lookMs = 200;
const awayMs = 3_000;

async function waitFor(what: string, holds: () => Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > untilMs) throw new Error(`${what} took longer than ${patienceMs / 1000} s`);
    await sleep(lookMs);
  }
}

/** `failed`: reports that were not accepted. */
export type Steady = { cpuPercent: number; reports: number; failed: number };

/** Waits until agent-ingest is ready and its outbox is empty. */
export async function settled(ingest: ServiceProcess): Promise<void> {
  await waitFor("knowing all keys", ingest.ready);
  await waitFor("telling the bus", async () => (await ingest.metric("sonde_outbox_unsent")) === 0);
}

/** Sends rounds of ordinary reports. */
export async function steadily(fleet: Fleet, ingest: ServiceProcess, rounds: number): Promise<Steady> {
  await fleet.ask("seen");
  const [before, startedMs] = [await ingest.cpuMs(), performance.now()];
  await sleep(rounds * intervalMs);
  const [after, elapsedMs] = [await ingest.cpuMs(), performance.now() - startedMs];
  const { tookMs, outcomes } = await fleet.ask("seen");
  const cpuPercent = ((after - before) / elapsedMs) * 100;
  return { cpuPercent, reports: tookMs.length, failed: failuresOf(outcomes) };
}

const failuresOf = (outcomes: Seen["outcomes"]) =>
  Object.entries(outcomes).reduce((sum, [outcome, count]) => (outcome === "accepted" ? sum : sum + count), 0);

export type Killed = { ingest: ServiceProcess; ledgers: Ledger[]; failed: number; awaySeconds: number };

/** Kills agent-ingest during reports, restarts it, and waits until every agent has sent its queue. */
export async function killed(fleet: Fleet, servers: Servers, before: ServiceProcess): Promise<Killed> {
  await sleep(intervalMs / 3);
  const atMs = performance.now();
  await before.kill();
  await sleep(awayMs);
  const ingest = await servers.startIngest();
  const awaySeconds = (performance.now() - atMs) / 1000;
  await sleep(intervalMs);
  await fleet.drained(patienceMs);
  const { outcomes } = await fleet.ask("seen");
  const failed = failuresOf(outcomes);
  return { ingest, ledgers: await fleet.ask("ledgers"), failed, awaySeconds };
}

/**
 * All agents are offline, each with an open incident, and report at the same instant.
 * @returns seconds until all are online and their incidents are closed
 */
export async function instantly(servers: Servers, identities: Identity[]): Promise<number> {
  const { ingestPort: port, databaseUrl } = servers;
  const fleet = startFleet({ port, identities, intervalMs, pooled, together: true });
  const beganMs = performance.now();
  await waitFor("coming online", async () => {
    const { online, open } = await countFleet(databaseUrl);
    return online === identities.length && open === 0;
  });
  const seconds = (performance.now() - beganMs) / 1000;
  await fleet.stop();
  return seconds;
}

/** Starts agents through a pool as large as a gateway's, and returns when each was accepted. */
export async function beginReporting(servers: Servers, ingest: ServiceProcess, identities: Identity[]): Promise<Fleet> {
  const fleet = startFleet({ port: servers.ingestPort, identities, intervalMs, pooled });
  await sleep(intervalMs);
  await waitFor("hearing every agent", async () => {
    // Fails here instead of waiting for a fleet that has exited.
    await fleet.ask("count");
    return (await ingest.metric("sonde_samples_applied_total")) >= identities.length;
  });
  return fleet;
}
