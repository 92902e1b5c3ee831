import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import type { Header } from "@sonde/proto/http/monitors/checks/http";
import { isDeepStrictEqual } from "node:util";
import { crc32 } from "node:zlib";

/** What to mask in a target's evidence, and its expected conditions in API terms, one per line. */
export interface EvidenceTarget {
  headers?: readonly Header[];
  assertions?: readonly Assertion[];
  passwords?: readonly string[];
  expected?: string | undefined;
}

/** Facts of a check, from which a fingerprint is made. One is kept for each monitor, so it holds only a few strings. */
export interface Traces {
  /** The host whose addresses these are. */
  host: string | undefined;
  addresses: readonly string[] | undefined;
  proxy: string | undefined;
  resolver: string | undefined;
  serial: string | undefined;
  issuer: string | undefined;
  redirects: readonly string[] | undefined;
  server: string | undefined;
  status: number | undefined;
  digest: BodyDigest | undefined;
  timings: Timings;
  /** Secrets to mask in `server`; absent if it is already masked. */
  secrets: EvidenceTarget | undefined;
}

/** A copy to keep, which shares no object that changes. */
export const copyOf = (traces: Traces): Traces => ({
  ...traces,
  digest: traces.digest && { ...traces.digest },
  timings: { ...traces.timings },
});

/**
 * Updates kept traces with those of a later check. New objects would live until the next check, so garbage collection
 * would have to move each of them.
 */
export function overwrite(kept: Traces, { digest: body, timings, ...facts }: Traces): void {
  for (const name of Object.keys(facts) as (keyof typeof facts)[])
    if (!isDeepStrictEqual(kept[name], facts[name])) Object.assign(kept, { [name]: facts[name] });
  const { dns, connect, tls, firstByte, total } = timings;
  Object.assign(kept.timings, { dns, connect, tls, firstByte, total });
  kept.digest = body && Object.assign(kept.digest ?? emptyDigest(), body);
}

/** Size and hash of a decoded body. */
export interface BodyDigest {
  bytes: number;
  hash: number;
  isWhole: boolean;
}

export const emptyDigest = (): BodyDigest => ({ bytes: 0, hash: 0, isWhole: false });

export function digest(into: BodyDigest, chunk: Buffer): void {
  into.bytes += chunk.length;
  into.hash = crc32(chunk, into.hash);
}
