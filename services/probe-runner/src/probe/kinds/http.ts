import type { CheckErrorKind } from "@sonde/proto/http/monitors/checks";
import { isExpectedStatus } from "@sonde/proto/http/monitors/expected-status";
import type { Sighting } from "../evidence.ts";
import type { TargetResponse } from "../http/exchange.ts";
import { fetchHttp, noTimings } from "../http/fetch.ts";
import { compileHttp, type HttpTarget } from "../http/target.ts";
import { keptToken, requestToken } from "../http/token.ts";
import { outcomeOf } from "../outcome.ts";
import { type Fault, type Probe, type ProbeContext, type ProbeOutcome } from "../probe.ts";
import { endsSoon } from "../tls/faults.ts";

export const probe: Probe<"http", HttpTarget> = { compile: compileHttp, run: probeHttp };

/** Checks an HTTP target once, with a token where it needs one. Never throws; any failure is the outcome. */
function probeHttp(target: HttpTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  return target.connection?.tokenRequest === undefined ? probeOnce(target, ctx) : probeWithToken(target, ctx);
}

/** A token that was kept may have been taken back: after 401 another one is requested, once. */
async function probeWithToken(target: HttpTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const kept = keptToken(target, ctx.clock);
  if (kept !== undefined) {
    const outcome = await probeOnce(kept, ctx);
    if (outcome.status !== "down" || outcome.statusCode !== 401) return outcome;
  }
  const timings = noTimings();
  const found = await requestToken(target, ctx, timings);
  if ("destination" in found) return probeOnce(found, ctx);
  return outcomeOf(found, { timings }, {}, () => target);
}

/**
 * Checks an HTTP target: a fresh connection for each hop, every hop through the guard. Phases add up over redirects.
 */
async function probeOnce(target: HttpTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const startedMs = ctx.clock.elapsedMs();
  const timings = noTimings();
  const seen: Sighting = {};
  let certificateExpiresAtMs: number | undefined;

  const found = await fetchHttp(target, ctx, timings, {
    seen,
    onCertificate(certificate) {
      seen.certificate = certificate;
      certificateExpiresAtMs ??= Date.parse(certificate.valid_to);
    },
  });
  timings.total = ctx.clock.elapsedMs() - startedMs;

  const common = { timings, ...(certificateExpiresAtMs !== undefined && { certificateExpiresAtMs }) };
  const about = (kind: CheckErrorKind) => ({ ...target, expected: expectedOf(target, kind) });
  if (!("statusCode" in found)) return outcomeOf(found, common, seen, about);
  const fault =
    unexpectedStatus(target, found) ??
    // Most targets have no assertions, and no promises to wait for.
    (target.expectations.length > 0 ? await judge(target, found, timings.total, ctx.judging) : undefined) ??
    endsSoon(certificateExpiresAtMs, target.minDaysLeft, ctx.clock);
  return outcomeOf(fault, { statusCode: found.statusCode, ...common }, seen, about);
}

/** The condition that does not hold: the status, or one of the assertions. */
function expectedOf({ expectedStatus, assertions }: HttpTarget, kind: CheckErrorKind): string | undefined {
  if (kind === "status") return expectedStatus;
  if (kind !== "assertion") return undefined;
  const words = assertions.map(({ source, property, op, value }) => [source, property, op, value]);
  return words.map((parts) => parts.filter((part) => part !== undefined).join(" ")).join("\n");
}

function unexpectedStatus({ ranges, expectedStatus }: HttpTarget, { statusCode }: TargetResponse): Fault | undefined {
  if (isExpectedStatus(ranges, statusCode)) return undefined;
  return { kind: "status", message: `Expected status ${expectedStatus}, got ${statusCode}` };
}

async function judge(
  target: HttpTarget,
  { headers, text }: TargetResponse,
  latencyMs: number,
  judging: ProbeContext["judging"],
): Promise<Fault | undefined> {
  const found = await judging.judge(target, { headers, text, latencyMs });
  return typeof found === "string" ? { kind: "assertion", message: found } : found;
}
