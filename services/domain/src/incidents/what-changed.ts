import type { Evidence } from "@sonde/proto/http/incidents/evidence";
import { type FingerprintFact, fingerprintFacts, type WhatChanged } from "@sonde/proto/http/incidents/explanation";
import type { Fingerprint } from "@sonde/proto/http/incidents/fingerprint";
import { timings } from "@sonde/proto/http/monitors/checks";
import { isDeepStrictEqual } from "node:util";

/** After a response, their absence is a fact. Otherwise the check did not get that far, or could not find out. */
const knownByResponse: readonly FingerprintFact[] = ["certificate", "redirects", "server"];
const phases = timings.keyof().options;
const minFactor = 3;
const minMoreMs = 100;

/** Returns the facts that differ between a successful check and a failed one, the most telling first. */
export function differencesOf(good: Fingerprint, bad: Fingerprint): FingerprintFact[] {
  return fingerprintFacts.filter((fact) => {
    if (fact === "timings") return isMuchSlower(good.timings, bad.timings);
    const [before, now] = [valueOf(good, fact), valueOf(bad, fact)];
    return before !== undefined && now !== undefined && !isDeepStrictEqual(before, now);
  });
}

function valueOf(seen: Fingerprint, fact: FingerprintFact): unknown {
  if (fact === "addresses") return seen.addresses?.toSorted();
  return seen[fact] ?? (seen.status !== undefined && knownByResponse.includes(fact) ? null : undefined);
}

function isMuchSlower(before: Fingerprint["timings"], now: Fingerprint["timings"]): boolean {
  return phases.some((phase) => {
    const [beforeMs, nowMs] = [before?.[phase] ?? Infinity, now?.[phase] ?? 0];
    return nowMs > minFactor * beforeMs && nowMs - beforeMs > minMoreMs;
  });
}

/** Compares the first failed check with the last successful one at its location; `undefined` without a fingerprint. */
export function comparisonOf(evidence: Evidence | undefined): WhatChanged | undefined {
  if (evidence?.fingerprint === undefined) return undefined;
  const { location, fingerprint: firstBad, lastGood } = evidence;
  const differences = lastGood === undefined ? [] : differencesOf(lastGood, firstBad);
  return { location, lastGood, firstBad, differences, events: [] };
}
