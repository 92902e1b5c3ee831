import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import type { Header } from "@sonde/proto/http/monitors/checks/http";
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
