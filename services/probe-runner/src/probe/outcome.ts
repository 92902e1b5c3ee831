import type { CheckErrorKind, Timings } from "@sonde/proto/http/monitors/checks";
import { evidenceOf, forget, type Sighting } from "./evidence.ts";
import { tracesOf } from "./fingerprint.ts";
import type { ProbeFailure, ProbeOutcome } from "./probe.ts";
import type { EvidenceTarget } from "./traces.ts";

/** Runner problems and blocked addresses stay unchanged: they say nothing about the target. */
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
    error: { kind: "assertion", message: "The check succeeded but was expected to fail" },
  };
}

/** Builds the outcome of a check; up without a failure. `about` returns what the evidence needs to know of the target. */
export function outcomeOf(
  failure: ProbeFailure | undefined,
  facts: Omit<Extract<ProbeOutcome, { timings: Timings }>, "status" | "error" | "silence" | "evidence" | "traces">,
  seen: Sighting,
  about: (kind: CheckErrorKind) => EvidenceTarget,
): ProbeOutcome {
  if (failure !== undefined && "trouble" in failure) {
    forget(seen);
    return { status: "none", trouble: failure.trouble };
  }
  const traces = tracesOf(seen, facts.timings, () => about(failure?.kind ?? "assertion"));
  if (failure === undefined) {
    forget(seen);
    return { status: "up", ...facts, traces };
  }
  const { kind, message, silence } = failure;
  const evidence = evidenceOf(seen, about(kind), kind === "tls" ? message : undefined);
  return {
    status: "down",
    ...facts,
    traces,
    error: { kind, message },
    evidence,
    ...(silence !== undefined && { silence }),
  };
}
