import type { CheckErrorKind, Timings } from "@sonde/proto/http/monitors/checks";
import { isExpectedStatus } from "@sonde/proto/http/monitors/expected-status";
import type { Sighting } from "../evidence.ts";
import type { WantedBody } from "../http/body.ts";
import type { ExchangeOptions, TargetResponse } from "../http/exchange.ts";
import { exchangeByEither } from "../http/http2.ts";
import { compileHttp, follow, type HopRequest, type HttpTarget, isRedirect } from "../http/target.ts";
import { routeTo } from "../link.ts";
import { outcomeOf } from "../outcome.ts";
import { type Fault, type Probe, type ProbeContext, type ProbeOutcome } from "../probe.ts";
import { utf8Of } from "../texts.ts";
import { endsSoon } from "../tls/faults.ts";

export const maxRedirects = 10;

export const probe: Probe<"http", HttpTarget> = { compile: compileHttp, run: probeHttp };

/**
 * Checks an HTTP target once: a fresh connection for each hop, every hop through the guard. Never throws; any failure
 * is the outcome. Phases add up over redirects.
 */
async function probeHttp(target: HttpTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const startedMs = ctx.clock.elapsedMs();
  const timings: Required<Timings> = { dns: 0, connect: 0, tls: 0, firstByte: 0, total: 0 };
  const seen: Sighting = {};
  let certificateExpiresAtMs: number | undefined;

  const found = await fetchThrough(target, ctx, timings, {
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

async function fetchThrough(
  target: HttpTarget,
  ctx: ProbeContext,
  timings: Required<Timings>,
  signs: Pick<ExchangeOptions, "seen" | "onCertificate">,
): Promise<TargetResponse | Fault> {
  const wanted = (statusCode: number, headers: TargetResponse["headers"]): WantedBody => {
    if (target.followRedirects && isRedirect(statusCode, headers.location)) return "nothing";
    // The status already means down: no assertion will read the body.
    if (!isExpectedStatus(target.ranges, statusCode)) return "beginning";
    if (target.needsBody) return "text";
    return target.expectations.length > 0 ? "beginning" : "end";
  };
  const options = { verifyTls: target.verifyTls, wanted, ...signs };
  let request: HopRequest = target;
  for (let redirects = 0; ; redirects++) {
    const route = await routeTo(request.destination.host, ctx, timings);
    if (!("addresses" in route)) return route;
    signs.seen.addresses = route.addresses;
    const answer = await exchangeByEither(request, route.addresses, ctx, timings, options);
    if (!("statusCode" in answer)) return answer;
    const { location } = answer.headers;
    if (!target.followRedirects || !isRedirect(answer.statusCode, location)) return answer;
    if (redirects === maxRedirects) return { kind: "protocol", message: `More than ${maxRedirects} redirects` };
    const next = follow(request, answer.statusCode, utf8Of(location));
    if (!("destination" in next)) return next;
    request = next;
  }
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
