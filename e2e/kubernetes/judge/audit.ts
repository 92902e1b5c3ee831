import { setTimeout as sleep } from "node:timers/promises";
import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import { openFacts } from "../../kills/facts.ts";
import { allIncidents, compareWrites, converged, keysOfMonitors, readHistories } from "../../kills/final-state.ts";
import { underwayMs } from "../../kills/gaps.ts";
import { type Call, getWithRetries } from "../../kills/http.ts";
import { judge } from "../../kills/judge.ts";
import type { Load } from "../../kills/load.ts";
import type { Untouched } from "../../kills/monitors.ts";
import type { Kill } from "../../kills/slots.ts";
import type { StoredCheck } from "../../kills/stored.ts";
import type { Namespace } from "../cluster/namespace.ts";
import { reach } from "../cluster/reach.ts";
import type { ClusterTarget } from "../cluster/target.ts";
import { fullname } from "../sonde/chart.ts";
import { compareSamples, type Point } from "./samples.ts";

export interface ClusterAudit {
  namespace: Namespace;
  target: ClusterTarget;
  call: Call;
  token: string;
  untouched: readonly Untouched[];
  /** Must be stopped. */
  load: Load;
  kills: readonly Kill[];
  trouble: () => Promise<number>;
}

export interface Verdict {
  counted: string;
  losses: string[];
}

const pageSize = 200;

/** Compares acknowledged data with the API, the bus and the target. Takes a minute. */
export async function auditCluster(audit: ClusterAudit): Promise<Verdict> {
  const { namespace, target, call, token, untouched, load } = audit;
  for (const { report, waiting } of load.agents.reporters) {
    for (let attempt = 0; waiting() > 0 && attempt < 30; attempt++) await report().then(() => sleep(500));
  }
  await target.settle(true);
  const untilMs = Date.now();
  const unsettled = await converged(call, token, untouched);
  await sleep(Math.max(0, untilMs + underwayMs - Date.now()));
  const lostWrites = await compareWrites(call, token, load);
  const facts = await openFacts(await natsUrl(namespace));
  try {
    await facts.drained();
    const readAtMs = Date.now();
    const histories = await readHistories(call, token, untouched);
    const keyOf = await keysOfMonitors(call, token);
    const sinceMs = Math.min(...untouched.map(({ createdAtMs }) => createdAtMs));
    const ids = new Set(untouched.map(({ id }) => id));
    // Read before the events, because agents go offline after the load has stopped.
    const incidents = await allIncidents(call, token);
    const [results, events] = [await facts.results(), await facts.events()];
    const dead = await facts.deadLetters();
    // Read last, so they include everything that the bus had acknowledged.
    const checks = (await Promise.all(untouched.map(({ id }) => checksOf(call, token, id, sinceMs)))).flat();
    const lostSamples: string[] = [];
    for (const reporter of load.agents.reporters) {
      lostSamples.push(...compareSamples(reporter, ...(await ratesOf(call, token, reporter.agentId))));
    }
    const { problems } = judge({
      untouched,
      load,
      kills: audit.kills,
      untilMs,
      unsettled,
      lostWrites,
      // Versions without an audit log may have handled some writes.
      lostEntries: [],
      lostSamples,
      histories,
      readAtMs,
      incidents,
      keyOf: new Map([...keyOf].filter(([id]) => ids.has(id))),
      trouble: await audit.trouble(),
      results: results.filter(({ monitorId, storedAtMs }) => ids.has(monitorId) && storedAtMs < readAtMs),
      events,
      dead,
      checks,
      arrivals: await target.arrivals(),
    });
    const writes = load.ledgers.reduce((sum, { counts }) => sum + counts.acknowledged, 0);
    const samples = load.agents.reporters.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
    return {
      counted: `${writes} writes, ${samples} samples, ${checks.length} checks of ${untouched.length} untouched monitors`,
      losses: problems,
    };
  } finally {
    await facts.close();
    await target.settle(false);
  }
}

async function natsUrl(namespace: Namespace): Promise<string> {
  const { admin } = await namespace.secret(`${fullname}-nats`);
  const { host, port } = await reach(namespace, `${fullname}-nats`, 4222);
  return `nats://sonde:${admin}@${host}:${port}`;
}

async function checksOf(call: Call, token: string, monitorId: number, sinceMs: number): Promise<StoredCheck[]> {
  const found: StoredCheck[] = [];
  for (let before = ""; ;) {
    const path = `/api/monitors/${monitorId}/checks?limit=${pageSize}${before}`;
    const { checks } = await getWithRetries<{ checks: CheckResult[] }>(call, path, token);
    for (const { slot, startedAt, status, statusCode, responseTime, manual } of checks) {
      if (manual) continue;
      found.push({
        monitorId,
        slotMs: Date.parse(slot),
        startedAtMs: Date.parse(startedAt),
        tookMs: responseTime,
        up: status === "up",
        answered: statusCode !== undefined,
      });
    }
    const oldest = checks.at(-1);
    if (oldest === undefined || checks.length < pageSize || Date.parse(oldest.slot) < sinceMs) return found;
    before = `&before=${encodeURIComponent(oldest.slot)}`;
  }
}

/** Returns an agent's mean network rates over the last hour, and the step in milliseconds. */
async function ratesOf(call: Call, token: string, agentId: number): Promise<[Point[], number]> {
  const path = `/api/agents/${agentId}/metrics?range=1h`;
  const { step, network } = await getWithRetries<{ step: number; network: Record<string, { receiveRate: Point[] }> }>(
    call,
    path,
    token,
  );
  return [network.eth0?.receiveRate ?? [], step * 1000];
}
