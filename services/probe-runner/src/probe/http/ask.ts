import { isExpectedStatus } from "@sonde/proto/http/monitors/expected-status";
import type { CheckErrorKind, Timings } from "@sonde/proto/http/monitors/checks";
import { bodyTooLarge } from "../assertions.ts";
import type { Sighting } from "../evidence.ts";
import type { ProbeFailure, ProbeContext } from "../probe.ts";
import type { CertificateEnd } from "../tls/chain.ts";
import { endsSoon } from "../tls/errors.ts";
import type { Cookies } from "./cookies.ts";
import type { TargetResponse } from "./exchange.ts";
import { fetchHttp } from "./fetch.ts";
import type { HttpTarget } from "./target.ts";

export interface RequestResult {
  failure: ProbeFailure | undefined;
  answer: TargetResponse | undefined;
  /** Time until the response was complete. */
  tookMs: number;
  certificateExpiresAtMs: number | undefined;
}

/** Each hop uses a fresh connection and passes the guard. Phases add up over redirects. Never rejects. */
export async function requestFollowingRedirects(
  target: HttpTarget,
  ctx: ProbeContext,
  timings: Required<Timings>,
  seen: Sighting,
  cookies?: Cookies,
): Promise<RequestResult> {
  const startedMs = ctx.clock.elapsedMs();
  let certificateExpiresAtMs: number | undefined;
  let firstOfChain: CertificateEnd | undefined;
  const found = await fetchHttp(target, ctx, timings, {
    seen,
    cookies,
    onCertificate(certificate) {
      seen.certificate = certificate;
      certificateExpiresAtMs ??= Date.parse(certificate.valid_to);
    },
    onChain: target.minDaysLeft === undefined ? undefined : (first) => (firstOfChain ??= first),
  });
  const tookMs = ctx.clock.elapsedMs() - startedMs;
  if (!("statusCode" in found)) return { failure: found, answer: undefined, tookMs, certificateExpiresAtMs };
  const failure =
    unexpectedStatus(target, found) ??
    // Most targets have no assertions; skip the promise for them.
    (target.expectations.length > 0 ? await judge(target, found, tookMs, ctx.judging) : undefined) ??
    endsSoon(certificateExpiresAtMs, target.minDaysLeft, ctx.clock, firstOfChain);
  return { failure, answer: found, tookMs, certificateExpiresAtMs };
}

/** Returns the condition that failed, in API terms: the expected status, or all assertions. */
export function expectedOf({ expectedStatus, assertions }: HttpTarget, kind: CheckErrorKind): string | undefined {
  if (kind === "status") return expectedStatus;
  if (kind !== "assertion") return undefined;
  const words = assertions.map(({ source, property, op, value }) => [source, property, op, value]);
  return words.map((parts) => parts.filter((part) => part !== undefined).join(" ")).join("\n");
}

function unexpectedStatus(
  { ranges, expectedStatus }: HttpTarget,
  { statusCode }: TargetResponse,
): ProbeFailure | undefined {
  if (isExpectedStatus(ranges, statusCode)) return undefined;
  return { kind: "status", message: `Expected status ${expectedStatus}, got ${statusCode}` };
}

async function judge(
  target: HttpTarget,
  { headers, text, isCut }: TargetResponse,
  latencyMs: number,
  judging: ProbeContext["judging"],
): Promise<ProbeFailure | undefined> {
  const found = await judging.judge(target, { headers, text, isCut, latencyMs });
  if (typeof found !== "string") return found;
  return { kind: found === bodyTooLarge ? "protocol" : "assertion", message: found };
}
