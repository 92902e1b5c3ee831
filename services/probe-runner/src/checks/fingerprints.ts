import type { NameOrigin, Resolver } from "@sonde/kit/egress/resolver";
import type { Fingerprint } from "@sonde/proto/http/incidents/fingerprint";
import { fingerprintOf, isChanged } from "../probe/fingerprint.ts";
import { copyOf, overwrite, type Traces } from "../probe/traces.ts";
import type { CheckVerdict } from "./result.ts";

/** Round-robin DNS changes addresses all the time. */
const minChangeMs = 10 * 60_000;
/** Notices other aliases with the same addresses, and reaches services that missed the last one. */
const refreshMs = 6 * 3_600_000;

/** State that a runner keeps for each monitor, to explain its next failure. */
export interface KeptFacts {
  lastGood?: { traces: Traces; atMs: number };
  /** The newest good check whose fingerprint was sent; without `traces` if a failure's may have been sent since. */
  sent?: { traces?: Traces | undefined; atMs: number };
  origin?: NameOrigin | undefined;
}

/** Decides whether a successful check sends its fingerprint: the first one does, and the first with other facts. */
export function isGoodSent(
  { sent }: KeptFacts,
  traces: Traces,
  resolver: string,
  origin: NameOrigin | undefined,
  nowMs: number,
): boolean {
  if (sent === undefined) return true;
  const sinceMs = Math.abs(nowMs - sent.atMs);
  if (sinceMs < minChangeMs) return false;
  return (
    sinceMs >= refreshMs ||
    sent.traces === undefined ||
    isChanged(sent.traces, traces) ||
    (origin !== undefined && origin.servers !== resolver)
  );
}

export type Fingerprints = { fingerprint: Fingerprint; lastGood?: Fingerprint | undefined };

/** For a check by hand, without a schedule. */
export const fingerprintsOf = ({ traces }: CheckVerdict, atMs: number): Fingerprints | undefined =>
  traces && { fingerprint: fingerprintOf(traces, atMs) };

export function createFingerprints(resolver: Pick<Resolver, "servers" | "originOf">) {
  return {
    /** Keeps a successful check. @returns true if `take` should follow */
    good(kept: KeptFacts, { traces }: CheckVerdict, atMs: number): boolean {
      if (traces === undefined) return false;
      if (kept.lastGood === undefined || isChanged(kept.lastGood.traces, traces))
        kept.lastGood = { traces: copyOf(traces), atMs };
      else {
        overwrite(kept.lastGood.traces, traces);
        kept.lastGood.atMs = atMs;
      }
      // Keeps one object per monitor instead of two.
      if (kept.sent?.traces !== undefined && !isChanged(kept.sent.traces, traces))
        kept.sent.traces = kept.lastGood.traces;
      return isGoodSent(kept, traces, resolver.servers(), kept.origin, atMs);
    },
    /** Makes the fingerprint of a check that is sent now, next to that of the last successful one. Never rejects. */
    async take(kept: KeptFacts, { traces, status }: CheckVerdict, atMs: number): Promise<Fingerprints | undefined> {
      if (traces === undefined) return undefined;
      const { lastGood, origin: before } = kept;
      const origin = traces.host === undefined ? undefined : await resolver.originOf(traces.host);
      if (status === "up") {
        kept.sent = { traces, atMs };
        kept.origin = origin;
      } else if (kept.sent !== undefined) kept.sent.traces = undefined;
      try {
        return {
          fingerprint: fingerprintOf(traces, atMs, origin),
          lastGood: lastGood && fingerprintOf(lastGood.traces, lastGood.atMs, before),
        };
      } catch {
        // Unusual content from a target must not prevent its result from being published.
        return undefined;
      }
    },
  };
}
