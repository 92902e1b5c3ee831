import { findRoute, type Route } from "@sonde/kit/egress/route";
import type { Timings } from "@sonde/proto/http/checks";
import { isExpectedStatus } from "@sonde/proto/http/expected-status";
import { type Answer, exchange, type ExchangeOptions, type Wanted } from "./exchange.ts";
import { cancelled, type Fault, noTimings, type Outcome, type ProbeContext } from "./outcome.ts";
import { follow, type HopRequest, isRedirect } from "./redirect.ts";
import type { HttpTarget } from "./target.ts";

export const maxRedirects = 10;

/**
 * Checks an HTTP target once: a fresh connection for each hop, every hop through the guard. Never throws; whatever
 * goes wrong is the outcome. Phases add up over redirects.
 */
export async function probeHttp(target: HttpTarget, ctx: ProbeContext): Promise<Outcome> {
  const startedMs = ctx.clock.elapsedMs();
  const timings = noTimings();
  let certificateExpiresAtMs: number | undefined;

  const found = await fetchThrough(target, ctx, timings, {
    onCertificate: (expiresAtMs) => void (certificateExpiresAtMs ??= expiresAtMs),
  });
  timings.total = ctx.clock.elapsedMs() - startedMs;
  if ("trouble" in found) return { status: "none", trouble: found.trouble };

  const common = { timings, ...(certificateExpiresAtMs !== undefined && { certificateExpiresAtMs }) };
  if ("kind" in found) {
    const { kind, message, silence } = found;
    return { status: "down", ...common, error: { kind, message }, ...(silence !== undefined && { silence }) };
  }
  const error = await judge(target, found, timings.total, ctx.judging);
  if (error !== undefined && "trouble" in error) return { status: "none", trouble: error.trouble };
  const { statusCode } = found;
  return error === undefined
    ? { status: "up", statusCode, ...common }
    : { status: "down", statusCode, ...common, error };
}

async function fetchThrough(
  target: HttpTarget,
  ctx: ProbeContext,
  timings: Timings,
  signs: Pick<ExchangeOptions, "onCertificate">,
): Promise<Answer | Fault> {
  const wanted = (statusCode: number, headers: Answer["headers"]): Wanted => {
    if (target.followRedirects && isRedirect(statusCode, headers.location)) return "nothing";
    // The status already says down: no assertion will look at the body.
    return target.needsBody && isExpectedStatus(target.ranges, statusCode) ? "text" : "end";
  };
  const options = { verifyTls: target.verifyTls, wanted, ...signs };
  let request: HopRequest = target;
  for (let redirects = 0; ; redirects++) {
    const route = await routeOf(request, ctx, timings);
    if (!("addresses" in route)) return route;
    const answer = await exchange(request, route.addresses, ctx, timings, options);
    if (!("statusCode" in answer)) return answer;
    const { location } = answer.headers;
    if (!target.followRedirects || !isRedirect(answer.statusCode, location)) return answer;
    if (redirects === maxRedirects) return { kind: "protocol", message: `More than ${maxRedirects} redirects` };
    const next = follow(request, answer.statusCode, location);
    if (!("destination" in next)) return next;
    request = next;
  }
}

async function routeOf({ destination }: HopRequest, ctx: ProbeContext, timings: Timings) {
  const startedMs = ctx.clock.elapsedMs();
  const pending = findRoute(destination.host, ctx);
  const route = pending instanceof Promise ? await unlessAborted(pending, ctx.signal) : pending;
  timings.dns += ctx.clock.elapsedMs() - startedMs;
  if (route === "aborted") {
    if (ctx.signal.reason === cancelled) return { trouble: "cancelled" };
    if (!ctx.resolver.answeredSince(startedMs)) return { trouble: "the resolver is out of reach" };
    const silence = { of: "name", name: destination.host } as const;
    return { kind: "timeout", message: "Timed out while resolving the name", silence } as const;
  }
  return "failure" in route ? faultOfRoute(route, destination.host) : route;
}

function faultOfRoute({ failure, message }: Extract<Route, { failure: string }>, name: string): Fault {
  if (failure === "unreachable") return { trouble: "the resolver is out of reach" };
  return failure === "blocked" ? { kind: "blocked", message } : { kind: "dns", message, silence: { of: "name", name } };
}

function unlessAborted<T>(pending: Promise<T>, signal: AbortSignal): Promise<T | "aborted"> {
  return new Promise((resolve) => {
    const onAbort = () => resolve("aborted");
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    void pending.then((value) => {
      signal.removeEventListener("abort", onAbort);
      resolve(value);
    });
  });
}

async function judge(
  target: HttpTarget,
  { statusCode, headers, text }: Answer,
  latencyMs: number,
  judging: ProbeContext["judging"],
): Promise<Fault | undefined> {
  if (!isExpectedStatus(target.ranges, statusCode)) {
    return { kind: "status", message: `Expected status ${target.expectedStatus}, got ${statusCode}` };
  }
  const found = await judging.judge(target, { headers, text, latencyMs });
  return typeof found === "string" ? { kind: "assertion", message: found } : found;
}
