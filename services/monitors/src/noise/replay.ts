import { steady } from "@sonde/domain/incidents/flapping";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { recheckAfterMs } from "@sonde/proto/http/monitors/check-now";
import type { Confirm } from "@sonde/proto/http/monitors/monitors";
import type { SpanRow } from "../monitors/timeline-store.ts";
import { withoutOwnLocations } from "../opinions/confirm.ts";
import { decide } from "../state/decide.ts";
import type { TrackedMonitor } from "../state/tracked.ts";
import { flappingAfter } from "../state/transition.ts";

export type ReplayedOutage = { openedAtMs: number; closedAtMs: number | null };
export type ReplaySettings = Pick<TrackedMonitor, "id" | "intervalMs" | "timeoutMs" | "retries" | "recoverAfter"> & {
  locations: readonly string[];
  /** In force for the monitor, if any. */
  confirm: Confirm | null;
};
export type PastResults = {
  /** In the order in which they ended. Slots without a failure nearby may be missing. */
  results: readonly CheckResult[];
  /** In order. */
  spans: readonly Pick<SpanRow, "fromMs" | "intervalMs" | "locations">[];
  /** The incidents that opened at the time, in order. */
  incidents: readonly (ReplayedOutage & { isReset: boolean })[];
};

const resultsPerTurn = 100;

export const endOf = ({ startedAtMs, responseTimeMs }: CheckResult): number => startedAtMs + responseTimeMs;

/**
 * Decides stored results again and yields regularly, so that the caller can let others work. With the settings of the
 * time, the outages are the incidents that opened. Two things are not stored. Retries beyond those that ran are
 * assumed to have failed until the next stored check, so more retries are never credited with too much. Second
 * opinions are assumed to have confirmed a failure if an incident was open.
 */
export function* replay(settings: ReplaySettings, past: PastResults): Generator<undefined, ReplayedOutage[]> {
  const { incidents, spans } = past;
  const outages: ReplayedOutage[] = [];
  let monitor = trackedOf(settings, 0, 0);
  let open: ReplayedOutage | undefined;
  let span = -1;
  const close = (atMs: number) => {
    if (open !== undefined) open.closedAtMs = Math.max(open.openedAtMs, Math.round(atMs));
    open = undefined;
  };
  /** An edit or a pause closes the incident. The replayed one may have been longer than that of the time. */
  const closeByUser = (beforeMs = Infinity) => {
    const { openedAtMs = Infinity } = open ?? {};
    const ended = incidents.find(
      ({ closedAtMs, isReset }) => isReset && closedAtMs! >= openedAtMs && closedAtMs! <= beforeMs,
    );
    const atMs = ended?.closedAtMs ?? beforeMs;
    if (atMs < Infinity) close(atMs);
  };
  const apply = (result: CheckResult, confirm: Confirm | null): boolean => {
    const decision = decide(monitor, result, endOf(result), confirm);
    if (decision.ignored !== undefined) return false;
    const { status: to, sinceMs, calms, changed, partial, locationState } = decision;
    const { checkedAtMs } = locationState;
    for (const [location, state] of changed) monitor.locationStates.set(location, state);
    const flapping = flappingAfter(monitor, to, calms, checkedAtMs);
    const turns = to !== monitor.status;
    if (turns && to === "down" && open === undefined) {
      open = { openedAtMs: Math.round(checkedAtMs), closedAtMs: null };
      outages.push(open);
    } else if (to !== "down" && (turns ? !flapping.isFlapping : calms)) close(turns ? sinceMs : checkedAtMs);
    Object.assign(monitor, { flapping, status: to, ...(turns && { statusSinceMs: sinceMs }) });
    if (partial !== undefined) monitor.hasPartialIncident = partial === "begins";
    return decision.suspects;
  };

  let count = 0;
  for (const result of withRetries(past.results, settings, () => monitor.intervalMs)) {
    if (++count % resultsPerTurn === 0) yield;
    if (result.version < monitor.version) continue;
    if (result.version > monitor.version) {
      closeByUser(result.startedAtMs);
      monitor = trackedOf({ ...settings, ...spans[span] }, result.version, result.startedAtMs);
    }
    while ((spans[span + 1]?.fromMs ?? Infinity) <= result.slotMs) {
      const { intervalMs, locations } = spans[++span]!;
      Object.assign(monitor, { intervalMs, locations });
    }
    const confirm = withoutOwnLocations(settings.confirm, monitor.locations);
    if (!apply(result, confirm) || confirm === null) continue;
    const atMs = Math.round(result.startedAtMs);
    // The last location to fail opens the incident.
    const untilMs = monitor.locations.length > 1 ? atMs + monitor.intervalMs + monitor.timeoutMs : atMs;
    const isReal = incidents.some((one) => one.openedAtMs <= untilMs && (one.closedAtMs ?? Infinity) > atMs);
    const opinion = { ...result, confirms: result.slotMs, status: isReal ? "down" : "up" };
    for (const location of confirm.locations.slice(0, isReal ? confirm.need : 1))
      apply({ ...opinion, location }, confirm);
  }
  if (open !== undefined) closeByUser();
  return outages;
}

/** Adds the retries that a runner would have made in the slot, all failed. */
function* withRetries(
  results: readonly CheckResult[],
  { retries }: Pick<ReplaySettings, "retries">,
  intervalMs: () => number,
): Generator<CheckResult> {
  /** By location, failed attempts since its last success that did not run. */
  const added = new Map<string, number>();
  for (const result of results) {
    const { location, status, manual, slotMs, responseTimeMs } = result;
    if (status === "up") added.delete(location);
    if (status === "up" || manual) {
      yield result;
      continue;
    }
    let extra = added.get(location) ?? 0;
    let { startedAtMs } = result;
    const nextStartMs = () => startedAtMs + responseTimeMs + recheckAfterMs;
    while (result.failures + extra <= retries && nextStartMs() < slotMs + intervalMs()) {
      startedAtMs = nextStartMs();
      extra++;
    }
    added.set(location, extra);
    yield { ...result, startedAtMs, failures: result.failures + extra };
  }
}

const trackedOf = (settings: ReplaySettings, version: number, atMs: number): TrackedMonitor => ({
  ...settings,
  version,
  revision: 0,
  figuresVersion: version,
  slowAfter: null,
  slowChecks: null,
  isSlow: false,
  status: "pending",
  statusSinceMs: atMs,
  activeSinceMs: atMs,
  flapping: steady,
  isStaleReported: false,
  hasStaleIncident: false,
  hasPartialIncident: false,
  stateStream: "",
  stateMark: 0,
  locationStates: new Map(),
});
