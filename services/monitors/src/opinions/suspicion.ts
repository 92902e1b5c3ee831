import { clipError } from "@sonde/kit/clip";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import type { Confirm } from "@sonde/proto/http/monitors/monitors";
import type { LocationState, LocationOpinion, Suspicion, TrackedMonitor } from "../state/tracked.ts";

/** Time for a verdict in addition to the timeout of its check. */
const beyondMs = 2_000;

/** True while opinions may still arrive. Setting the clock back also ends the wait. */
export const isAwaited = ({ atMs }: Pick<Suspicion, "atMs">, timeoutMs: number, nowMs: number): boolean =>
  Math.abs(nowMs - atMs) < timeoutMs + beyondMs;

/**
 * Returns the suspicion that a repeated failure at a location starts or continues. `null` if the failure counts at
 * once, because no location confirms it or the monitor is already down.
 */
export function suspicionAfter(
  before: LocationState | undefined,
  slotMs: number,
  { confirm, status, timeoutMs }: Pick<TrackedMonitor, "status" | "timeoutMs"> & { confirm: Confirm | null },
  storedAtMs: number,
): Suspicion | null {
  if (confirm === null || status === "down" || before?.failing === true) return null;
  const known = before?.suspicion;
  if (known === undefined || known.verdict !== undefined) return { slotMs, atMs: storedAtMs, opinions: [] };
  return isAwaited(known, timeoutMs, storedAtMs) ? known : { ...known, verdict: "none" };
}

/** Returns the new states of the locations whose failure an opinion is about. A repeated opinion changes none. */
export function statesAfterOpinion(
  { locationStates, version }: TrackedMonitor,
  { location, status, startedAtMs: atMs, error, confirms }: CheckResult,
  need: number,
): Map<string, LocationState> {
  const opinion: LocationOpinion = {
    location,
    status: status === "down" ? "down" : "up",
    ...(error === undefined ? {} : { error: clipError(error.message) }),
    atMs,
  };
  const concerned = [...locationStates].flatMap(([name, state]) => {
    const { suspicion } = state;
    if (state.version !== version || suspicion === undefined || suspicion.slotMs !== confirms) return [];
    if (suspicion.opinions.some((known) => known.location === location)) return [];
    return [[name, stateAfter(state, suspicion, opinion, need)] as const];
  });
  return new Map(concerned);
}

function stateAfter(state: LocationState, before: Suspicion, opinion: LocationOpinion, need: number): LocationState {
  const suspicion: Suspicion = { ...before, opinions: [...before.opinions, opinion] };
  if (suspicion.verdict !== undefined) return { ...state, suspicion };
  if (opinion.status === "up") {
    return { ...state, failing: false, partial: true, suspicion: { ...suspicion, verdict: "up" } };
  }
  if (suspicion.opinions.length < need) return { ...state, suspicion };
  return { ...state, failing: true, partial: false, suspicion: { ...suspicion, verdict: "down" } };
}

/** The locations from which a monitor is down, while it is up overall. */
export const partialOf = (
  status: string,
  locationStates: Iterable<readonly [string, Pick<LocationState, "partial">]>,
): string[] => (status === "down" ? [] : [...locationStates].flatMap(([name, { partial }]) => (partial ? name : [])));
