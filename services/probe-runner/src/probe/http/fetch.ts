import type { Timings } from "@sonde/proto/http/monitors/checks";
import { isExpectedStatus } from "@sonde/proto/http/monitors/expected-status";
import { hostAndPort } from "@sonde/proto/http/monitors/checks/fields";
import { routeTo } from "../link.ts";
import { type ProbeFailure, type ProbeContext } from "../probe.ts";
import { utf8Of } from "../texts.ts";
import type { BodyUse } from "./body.ts";
import { wantsCertificate } from "../tls/errors.ts";
import { type Cookies, createCookies } from "./cookies.ts";
import { type Connection, identityFor, routeOver } from "./connection.ts";
import type { ExchangeOptions, TargetResponse } from "./exchange.ts";
import { exchangeByEither } from "./http2.ts";
import { follow, type HopRequest, isRedirect, originOf } from "./request.ts";
import type { HttpTarget } from "./target.ts";

const maxRedirects = 10;

export const noTimings = (): Required<Timings> => ({ dns: 0, connect: 0, tls: 0, firstByte: 0, total: 0 });

/** Sends a request and follows redirects; each hop uses a fresh connection and passes the guard. Never rejects. */
export async function fetchHttp(
  target: HttpTarget,
  ctx: ProbeContext,
  timings: Required<Timings>,
  signs: Pick<ExchangeOptions, "seen" | "onCertificate" | "onChain"> & { cookies?: Cookies | undefined },
): Promise<TargetResponse | ProbeFailure> {
  const bodyUse = (statusCode: number, headers: TargetResponse["headers"]): BodyUse => {
    if (target.followRedirects && isRedirect(statusCode, headers.location)) return "nothing";
    // The status already means down, so no assertion will read the body.
    if (!isExpectedStatus(target.ranges, statusCode)) return "beginning";
    if (target.needsBody) return "text";
    return target.expectations.length > 0 ? "beginning" : "end";
  };
  const options: ExchangeOptions = { verifyTls: target.verifyTls, bodyUse, memory: ctx.memory, ...signs };
  const { connection } = target;
  let { cookies } = signs;
  let request: HopRequest = target;
  for (let redirects = 0; ; redirects++) {
    const answer = await (connection === undefined
      ? sendStraight(cookies?.onto(request) ?? request, ctx, timings, options)
      : sendOver(connection, cookies?.onto(request) ?? request, ctx, timings, options));
    if (!("statusCode" in answer)) return answer;
    const { location, "set-cookie": lines } = answer.headers;
    if (lines !== undefined) {
      // Most servers set no cookies, so create the jar on demand.
      cookies ??= signs.seen.cookies = createCookies(() => ctx.clock.now());
      await cookies.take(request.destination, lines);
    }
    if (!target.followRedirects || !isRedirect(answer.statusCode, location)) return answer;
    if (redirects === maxRedirects) return { kind: "protocol", message: `More than ${maxRedirects} redirects` };
    const next = follow(request, answer.statusCode, utf8Of(location));
    if (!("destination" in next)) return next;
    (signs.seen.redirects ??= []).push(next.destination);
    request = next;
  }
}

type Send = [request: HopRequest, ctx: ProbeContext, timings: Required<Timings>, options: ExchangeOptions];

async function sendStraight(...[request, ctx, timings, options]: Send): Promise<TargetResponse | ProbeFailure> {
  const route = await routeTo(request.destination.host, ctx, timings);
  if (!("addresses" in route)) return route;
  options.seen.host = request.destination.host;
  options.seen.addresses = route.addresses;
  return exchangeByEither(request, route.addresses, ctx, timings, options);
}

async function sendOver(
  connection: Connection,
  ...[request, ctx, timings, options]: Send
): Promise<TargetResponse | ProbeFailure> {
  const { destination } = request;
  const route = await routeOver(connection, destination.host, ctx, timings);
  if (!("addresses" in route)) return route;
  const identity = identityFor(connection, destination);
  if (identity !== undefined && !("context" in identity)) return identity;
  const { proxy } = route.proxy ?? {};
  options.seen.host = (proxy ?? destination).host;
  options.seen.proxy = proxy && hostAndPort(proxy.host, proxy.port);
  options.seen.addresses = route.addresses;
  const answer = await exchangeByEither(request, route.addresses, ctx, timings, {
    ...options,
    identity,
    proxy: route.proxy,
    ...(originOf(destination) === connection.origin && { servername: connection.servername, h2c: connection.h2c }),
  });
  const isRefused = "message" in answer && answer.message === wantsCertificate;
  return isRefused && identity !== undefined
    ? { kind: "tls", message: "The server refused the client certificate" }
    : answer;
}
