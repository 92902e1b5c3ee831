import type { Timings } from "@sonde/proto/http/monitors/checks";
import { isExpectedStatus } from "@sonde/proto/http/monitors/expected-status";
import type { ExchangeOptions, TargetResponse, WantedBody } from "../http/exchange.ts";
import { exchangeByEither } from "../http/http2.ts";
import { compileHttp, follow, type HopRequest, type HttpTarget, isRedirect } from "../http/target.ts";
import { routeTo } from "../link.ts";
import { type Fault, outcomeOf, type Probe, type ProbeContext, type ProbeOutcome } from "../probe.ts";
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
  let certificateExpiresAtMs: number | undefined;

  const found = await fetchThrough(target, ctx, timings, {
    onCertificate: (certificate) => void (certificateExpiresAtMs ??= Date.parse(certificate.valid_to)),
  });
  timings.total = ctx.clock.elapsedMs() - startedMs;

  const common = { timings, ...(certificateExpiresAtMs !== undefined && { certificateExpiresAtMs }) };
  if (!("statusCode" in found)) return outcomeOf(found, common);
  const fault =
    unexpectedStatus(target, found) ??
    // Most targets have no assertions, and no promises to wait for.
    (target.expectations.length > 0 ? await judge(target, found, timings.total, ctx.judging) : undefined) ??
    endsSoon(certificateExpiresAtMs, target.minDaysLeft, ctx.clock);
  return outcomeOf(fault, { statusCode: found.statusCode, ...common });
}

async function fetchThrough(
  target: HttpTarget,
  ctx: ProbeContext,
  timings: Required<Timings>,
  signs: Pick<ExchangeOptions, "onCertificate">,
): Promise<TargetResponse | Fault> {
  const wanted = (statusCode: number, headers: TargetResponse["headers"]): WantedBody => {
    if (target.followRedirects && isRedirect(statusCode, headers.location)) return "nothing";
    // The status already means down: no assertion will read the body.
    return target.needsBody && isExpectedStatus(target.ranges, statusCode) ? "text" : "end";
  };
  const options = { verifyTls: target.verifyTls, wanted, ...signs };
  let request: HopRequest = target;
  for (let redirects = 0; ; redirects++) {
    const route = await routeTo(request.destination.host, ctx, timings);
    if (!("addresses" in route)) return route;
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
