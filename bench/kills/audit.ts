import type { WholeSonde } from "../pipeline/whole.ts";
import { byMonitor, type Figure } from "../probe/figures.ts";
import type { LoopbackTarget } from "../probe/target-client.ts";
import { cpuOf, type Reporter } from "./agents.ts";
import { compareAlerts, examineIncidents } from "./alerts.ts";
import { type Acknowledged, openFacts } from "./facts.ts";
import { allIncidents, compareWrites, converged, keysOfMonitors, readHistories } from "./final-state.ts";
import { shownAsFailures, shownAsWhole, underwayMs } from "./gaps.ts";
import type { Call } from "./http.ts";
import type { Load } from "./load.ts";
import type { Untouched } from "./monitors.ts";
import { accountForSlots, type Kill, type Missing, mostOfOneKill, unknownToTarget } from "./slots.ts";
import { readStored, type StoredCheck, type StoredSample } from "./stored.ts";

export interface AuditOptions {
  sonde: WholeSonde;
  target: LoopbackTarget;
  call: Call;
  token: string;
  untouched: readonly Untouched[];
  load: Load;
  kills: readonly Kill[];
  /** Slots that runners gave up for their own sake. */
  ownTrouble: () => Promise<number>;
}

/** Compares everything that was acknowledged with everything that is there. Stops runners and metrics on the way. */
export async function auditAll(options: AuditOptions): Promise<{ figures: Figure[]; faults: string[] }> {
  const { sonde, target, call, token, untouched, load, kills } = options;
  const faults: string[] = [];
  const figures: Figure[] = [];
  const count = (what: string, measured: number | string) =>
    figures.push({ goal: "R1", what, wanted: "–", measured: String(measured), held: false });
  const none = (what: string, found: readonly string[]) => {
    faults.push(...found);
    figures.push({ goal: "R1", what, wanted: "0", measured: String(found.length), held: found.length === 0 });
  };

  target.settle();
  const untilMs = Date.now();
  const unsettled = await converged(call, token, untouched);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, untilMs + underwayMs - Date.now())));
  const lostWrites = await compareWrites(call, token, load);
  const readAtMs = Date.now();
  const histories = await readHistories(call, token, untouched);
  const incidents = await allIncidents(call, token);
  const keyOf = await keysOfMonitors(call, token);
  const trouble = await options.ownTrouble();
  await Promise.all([sonde.stop("probe-runner"), sonde.stop("probe-runner-2")]);
  const facts = await openFacts(sonde.natsUrl);
  await facts.drained();
  const [results, events, dead] = [await facts.results(), await facts.events(), await facts.deadLetters()];
  await facts.close();
  await sonde.stop("metrics");
  const { checks, samples } = await readStored(sonde.dataDir);
  const arrivals = byMonitor(await target.take());

  const { reports, reporters } = load.agents;
  const sum = (of: (ledger: Load["ledgers"][number]) => number) => load.ledgers.reduce((all, one) => all + of(one), 0);
  count(
    "writes acknowledged: monitors, users, sessions, agents",
    sum(({ counts }) => counts.acknowledged),
  );
  count(
    "the same without an answer, or with one that says that somebody is away",
    sum(({ counts }) => counts.unanswered),
  );
  none("acknowledged writes that are not there", lostWrites);
  none("rightful requests that were refused", [
    ...load.ledgers.flatMap(({ refusals }) => refusals),
    ...reports.refusals,
  ]);

  const told = reporters.reduce((all, { acknowledged }) => all + acknowledged.size, 0);
  count("samples acknowledged; reports that had to be sent again", `${told}; ${reports.unanswered}`);
  none("acknowledged samples that are not in history, or other than they were", lostSamples(reporters, samples));

  count("results acknowledged by the bus; checks in history", `${results.length}; ${checks.length}`);
  none("acknowledged results that are not in history", lostResults(results, checks, keyOf));
  const unknown = unknownToTarget(checks, arrivals, keyOf);
  none(
    "checks in history that the target knows nothing of",
    unknown.map(({ monitorId, slotMs, startedAtMs }) => {
      const distances = (arrivals.get(keyOf.get(monitorId) ?? 0) ?? []).map((atMs) => Math.round(atMs - startedAtMs));
      const nearest = distances.toSorted((left, right) => Math.abs(left) - Math.abs(right)).slice(0, 2);
      return `monitor ${monitorId} slot ${new Date(slotMs).toISOString()}: requests ${nearest.join(" and ")} ms off`;
    }),
  );

  const slots = accountForSlots(untouched, checks, arrivals, kills, untilMs);
  const others = slots.missing.filter(({ kill }) => kill === undefined);
  const runnerKills = kills.filter(({ name }) => name.startsWith("probe-runner")).length;
  count(`slots of ${untouched.length} untouched monitors: due; in history`, `${slots.expected}; ${slots.stored}`);
  count(
    `slots missing around ${runnerKills} kills of a runner; most of one kill`,
    `${slots.missing.length - others.length}; ${mostOfOneKill(slots)}`,
  );
  const aheadMs = Math.max(0, ...slots.missing.map((slot) => slot.aheadMs ?? 0));
  count("the longest that one of these had been at the target before the kill", `${Math.round(aheadMs)} ms`);
  const inWords = (slot: Missing) => `monitor ${slot.monitorId} slot ${new Date(slot.slotMs).toISOString()} is missing`;
  none(
    "slots missing otherwise, though the target had been asked",
    others.filter((slot) => slot.askedInVain).map(inWords),
  );
  const never = others.filter((slot) => !slot.askedInVain);
  count("slots missing otherwise; slots that runners gave up for their own sake", `${never.length}; ${trouble}`);
  none("slots missing beyond those that runners gave up", never.slice(trouble).map(inWords));
  none("steps of always well monitors that show failures", shownAsFailures(untouched, histories));
  none("missing slots that do not show as missing coverage", shownAsWhole(slots, histories, readAtMs));

  const alerts = compareAlerts(untouched, results, events);
  count("state changes of untouched monitors told; incidents", `${alerts.told}; ${incidents.length}`);
  none("state changes told otherwise than the acknowledged results say", alerts.faults);
  none("monitors in another state than their target", unsettled);
  none("incidents that overlap, or whose end or beginning was not told", examineIncidents(incidents, events));
  none("messages that somebody could not read", dead === 0 ? [] : [`${dead} dead letters`]);
  return { figures, faults };
}

function lostSamples(reporters: readonly Reporter[], samples: readonly StoredSample[]): string[] {
  const stored = new Map(samples.map(({ agentId, sequence, cpu }) => [`${agentId}/${sequence}`, cpu]));
  return reporters.flatMap(({ agentId, acknowledged }) =>
    [...acknowledged]
      .filter((sequence) => stored.get(`${agentId}/${sequence}`) !== cpuOf(sequence))
      .map((sequence) => `sample ${sequence} of agent ${agentId}: ${stored.get(`${agentId}/${sequence}`)}`),
  );
}

function lostResults(
  results: readonly Acknowledged[],
  checks: readonly StoredCheck[],
  kept: ReadonlyMap<number, number>,
): string[] {
  const stored = new Set(checks.map(({ monitorId, slotMs }) => `${monitorId}/${slotMs}`));
  // The history of a deleted monitor goes with it.
  return results
    .filter(({ monitorId, slotMs }) => kept.has(monitorId) && !stored.has(`${monitorId}/${Math.round(slotMs)}`))
    .map(({ monitorId, slotMs }) => `result of monitor ${monitorId}, slot ${new Date(slotMs).toISOString()}`);
}
