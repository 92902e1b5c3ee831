import type { Event } from "@sonde/proto/gen/events/v1/events";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Figure } from "@sonde/testing/figures";
import { compareAlerts, examineIncidents } from "./alerts.ts";
import type { Acknowledged } from "./facts.ts";
import type { Histories } from "./final-state.ts";
import { shownAsFailures, shownAsWhole } from "./gaps.ts";
import type { Load } from "./load.ts";
import type { Untouched } from "./monitors.ts";
import { accountForSlots, type Kill, type Missing, maxMissedPerKill, unknownToTarget } from "./slots.ts";
import type { StoredCheck } from "./stored.ts";

/** Everything that was acknowledged, and everything that was there in the end. */
export interface Gathered {
  untouched: readonly Untouched[];
  load: Load;
  kills: readonly Kill[];
  /** When the comparison began; later slots do not count. */
  untilMs: number;
  /** Monitors in another state than their target, in words. */
  unsettled: readonly string[];
  /** Acknowledged writes that are not there, in words. */
  lostWrites: readonly string[];
  /** Acknowledged writes that left no entry in the audit, in words. */
  lostEntries: readonly string[];
  /** Acknowledged samples that are not in history, in words. */
  lostSamples: readonly string[];
  histories: Histories;
  /** When histories were read. */
  readAtMs: number;
  incidents: readonly Incident[];
  /** What the target calls each monitor that is there. */
  keyOf: ReadonlyMap<number, number>;
  /** Slots that runners gave up for their own sake. */
  trouble: number;
  results: readonly Acknowledged[];
  events: readonly Event[];
  /** Messages that a reader could not decode. */
  dead: number;
  checks: readonly StoredCheck[];
  /** When each key was asked for at the target. */
  arrivals: ReadonlyMap<number, readonly number[]>;
}

/** Compares the two: figures for a table, and what was lost in words. */
export function judge(gathered: Gathered): { figures: Figure[]; faults: string[] } {
  const { untouched, load, kills, untilMs, histories, incidents, keyOf, trouble } = gathered;
  const { results, events, checks, arrivals } = gathered;
  const faults: string[] = [];
  const figures: Figure[] = [];
  const count = (what: string, measured: number | string) =>
    figures.push({ goal: "R1", what, wanted: "–", measured: String(measured), held: false });
  const none = (what: string, found: readonly string[]) => {
    faults.push(...found);
    figures.push({ goal: "R1", what, wanted: "0", measured: String(found.length), held: found.length === 0 });
  };

  const { reports, reporters } = load.agents;
  const { ledger: jobs } = load.heartbeats;
  const sum = (of: (ledger: Load["ledgers"][number]) => number) => load.ledgers.reduce((all, one) => all + of(one), 0);
  count(
    "writes acknowledged: monitors, users, sessions, keys, agents",
    sum(({ counts }) => counts.acknowledged),
  );
  count(
    "the same without an answer, or with one that names what is away",
    sum(({ counts }) => counts.unanswered),
  );
  count(
    "calls of heartbeats acknowledged; without an answer",
    `${jobs.counts.acknowledged}; ${jobs.counts.unanswered}`,
  );
  none("acknowledged writes that are not there, calls of heartbeats included", gathered.lostWrites);
  none("acknowledged writes that are not in the audit", gathered.lostEntries);
  none("rightful requests that were refused", [
    ...load.ledgers.flatMap(({ refusals }) => refusals),
    ...reports.refusals,
    ...jobs.refusals,
  ]);

  const samples = reporters.reduce((all, { acknowledged }) => all + acknowledged.size, 0);
  count("samples acknowledged; reports that had to be sent again", `${samples}; ${reports.unanswered}`);
  none("acknowledged samples that are not in history, or other than they were", gathered.lostSamples);

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
    `${slots.missing.length - others.length}; ${maxMissedPerKill(slots)}`,
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
  none("missing slots that do not show as missing coverage", shownAsWhole(slots, histories, gathered.readAtMs));

  const alerts = compareAlerts(untouched, results, events);
  count("state changes of untouched monitors sent; incidents", `${alerts.told}; ${incidents.length}`);
  none("state changes sent otherwise than the acknowledged results say", alerts.faults);
  none("monitors in another state than their target", gathered.unsettled);
  none("incidents that overlap, or whose end or beginning was not sent", examineIncidents(incidents, events));
  none("messages that a reader could not decode", gathered.dead === 0 ? [] : [`${gathered.dead} dead letters`]);
  return { figures, faults };
}

function lostResults(
  results: readonly Acknowledged[],
  checks: readonly StoredCheck[],
  kept: ReadonlyMap<number, number>,
): string[] {
  const stored = new Set(checks.map(({ monitorId, slotMs }) => `${monitorId}/${slotMs}`));
  // The history of a deleted monitor is deleted with it.
  return results
    .filter(({ monitorId, slotMs }) => kept.has(monitorId) && !stored.has(`${monitorId}/${Math.round(slotMs)}`))
    .map(({ monitorId, slotMs }) => `result of monitor ${monitorId}, slot ${new Date(slotMs).toISOString()}`);
}
