import { create } from "@bufbuild/protobuf";
import { clipError } from "@sonde/kit/clip";
import { type CheckResult, CheckResultSchema } from "@sonde/proto/gen/checks/v1/checks";
import type { ProbeOutcome } from "../probe/probe.ts";

export type CheckVerdict = Exclude<ProbeOutcome, { status: "none" }>;

export interface ResultFacts {
  monitorId: number;
  version: number;
  location: string;
  runner: string;
  slotMs: number;
  startedAtMs: number;
  attempt: number;
  failures: number;
  manual: boolean;
  /** For a second opinion: the slot whose failure at another location it confirms or denies. */
  confirms?: number | undefined;
}

export function toResult(facts: ResultFacts, outcome: CheckVerdict, evidence?: string): CheckResult {
  const { status, statusCode, error, certificateExpiresAtMs, certificateIssuer } = outcome;
  const { dns, connect, tls, firstByte, total } = outcome.timings;
  return create(CheckResultSchema, {
    ...facts,
    status,
    responseTimeMs: total,
    timings: { dnsMs: dns, connectMs: connect, tlsMs: tls, firstByteMs: firstByte, totalMs: total },
    latenessMs: Math.max(0, facts.startedAtMs - facts.slotMs),
    statusCode,
    error: error && { kind: error.kind, message: clipError(error.message) },
    certificateExpiresAtMs,
    certificateIssuer,
    evidence,
  });
}
