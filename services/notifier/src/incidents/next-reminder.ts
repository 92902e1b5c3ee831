import { type DeferralReason, deferralReasons } from "@sonde/proto/http/incidents/alerts";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { DecisionContext } from "../alerts/deciding.ts";
import { maintenanceUntil, silencedUntil } from "../alerts/facts.ts";
import type { RecordedDecision } from "./words.ts";

/** Returns the maintenance or silence of a target at an instant. */
export function quietAt(watch: DecisionContext["maintenance"], target: TargetRef, atMs: number): Deferral | null {
  const maintenanceMs = maintenanceUntil(watch, target, atMs);
  if (maintenanceMs !== null) return { reason: "maintenance", untilMs: maintenanceMs };
  const silencedMs = silencedUntil(watch, target, atMs);
  return silencedMs === null ? null : { reason: "silenced", untilMs: silencedMs };
}

export type Deferral = { reason: DeferralReason; untilMs: number | null };

/** Returns when the next message about an open incident is due, and what defers it; `null` for none. */
export function nextReminder(
  deferralAt: (target: TargetRef, atMs: number) => Deferral | null,
  { target, kind, closedAt, acknowledgedAt, snoozedUntil }: Incident,
  {
    decisions,
    reminderDueAtMs: dueAtMs,
  }: {
    decisions: readonly Pick<RecordedDecision, "moment" | "outcome" | "reason" | "untilMs">[];
    reminderDueAtMs: number | null;
  },
): Partial<Deferral> | null {
  if (dueAtMs !== null) {
    const snoozedUntilMs = snoozedUntil === undefined ? 0 : Date.parse(snoozedUntil);
    const isSnoozed = snoozedUntilMs > dueAtMs;
    const atMs = isSnoozed ? snoozedUntilMs : dueAtMs;
    const deferral = deferralAt(target, atMs);
    if (deferral !== null && !(kind === "slo" && deferral.reason === "maintenance")) return deferral;
    return { untilMs: atMs, reason: isSnoozed ? "snoozed" : undefined };
  }
  if (closedAt !== undefined || acknowledgedAt !== undefined) return null;
  const deferred = decisions.filter(({ outcome, moment }) => outcome === "held" && !moment.startsWith("step:"));
  const first = deferred.toSorted((one, other) => (one.untilMs ?? Infinity) - (other.untilMs ?? Infinity))[0];
  return first === undefined
    ? null
    : { untilMs: first.untilMs, reason: deferralReasons.find((one) => one === first.reason) };
}
