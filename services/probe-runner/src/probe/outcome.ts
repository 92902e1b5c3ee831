import type { CheckErrorKind, Timings } from "@sonde/proto/http/monitors/checks";
import { type EvidenceTarget, evidenceOf, forget, type Sighting } from "./evidence.ts";
import type { Fault, ProbeOutcome } from "./probe.ts";

/**
 * What is found of a target whose check must fail. Our own trouble says nothing of it either way, and neither does an
 * address that may not be dialled.
 */
export function inverted(outcome: ProbeOutcome): ProbeOutcome {
  if (outcome.status === "none" || outcome.error?.kind === "blocked") return outcome;
  const facts = { ...outcome };
  delete facts.error;
  delete facts.silence;
  delete facts.evidence;
  if (facts.status === "down") return { ...facts, status: "up" };
  return {
    ...facts,
    status: "down",
    error: { kind: "assertion", message: "The check succeeded, though it must fail" },
  };
}

/** The end of a check that found this. Nothing wrong is up. `about` answers what of its target evidence needs. */
export function outcomeOf(
  fault: Fault | undefined,
  facts: Omit<Extract<ProbeOutcome, { timings: Timings }>, "status" | "error" | "silence" | "evidence">,
  seen: Sighting,
  about: (kind: CheckErrorKind) => EvidenceTarget,
): ProbeOutcome {
  if (fault === undefined || "trouble" in fault) {
    forget(seen);
    return fault === undefined ? { status: "up", ...facts } : { status: "none", trouble: fault.trouble };
  }
  const { kind, message, silence } = fault;
  const evidence = evidenceOf(seen, about(kind), kind === "tls" ? message : undefined);
  return { status: "down", ...facts, error: { kind, message }, evidence, ...(silence !== undefined && { silence }) };
}
