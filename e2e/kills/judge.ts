import type { Event } from "@sonde/proto/gen/events/v1/events";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Figure } from "@sonde/testing/figures";
import { compareAlerts, examineIncidents } from "./alerts.ts";
import type { Acknowledged } from "./facts.ts";
import type { Histories } from "./final-state.ts";
import { shownAsFailures, shownAsCovered } from "./gaps.ts";
import type { Load } from "./load.ts";
import type { Untouched } from "./monitors.ts";
import { accountForSlots, type Kill, type Missing, maxMissedPerKill, unknownToTarget } from "./slots.ts";
import type { StoredCheck } from "./stored.ts";

export interface Gathered {
  untouched: readonly Untouched[];
  load: Load;
  kills: readonly Kill[];
  /** When the comparison began; later slots do not count. */
  untilMs: number;
  /** Monitors in another state than their target, in words like the lists below. */
  unsettled: readonly string[];
  lostWrites: readonly string[];
  lostEntries: readonly string[];
  lostSamples: readonly string[];
  /** Steps of escalation policies, if there are any; `counts` is a text. */
  steps?: { wrong: readonly string[]; counts: string };
  histories: Histories;
  readAtMs: number;
  incidents: readonly Incident[];
  /** The target's key for each existing monitor. */
  keyOf: ReadonlyMap<number, number>;
  trouble: number;
  results: readonly Acknowledged[];
  events: readonly Event[];
  /** Number of messages that a reader could not decode. */
  dead: number;
  checks: readonly StoredCheck[];
  /** When the target received requests, by key. */
  arrivals: ReadonlyMap<number, readonly number[]>;
}

/** Compares acknowledged with stored data. Returns figures for a table, and descriptions of what was lost. */
export function judge(gathered: Gathered): { figures: Figure[]; problems: string[] } {
  const { untouched, load, kills, untilMs, histories, incidents, keyOf, trouble } = gathered;
  const { results, events, checks, arrivals } = gathered;
  const problems: string[] = [];
  const figures: Figure[] = [];
  const count = (what: string, measured: number | string) =>
    figures.push({ goal: "R1", what, wanted: "–", measured: String(measured), held: false });
  const none = (what: string, found: readonly string[]) => {
    problems.push(...found);
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
    "the same unacknowledged: no response, or a service was unavailable",
    sum(({ counts }) => counts.unanswered),
  );
  count("heartbeat pings acknowledged; unacknowledged", `${jobs.counts.acknowledged}; ${jobs.counts.unanswered}`);
  none("acknowledged writes that were lost, including heartbeat pings", gathered.lostWrites);
  none("acknowledged writes without an audit entry", gathered.lostEntries);
  none("valid requests that were rejected", [
    ...load.ledgers.flatMap(({ refusals }) => refusals),
    ...reports.refusals,
    ...jobs.refusals,
  ]);

  if (gathered.steps !== undefined) {
    const what = "alerts with a policy; acknowledged; messages of their steps; sent again under the same id";
    count(what, gathered.steps.counts);
    none("steps that did not notify exactly once", gathered.steps.wrong);
  }

  const samples = reporters.reduce((all, { acknowledged }) => all + acknowledged.size, 0);
  count("samples acknowledged; reports that had to be repeated", `${samples}; ${reports.unanswered}`);
  none("acknowledged samples missing from history or changed", gathered.lostSamples);

  count("results acknowledged by the bus; checks in history", `${results.length}; ${checks.length}`);
  none("acknowledged results missing from history", lostResults(results, checks, keyOf));
  const unknown = unknownToTarget(checks, arrivals, keyOf);
  none(
    "checks in history without a request at the target",
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
    `slots missing around ${runnerKills} runner kills; maximum for one kill`,
    `${slots.missing.length - others.length}; ${maxMissedPerKill(slots)}`,
  );
  const aheadMs = Math.max(0, ...slots.missing.map((slot) => slot.aheadMs ?? 0));
  count("the longest time from the request of one of these to the kill", `${Math.round(aheadMs)} ms`);
  const inWords = (slot: Missing) => `monitor ${slot.monitorId} slot ${new Date(slot.slotMs).toISOString()} is missing`;
  none("other missing slots whose target received a request", others.filter((slot) => slot.resultLost).map(inWords));
  const never = others.filter((slot) => !slot.resultLost);
  count("other missing slots; slots that runners gave up", `${never.length}; ${trouble}`);
  none("other missing slots in excess of those that runners gave up", never.slice(trouble).map(inWords));
  none("history steps of healthy monitors that show failures", shownAsFailures(untouched, histories));
  none("missing slots that do not reduce coverage", shownAsCovered(slots, histories, gathered.readAtMs));

  const own = incidents.filter(({ kind }) => kind !== "external");
  const alerts = compareAlerts(untouched, results, events);
  count("published state changes of untouched monitors; incidents", `${alerts.published}; ${incidents.length}`);
  none("published state changes that differ from the acknowledged results", alerts.problems);
  none("monitors in another state than their target", gathered.unsettled);
  none("incidents that overlap, or whose opening or end was not published", examineIncidents(own, events));
  none("messages that a reader could not decode", gathered.dead === 0 ? [] : [`${gathered.dead} dead letters`]);
  return { figures, problems };
}

function lostResults(
  results: readonly Acknowledged[],
  checks: readonly StoredCheck[],
  keyOf: ReadonlyMap<number, number>,
): string[] {
  const stored = new Set(checks.map(({ monitorId, slotMs }) => `${monitorId}/${slotMs}`));
  // The history of a deleted monitor is deleted with it.
  return results
    .filter(({ monitorId, slotMs }) => keyOf.has(monitorId) && !stored.has(`${monitorId}/${Math.round(slotMs)}`))
    .map(({ monitorId, slotMs }) => `result of monitor ${monitorId}, slot ${new Date(slotMs).toISOString()}`);
}
