import type { NameOrigin, Resolver } from "@sonde/kit/egress/resolver";
import type { Fingerprint } from "@sonde/proto/http/incidents/fingerprint";
import { fingerprintOf } from "../probe/fingerprint.ts";
import { copyOf, overwrite, type Traces } from "../probe/traces.ts";
import type { CheckVerdict } from "./result.ts";

/** Facts of targets that are up may change, and a service may have missed the last fingerprint. */
const refreshMs = 3_600_000;

/** State that a runner keeps for each monitor, to explain its next failure. */
export interface KeptFacts {
  lastGood?: { traces: Traces; atMs: number };
  /** When a good check last sent its fingerprint; absent if a failure did so since. */
  sentMs?: number | undefined;
  origin?: NameOrigin | undefined;
}

export type Fingerprints = { fingerprint: Fingerprint; lastGood?: Fingerprint | undefined };

/** For a check by hand, without a schedule. */
export const fingerprintsOf = ({ traces }: CheckVerdict, atMs: number): Fingerprints | undefined =>
  traces && { fingerprint: fingerprintOf(traces, atMs) };

export function createFingerprints(resolver: Pick<Resolver, "originOf">) {
  return {
    /** Keeps a successful check. @returns true if `take` should follow: at first, after a failure, and each hour */
    good(kept: KeptFacts, { traces }: CheckVerdict, atMs: number): boolean {
      if (traces === undefined) return false;
      kept.lastGood ??= { traces: copyOf(traces), atMs };
      overwrite(kept.lastGood.traces, traces);
      kept.lastGood.atMs = atMs;
      return kept.sentMs === undefined || Math.abs(atMs - kept.sentMs) >= refreshMs;
    },
    /** Makes the fingerprint of a check that is sent now, next to that of the last successful one. Never rejects. */
    async take(kept: KeptFacts, { traces, status }: CheckVerdict, atMs: number): Promise<Fingerprints | undefined> {
      if (traces === undefined) return undefined;
      const { lastGood, origin: before } = kept;
      const origin = traces.host === undefined ? undefined : await resolver.originOf(traces.host);
      kept.sentMs = status === "up" ? atMs : undefined;
      if (status === "up") kept.origin = origin;
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
