import type { NoiseAlternative, NoiseChange } from "@sonde/proto/http/notifications/noise";
import type { ReplayedIncidents } from "@sonde/proto/rpc/monitors";
import { releaseAtMs } from "../alerts/decisions.ts";

type Outage = ReplayedIncidents["now"][number];
/** An incident of the past. `alerts`: the notifications about it that were delivered. */
export type Alerted = Outage & { alerts: number };
/** A target that could be a dependency, with its outages in order. `dependsOn`: target keys, such as `agent:3`. */
export type Parent = { key: string; name: string; dependsOn: readonly string[]; outages: readonly Outage[] };

/** An outage of this length must not go unreported for as long. */
const reportableMs = 5 * 60_000;

const closedMs = ({ closedAtMs }: Outage) => closedAtMs ?? Infinity;
const overlaps = (one: Outage, other: Outage) => one.openedAtMs <= closedMs(other) && other.openedAtMs <= closedMs(one);

/** Alerts that `outages` would have caused: of merged incidents one set, of those that vanish none. */
export function alertsOf(outages: readonly Outage[], past: readonly Alerted[]): number {
  const total = past.reduce((sum, { alerts }) => sum + alerts, 0);
  const usual = Math.ceil(total / Math.max(1, past.length));
  return outages.reduce((sum, outage) => {
    const own = past.filter((one) => overlaps(one, outage)).map(({ alerts }) => alerts);
    return sum + (own.length === 0 ? usual : Math.max(...own));
  }, 0);
}

/** Returns what a change would have done, or `null` if it misses an outage or delays it for too long. */
export function weigh(
  change: NoiseChange,
  now: readonly Outage[],
  after: readonly Outage[],
  past: readonly Alerted[],
): NoiseAlternative | null {
  let [laterMs, unreported] = [0, 0];
  for (const outage of now) {
    const reported = after.find((one) => overlaps(one, outage));
    const missedMs = (reported?.openedAtMs ?? closedMs(outage)) - outage.openedAtMs;
    if (missedMs >= reportableMs) return null;
    if (reported === undefined) unreported++;
    else laterMs = Math.max(laterMs, Math.round(missedMs));
  }
  return { change, alerts: alertsOf(after, past), laterMs, unreported };
}

/**
 * Returns what a dependency on `parent` would have done: alerts of incidents that began while it was down are deferred
 * until it has recovered, and dropped if the incident ended before. `null` if it depends on the target, or was up
 * at the beginning of most incidents.
 */
export function weighDependency(
  target: { key: string; intervalMs: number },
  parent: Parent,
  past: readonly Alerted[],
): NoiseAlternative | null {
  // Targets in a cycle do not defer each other.
  if (parent.dependsOn.includes(target.key)) return null;
  const { outages } = parent;
  let [alerts, laterMs, deferred, next] = [0, 0, 0, 0];
  for (const incident of past) {
    const { openedAtMs } = incident;
    while (next < outages.length && outages[next]!.openedAtMs <= openedAtMs) next++;
    const cause = outages[next - 1];
    const isCaused = cause !== undefined && closedMs(cause) > openedAtMs;
    const releasedMs = isCaused ? releaseAtMs(closedMs(cause), target.intervalMs) : 0;
    if (isCaused) deferred++;
    if (closedMs(incident) <= releasedMs || releasedMs === Infinity) continue;
    alerts += incident.alerts;
    laterMs = Math.max(laterMs, Math.round(releasedMs - openedAtMs));
  }
  if (deferred * 2 <= past.length) return null;
  const [type, id] = parent.key.split(":");
  const change: NoiseChange = {
    field: "dependsOn",
    target: { type: type === "agent" ? "agent" : "monitor", id: Number(id), name: parent.name },
  };
  return { change, alerts, laterMs, unreported: 0 };
}

/**
 * The changes that avoid alerts, the one with fewest first, and one of each field: the one that reports soonest of
 * those that avoid three quarters of what the field can avoid.
 */
export function best(alternatives: readonly (NoiseAlternative | null)[], alertsNow: number): NoiseAlternative[] {
  const useful = alternatives.filter((one) => one !== null).filter(({ alerts }) => alerts < alertsNow);
  const chosen = [...Map.groupBy(useful, ({ change }) => change.field).values()].map((own) => {
    const avoidable = alertsNow - Math.min(...own.map(({ alerts }) => alerts));
    const enough = own.filter(({ alerts }) => (alertsNow - alerts) * 4 >= avoidable * 3);
    return enough.reduce((one, other) => (inOrder(one, other) <= 0 ? one : other));
  });
  return chosen.sort((one, other) => one.alerts - other.alerts);
}

const inOrder = (one: NoiseAlternative, other: NoiseAlternative): number =>
  one.laterMs - other.laterMs || one.alerts - other.alerts;
