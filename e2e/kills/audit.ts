import type { WholeSonde } from "@sonde/testing/whole";
import { byMonitor, type Figure } from "@sonde/testing/figures";
import type { LoopbackTarget } from "@sonde/testing/recording-target/target";
import { cpuOf, type Reporter } from "./agents.ts";
import { openFacts } from "./facts.ts";
import {
  allIncidents,
  compareWrites,
  converged,
  keysOfMonitors,
  readHistories,
  unauditedWrites,
} from "./final-state.ts";
import { underwayMs } from "./gaps.ts";
import type { Call } from "./http.ts";
import type { Load } from "./load.ts";
import type { Untouched } from "./monitors.ts";
import { judge } from "./judge.ts";
import type { OnCall } from "./on-call.ts";
import type { Kill } from "./slots.ts";
import { readStored, type StoredSample } from "./stored.ts";

export interface AuditOptions {
  sonde: WholeSonde;
  target: LoopbackTarget;
  call: Call;
  token: string;
  untouched: readonly Untouched[];
  load: Load;
  onCall: OnCall;
  kills: readonly Kill[];
  /** Number of slots that runners gave up because of their own problems. */
  ownTrouble: () => Promise<number>;
}

/** Compares acknowledged data with stored data. Stops the runners and metrics in the process. */
export async function auditAll(options: AuditOptions): Promise<{ figures: Figure[]; problems: string[] }> {
  const { sonde, target, call, token, untouched, load, kills } = options;

  target.settle();
  const untilMs = Date.now();
  const unsettled = await converged(call, token, untouched);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, untilMs + underwayMs - Date.now())));
  const lostWrites = await compareWrites(call, token, load);
  const wrongSteps = await options.onCall.compare();
  const lostEntries = await unauditedWrites(sonde.url, token, load);
  const readAtMs = Date.now();
  const histories = await readHistories(call, token, untouched);
  const incidents = await allIncidents(call, token);
  const keyOf = await keysOfMonitors(call, token);
  const trouble = await options.ownTrouble();
  await Promise.all([sonde.stop("probe-runner"), sonde.stop("probe-runner-2")]);
  const facts = await openFacts(sonde.natsUrl);
  await facts.drained();
  const [allResults, events, dead] = [await facts.results(), await facts.events(), await facts.deadLetters()];
  await facts.close();
  await sonde.stop("metrics");
  const { checks, samples } = await readStored(sonde.dataDir);
  // Runners do not check heartbeats, so the target has no requests for them.
  const isChecked = ({ monitorId }: { monitorId: number }) => !load.heartbeats.ids.has(monitorId);
  const arrivals = byMonitor(await target.take());
  const seen = {
    unsettled,
    untilMs,
    lostWrites,
    lostEntries,
    steps: { wrong: wrongSteps, counts: options.onCall.counts() },
    readAtMs,
    histories,
    incidents,
    keyOf,
    trouble,
    results: allResults.filter(isChecked),
    events,
    dead,
  };
  const lost = lostSamples(load.agents.reporters, samples);
  return judge({ ...seen, untouched, load, kills, checks: checks.filter(isChecked), arrivals, lostSamples: lost });
}

function lostSamples(reporters: readonly Reporter[], samples: readonly StoredSample[]): string[] {
  const stored = new Map(samples.map(({ agentId, sequence, cpu }) => [`${agentId}/${sequence}`, cpu]));
  return reporters.flatMap(({ agentId, acknowledged }) =>
    [...acknowledged]
      .filter((sequence) => stored.get(`${agentId}/${sequence}`) !== cpuOf(sequence))
      .map((sequence) => `sample ${sequence} of agent ${agentId}: ${stored.get(`${agentId}/${sequence}`)}`),
  );
}
