import type { MaintenanceSpan } from "@sonde/domain/maintenance/spans";
import type { Need } from "@sonde/proto/http/monitors/groups";
import type { MonitorStatus } from "@sonde/proto/http/monitors/monitors";

type MemberStatus = MonitorStatus | "deleted";
export type MemberFacts = {
  id: number;
  /** At the start. */
  status: MemberStatus;
  /** In order of time; the last one of an instant counts. */
  changes: readonly { atMs: number; status: MemberStatus }[];
  /** Sorted and merged. */
  maintenance: readonly MaintenanceSpan[];
};

/** `pending`: no member counts. `paused`: the group is. */
export type SpanState = "pending" | "up" | "partial" | "down" | "paused";
/** Lasts until the next one starts. */
export type GroupSpan = { fromMs: number; state: SpanState };
/** `down`: ids of the members that are down, ascending. */
export type DecidedSpan = GroupSpan & { up: number; down: readonly number[] };

/** Paused, pending and deleted members do not count, so at most all of the others can be needed. */
export const neededOf = (need: Need, counted: number): number =>
  need === "all" ? counted : Math.min(counted, need === "any" ? 1 : need);

export function stateOf(need: Need, up: number, down: number): GroupSpan["state"] {
  if (up + down === 0) return "pending";
  if (up < neededOf(need, up + down)) return "down";
  return down > 0 ? "partial" : "up";
}

/**
 * Returns the states of a group in [fromMs, untilMs], which follow only from those of its members. Pure: every replica
 * returns the same from the same facts, in whatever order they arrived.
 */
export function spansOf(need: Need, members: readonly MemberFacts[], fromMs: number, untilMs: number): DecidedSpan[] {
  const states = new Map(members.map(({ id, status }) => [id, { status, inMaintenance: false }]));
  const edges = members
    .flatMap(({ id, changes, maintenance }) => [
      ...changes.map(({ atMs, status }) => ({ atMs, id, change: { status } })),
      ...maintenance.flatMap((span) => [
        { atMs: span.fromMs, id, change: { inMaintenance: true } },
        { atMs: span.toMs, id, change: { inMaintenance: false } },
      ]),
    ])
    .filter(({ atMs }) => atMs <= untilMs)
    .sort((one, other) => one.atMs - other.atMs);
  const up = new Set<number>();
  const down = new Set<number>();
  const count = (id: number) => {
    const { status, inMaintenance } = states.get(id)!;
    for (const [set, wanted] of [[up, "up"] as const, [down, "down"] as const]) {
      if (status === wanted && !inMaintenance) set.add(id);
      else set.delete(id);
    }
  };
  for (const id of states.keys()) count(id);
  const spans: DecidedSpan[] = [];
  let next = 0;
  for (let atMs = fromMs; ; atMs = edges[next]!.atMs) {
    for (; next < edges.length && edges[next]!.atMs <= atMs; next += 1) {
      const { id, change } = edges[next]!;
      Object.assign(states.get(id)!, change);
      count(id);
    }
    const state = stateOf(need, up.size, down.size);
    if (state !== spans.at(-1)?.state)
      spans.push({ fromMs: atMs, state, up: up.size, down: [...down].sort((one, other) => one - other) });
    if (next >= edges.length) return spans;
  }
}

/** The time in [fromMs, toMs) in which the group was up, and in which it had a state. Neither includes `excluded`. */
export function uptimeOf(
  spans: readonly GroupSpan[],
  excluded: readonly MaintenanceSpan[],
  fromMs: number,
  toMs: number,
): { upMs: number; seenMs: number } {
  let [upMs, seenMs] = [0, 0];
  for (const [at, { fromMs: startMs, state }] of spans.entries()) {
    const [start, end] = [Math.max(fromMs, startMs), Math.min(toMs, spans[at + 1]?.fromMs ?? toMs)];
    if (end <= start || state === "pending" || state === "paused") continue;
    const inMaintenance = excluded.reduce(
      (sum, span) => sum + Math.max(0, Math.min(end, span.toMs) - Math.max(start, span.fromMs)),
      0,
    );
    const ms = end - start - inMaintenance;
    seenMs += ms;
    if (state !== "down") upMs += ms;
  }
  return { upMs, seenMs };
}
