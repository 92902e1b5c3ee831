import type { Clock } from "@sonde/kit/time/clock";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { bodyTooLarge } from "../assertions.ts";
import type { ProbeFailure, ProbeContext } from "../probe.ts";
import { type Connection, routeOver } from "./connection.ts";
import type { TargetResponse } from "./exchange.ts";
import { exchangeByEither } from "./http2.ts";
import type { HopRequest } from "./request.ts";
import type { HttpTarget } from "./target.ts";

/** Targets with their current token. Tokens are stored nowhere else. */
const cachedTargets = new WeakMap<HopRequest, { target: HttpTarget; untilMs: number }>();

/** Lifetime of a token without `expires_in`; a 401 ends it earlier. */
const usualLifeMs = 3_600_000;
const marginMs = 10_000;
const maxTokenLength = 16_384;
type Token = { token: string; lifeMs: number };
const noToken = (why: string) => `No token could be obtained: ${why}`;

export function cachedToken({ connection }: HttpTarget, clock: Clock): HttpTarget | undefined {
  const found = connection?.tokenRequest && cachedTargets.get(connection.tokenRequest);
  return found !== undefined && clock.elapsedMs() < found.untilMs ? found.target : undefined;
}

/** Requests a token and returns the target with it. Does not follow redirects. Never rejects. */
export async function requestToken(
  target: HttpTarget,
  ctx: ProbeContext,
  timings: Required<Timings>,
): Promise<HttpTarget | ProbeFailure> {
  const connection = target.connection!;
  const request = connection.tokenRequest!;
  cachedTargets.delete(request);
  const startedMs = ctx.clock.elapsedMs();
  const found = await sendRequest(connection, request, ctx, timings);
  timings.total = ctx.clock.elapsedMs() - startedMs;
  if (!("statusCode" in found)) return "trouble" in found ? found : { ...found, message: noToken(found.message) };
  const read: Token | ProbeFailure = found.isCut
    ? { kind: "protocol", message: noToken(bodyTooLarge) }
    : readAnswer(found);
  if (!("token" in read)) return read;
  const { token, lifeMs } = read;
  const headers = target.headers.filter(({ name }) => name.toLowerCase() !== "authorization");
  const withToken = { ...target, headers: [...headers, { name: "Authorization", value: `Bearer ${token}` }] };
  cachedTargets.set(request, { target: withToken, untilMs: startedMs + lifeMs - marginMs });
  return withToken;
}

async function sendRequest(
  connection: Connection,
  request: HopRequest,
  ctx: ProbeContext,
  timings: Required<Timings>,
): Promise<TargetResponse | ProbeFailure> {
  const route = await routeOver(connection, request.destination.host, ctx, timings);
  if (!("addresses" in route)) return route;
  return exchangeByEither(request, route.addresses, ctx, timings, {
    proxy: route.proxy,
    verifyTls: true,
    onCertificate: () => undefined,
    // A token response never becomes evidence.
    seen: {},
    memory: ctx.memory,
    bodyUse: () => "text",
  });
}

/** Error codes of RFC 6749 §5.2 and other common ones. Any other text may contain a secret. */
const knownErrors = new Set([
  "access_denied",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "invalid_target",
  "server_error",
  "temporarily_unavailable",
  "unauthorized_client",
  "unsupported_grant_type",
]);

function readAnswer({ statusCode, text }: TargetResponse): Token | ProbeFailure {
  const answer = fieldsOf(text);
  const { error, access_token: token, token_type: type = "Bearer", expires_in: seconds } = answer;
  const refused = (why: string): ProbeFailure => ({ kind: "status", message: `The token request was refused${why}` });
  if (typeof error === "string" && knownErrors.has(error)) return refused(`: ${error}`);
  if (statusCode < 200 || statusCode > 299) return refused(` with status ${statusCode}`);
  const isUsable = typeof token === "string" && token.length <= maxTokenLength && /^[\x21-\x7e]+$/.test(token);
  if (!isUsable || String(type).toLowerCase() !== "bearer") {
    return { kind: "protocol", message: "The token response contains no usable token" };
  }
  const life = Number(seconds);
  return { token, lifeMs: seconds !== undefined && Number.isFinite(life) ? life * 1000 : usualLifeMs };
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
