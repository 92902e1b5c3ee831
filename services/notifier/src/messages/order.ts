import type { AlertKind } from "@sonde/proto/http/incidents/alerts";
import type { AlertFacts } from "../alerts/alert.ts";
import type { Tone } from "./message.ts";

/** Worst first; also the order of counts in titles. */
const worstFirst: readonly AlertKind[] = [
  "offline",
  "down",
  "threshold",
  "flapping",
  "stale",
  "steady",
  "test",
  "online",
  "recovery",
  "cleared",
  "fresh",
];

const good: ReadonlySet<AlertKind> = new Set(["recovery", "online", "cleared", "fresh"]);

/** Whether an alert reports a fault, its end, or neither. */
export function toneOf({ kind, resolution }: AlertFacts): Tone {
  if (kind === "test") return "info";
  return good.has(kind) || resolution !== undefined ? "good" : "bad";
}

/** Alerts in the order in which a person should read them: the worst, those that most others depend on, the oldest. */
export function inOrder(alerts: readonly AlertFacts[]): AlertFacts[] {
  return [...alerts].sort(
    (one, other) =>
      worstFirst.indexOf(one.kind) - worstFirst.indexOf(other.kind) ||
      other.dependents.count - one.dependents.count ||
      one.openedAtMs - other.openedAtMs,
  );
}

/** How many there are of each value, the commonest first; equal ones stay in their order. */
export function countBy<Value>(values: readonly Value[]): { value: Value; count: number }[] {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count })).sort((one, other) => other.count - one.count);
}

/** How many there are of each kind, the worst kind first. */
export function countKinds(alerts: readonly AlertFacts[]): { kind: AlertKind; count: number }[] {
  return worstFirst
    .map((kind) => ({ kind, count: alerts.filter((alert) => alert.kind === kind).length }))
    .filter(({ count }) => count > 0);
}
