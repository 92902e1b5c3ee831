import { countFleet } from "@sonde/agent-ingest/testing/fleet";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@sonde/kit/embedded/free-port";
import { percentile } from "@sonde/testing/figures";
import { type Fleet, type Seen, startFleet } from "@sonde/testing/fleet/fleet";
import type { Servers } from "./servers.ts";
import { startService, type ServiceProcess } from "./service-process.ts";
import type { Identity, Ledger } from "@sonde/testing/fleet/simulated-agent";

export const intervalMs = 15_000;
/** As many as the gateway's own agent opens to agent-ingest. */
const pooled = 256;
const patienceMs = 180_000;
const lookMs = 200;
const awayMs = 3_000;

/** CPU of a bare server a request, in milliseconds, under one round of the same fleet. */
export async function bareServer(identities: Identity[]): Promise<number> {
  const child = fork(join(import.meta.dirname, "bare-server.ts"));
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  const fleet = startFleet({ port, identities, intervalMs, pooled });
  const used = async () => {
    child.send("usage");
    const [usage] = (await once(child, "message")) as [{ cpuMs: number; requests: number }];
    return usage;
  };
  await sleep(intervalMs / 3);
  const before = await used();
  await sleep(intervalMs);
  const after = await used();
  await fleet.stop();
  child.disconnect();
  return (after.cpuMs - before.cpuMs) / (after.requests - before.requests);
}

async function waitFor(what: string, holds: () => Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > untilMs) throw new Error(`${what} took longer than ${patienceMs / 1000} s`);
    await sleep(lookMs);
  }
}

export type Steady = {
  cpuMsAReport: number;
  /** Of a core. */
  cpuPercent: number;
  p50Ms: number;
  p99Ms: number;
  mostRssMib: number;
  reports: number;
  /** Reports that did not get through. */
  failed: number;
};

/** Waits until agent-ingest is ready, and has published all that its database has. */
export async function settled(ingest: ServiceProcess): Promise<void> {
  await waitFor("knowing all keys", ingest.ready);
  await waitFor("telling the bus", async () => (await ingest.metric("sonde_outbox_unsent")) === 0);
}

/** So many rounds of reports as they are day after day. */
export async function steadily(fleet: Fleet, ingest: ServiceProcess, rounds: number): Promise<Steady> {
  await fleet.ask("seen");
  const [before, startedMs] = [await ingest.usage(), performance.now()];
  let mostRssMib = 0;
  for (let round = 0; round < rounds; round++) {
    await sleep(startedMs + (round + 1) * intervalMs - performance.now());
    mostRssMib = Math.max(mostRssMib, (await ingest.usage()).rssMib);
  }
  const [after, elapsedMs] = [await ingest.usage(), performance.now() - startedMs];
  const { tookMs, outcomes } = await fleet.ask("seen");
  const times = Float64Array.from(tookMs);
  const cpuMs = after.cpuMs - before.cpuMs;
  return {
    cpuMsAReport: cpuMs / tookMs.length,
    cpuPercent: (cpuMs / elapsedMs) * 100,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    mostRssMib,
    reports: tookMs.length,
    failed: failuresOf(outcomes),
  };
}

const failuresOf = (outcomes: Seen["outcomes"]) =>
  Object.entries(outcomes).reduce((sum, [outcome, count]) => (outcome === "accepted" ? sum : sum + count), 0);

export type Killed = { ingest: ServiceProcess; ledgers: Ledger[]; failed: number; awaySeconds: number };

/** Kills agent-ingest while reports are under way, starts it again, and lets every agent hand over what it has. */
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

export type Instant = { onlineSeconds: number; toldSeconds: number; failed: number };

/**
 * All agents were offline, each with an open incident, and report in the same instant: how long until all are online with
 * their incidents closed, and until the bus has every event of that.
 */
export async function instantly(servers: Servers, ingest: ServiceProcess, identities: Identity[]): Promise<Instant> {
  const { ingestPort: port, databaseUrl } = servers;
  const fleet = startFleet({ port, identities, intervalMs, pooled, together: true });
  const beganMs = performance.now();
  const secondsNow = () => (performance.now() - beganMs) / 1000;
  let counted = await countFleet(databaseUrl);
  const look = async (holds: () => boolean) => ((counted = await countFleet(databaseUrl)), holds());
  await waitFor("coming online", () => look(() => counted.online === identities.length && counted.open === 0));
  const onlineSeconds = secondsNow();
  await waitFor("telling of it", () => look(() => counted.unsent === 0));
  const toldSeconds = secondsNow();
  const { outcomes } = await fleet.ask("seen");
  await fleet.stop();
  return { onlineSeconds, toldSeconds, failed: failuresOf(outcomes) };
}

export type Silence = { offlineSeconds: number; toldSeconds: number };

/**
 * All agents were online and none reports, so that all fall silent in the same instant: how long from the first that is
 * offline until all are with their incidents open, and until the bus has every event of that.
 */
export async function silently({ databaseUrl }: Servers): Promise<Silence> {
  let counted = await countFleet(databaseUrl);
  const { online } = counted;
  const look = async (holds: () => boolean) => ((counted = await countFleet(databaseUrl)), holds());
  await waitFor("the first silence", () => look(() => counted.online < online));
  const beganMs = performance.now();
  await waitFor("falling silent", () => look(() => counted.online === 0 && counted.open === online));
  const offlineSeconds = (performance.now() - beganMs) / 1000;
  await waitFor("telling of it", () => look(() => counted.unsent === 0));
  return { offlineSeconds, toldSeconds: (performance.now() - beganMs) / 1000 };
}

/** CPU of the gateway a report, where every agent has a connection of its own to it. */
export async function throughGateway(servers: Servers, identities: Identity[]): Promise<number> {
  const port = await freePort();
  const gateway = await startService("@sonde/gateway", {
    NATS_URL: servers.natsUrl,
    PORT: String(port),
    SONDE_LOCAL: "1",
    GATEWAY_WAIT_SECONDS: "0",
    AGENT_INGEST_URL: `http://127.0.0.1:${servers.ingestPort}`,
  });
  const fleet = startFleet({ port, identities, intervalMs, pooled: null });
  // In the first round connections are made.
  await sleep(intervalMs);
  await fleet.ask("seen");
  const before = await gateway.usage();
  await sleep(intervalMs);
  const after = await gateway.usage();
  const { tookMs } = await fleet.ask("seen");
  await fleet.stop();
  await gateway.stop();
  return (after.cpuMs - before.cpuMs) / tookMs.length;
}

/** Starts agents as behind a gateway, and returns when each was received. */
export async function beginReporting(servers: Servers, ingest: ServiceProcess, identities: Identity[]): Promise<Fleet> {
  const fleet = startFleet({ port: servers.ingestPort, identities, intervalMs, pooled });
  await sleep(intervalMs);
  await waitFor("hearing every agent", async () => {
    // A fleet that ended would be waited for in vain.
    await fleet.ask("count");
    return (await ingest.metric("sonde_samples_applied_total")) >= identities.length;
  });
  return fleet;
}
