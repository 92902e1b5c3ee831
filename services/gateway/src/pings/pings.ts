import { countedAddress } from "@sonde/kit/addresses";
import { createLimiter } from "@sonde/kit/concurrency/limiter";
import { createRate } from "@sonde/kit/concurrency/rate";
import { AppError, toAppError, unavailable } from "@sonde/kit/errors";
import { clientAddress, requestIdOf } from "@sonde/kit/http/caller";
import { discardBody, hasBody } from "@sonde/kit/http/request-body";
import type { Log } from "@sonde/kit/service/log";
import type { Clock } from "@sonde/kit/time/clock";
import { oneOf } from "@sonde/kit/one-of";
import { statusOfCode } from "@sonde/proto/http/envelope";
import { type InboundFormat, inboundFormats } from "@sonde/proto/http/monitors/inbound";
import { inboundKey } from "@sonde/proto/streams";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import { createHostResolver, type PageOfHost } from "../middleware/host.ts";
import { observeRequest } from "../middleware/observe.ts";
import type { Services } from "../services.ts";
import {
  isHostedUrl,
  isUuid,
  maxUrlLength,
  pingPrefix,
  pushPrefix,
  readPingPath,
  readPushToken,
  type PingAddress,
} from "./address.ts";
import { maxStoredBytes, readOutput, wellFormed } from "./body.ts";
import { readFacts } from "./facts.ts";
import type { OutgoingPing } from "./publisher.ts";
import type { PingTarget, PingTargets } from "./targets.ts";

export type PingDeps = {
  config: Pick<Config, "host" | "publicUrl" | "trustedProxies">;
  ofHost: PageOfHost;
  targets: PingTargets;
  accepts: () => boolean;
  store: (ping: OutgoingPing) => Promise<void>;
  monitors: Pick<Services["monitors"], "heartbeatOfSlug">;
  clock: Clock;
  log: Log;
};

export type Pings = {
  /** Returns `false` for requests to other URLs. */
  take(request: IncomingMessage, response: ServerResponse): boolean;
  /** Finds the inbound monitor of an address. @throws AppError not_found, unavailable */
  findInbound(token: string, address: string): Promise<{ monitorId: number; format: InboundFormat }>;
};

/** Limits per heartbeat, far above a job that runs each minute and sends start and log. */
const [perMinute, burst] = [60, 10];
const inFlightPerAddress = 64;
/** A newly created URL may be used before the bucket has delivered it. */
const bucketDelayMs = 250;
const waiting = { perKey: 8, total: 500 };
const maxCreating = 4;
const retrySeconds = 5;
const methods = new Set(["HEAD", "GET", "POST"]);

const readFormat = oneOf(inboundFormats, "inbound format");

type Outcome = { status: number; text: string; retryAfterSeconds?: number; monitorId?: number };
const outcomes = {
  badUrl: { status: 400, text: "invalid url format" },
  badRid: { status: 400, text: "invalid uuid format" },
  unknown: { status: 404, text: "not found" },
  badMethod: { status: 405, text: "method not allowed" },
} satisfies Record<string, Outcome>;

/** Works without session, cookie or Koa, to keep floods cheap. Ping URLs are secrets: no part of one is logged. */
export function createPings({ config, ofHost, targets, accepts, store, monitors, clock, log }: PingDeps): Pings {
  const resolveHost = createHostResolver(config, ofHost);
  const rate = createRate<number>(clock, perMinute, "Too many requests, please try again later", burst);
  const inFlight = createLimiter<string>({ perKey: inFlightPerAddress });
  const unknown = createLimiter<string>(waiting);
  const creating = createLimiter<null>({ total: maxCreating });

  const find = async (key: string, counted: string): Promise<PingTarget | undefined> => {
    const wait = () => sleep(bucketDelayMs).then(() => targets.find(key));
    return targets.find(key) ?? unknown.run(counted, wait).catch(() => undefined);
  };

  const locate = async ({ key, bySlug, creates }: PingRequest, { counted, ...call }: PingCaller) => {
    const isMissing = creates === true && targets.find(key) === undefined;
    const { monitorId = 0 } = (isMissing ? undefined : await find(key, counted)) ?? {};
    if (!isMissing || bySlug === undefined || (await find(bySlug.pingKey, counted))?.creates !== true) {
      return { monitorId, isNew: false };
    }
    // One limit for everything that the ping key creates: 0 is no monitor's id.
    rate.take(0);
    const made = await creating.run(null, () => monitors.heartbeatOfSlug({ slug: bySlug.slug }, { call }));
    return { monitorId: made.id, isNew: made.created };
  };

  /** @throws AppError */
  const handle = async (request: IncomingMessage, response: ServerResponse, url: Url): Promise<Outcome> => {
    if (resolveHost(request) !== null) return outcomes.unknown;
    if (!methods.has(request.method ?? "")) return outcomes.badMethod;
    const parsed = readPingRequest(url);
    if ("status" in parsed) return parsed;
    if (!accepts()) throw unavailable("bus");
    const address = clientAddress(request, config.trustedProxies);
    const counted = countedAddress(address);
    const { monitorId, isNew } = await locate(parsed, { address, counted, requestId: requestIdOf(request) });
    // A bare ping key has id 0 and is not a heartbeat.
    if (monitorId === 0 && !targets.complete()) throw unavailable("monitors");
    if (monitorId === 0) return outcomes.unknown;
    rate.take(monitorId);
    const leave = inFlight.enter(counted);
    try {
      const output = parsed.output ?? (await readOutput(request, response));
      if (output === null) return { status: 400, text: "the body broke off" };
      const { type, exitCode, runId, durationMs } = parsed;
      const facts = readFacts(url.query, output);
      await store({ id: randomUUID(), monitorId, type, exitCode, runId, durationMs, output, facts, from: address });
    } finally {
      leave();
    }
    return { ...(isNew ? { status: 201, text: "Created" } : { status: 200, text: "OK" }), monitorId };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse, url: Url) => {
    const startedAt = performance.now();
    const outcome = await handle(request, response, url).catch((thrown: unknown) => refusalOf(thrown, request, log));
    send(request, response, url, outcome);
    const durationMs = performance.now() - startedAt;
    observeRequest(
      { method: request.method ?? "", route: url.isPush ? "push" : "ping", status: outcome.status },
      durationMs,
    );
    const { status, monitorId } = outcome;
    if (log.isLevelEnabled("debug"))
      log.debug({ requestId: requestIdOf(request), monitorId, status, durationMs }, "ping");
  };

  return {
    async findInbound(token, address) {
      const found = targets.current()
        ? await find(inboundKey(token.toLowerCase()), countedAddress(address))
        : undefined;
      if (found !== undefined) return { monitorId: found.monitorId, format: readFormat(found.format) };
      if (!targets.current() || !targets.complete()) throw unavailable("monitors");
      throw new AppError("not_found", "Nothing exists at this address");
    },
    take(request, response) {
      const url = readUrl(request.url ?? "");
      if (url === null) return false;
      if (request.method === "OPTIONS") response.writeHead(204, preflight).end();
      else void answer(request, response, url);
      return true;
    },
  };
}

type Url = { path: string; query: URLSearchParams; isPush: boolean; isHosted: boolean; isLong: boolean };

/** Parses a ping URL, also in the absolute form that proxies send. @returns `null` for other URLs */
function readUrl(url: string): Url | null {
  const local = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]*/i, "");
  const form = { isPush: local.startsWith(pushPrefix), isHosted: isHostedUrl(local) };
  if (!form.isPush && !form.isHosted && !local.startsWith(pingPrefix)) return null;
  const isLong = url.length > maxUrlLength;
  const at = isLong ? -1 : local.indexOf("?");
  return at < 0
    ? { path: isLong ? "" : local, query: noQuery, ...form, isLong }
    : { path: local.slice(0, at), query: new URLSearchParams(local.slice(at)), ...form, isLong };
}
const noQuery = new URLSearchParams();

type PingRequest = PingAddress & {
  creates?: boolean;
  output?: string | undefined;
  runId?: string;
  durationMs?: number;
};
type PingCaller = { address: string; counted: string; requestId: string };

function readPingRequest({ path, query, isPush, isHosted, isLong }: Url): PingRequest | Outcome {
  if (isPush) return isLong ? outcomes.unknown : readPush(path, query);
  const address = isLong ? null : readPingPath(path);
  if (address === null) return isHosted ? outcomes.unknown : outcomes.badUrl;
  const creates = query.get("create") === "1";
  const runId = query.get("rid");
  if (runId === null) return { ...address, creates };
  return isUuid(runId) ? { ...address, creates, runId: runId.toLowerCase() } : outcomes.badRid;
}

/** As in Uptime Kuma, any status other than `up` is a failure. */
function readPush(path: string, query: URLSearchParams): PingRequest | Outcome {
  const key = readPushToken(path);
  if (key === null) return outcomes.unknown;
  const durationMs = Number.parseFloat(query.get("ping") ?? "");
  return {
    key,
    type: (query.get("status") || "up") === "up" ? "success" : "fail",
    output: wellFormed(query.get("msg") ?? ""),
    ...(durationMs >= 0 && durationMs < 1e9 && { durationMs }),
  };
}

const refusalTexts: Partial<Record<AppError["code"], string>> = {
  too_many: "rate limited",
  unavailable: "unavailable, please try again",
  internal: "internal error",
};

function refusalOf(thrown: unknown, request: IncomingMessage, log: Log): Outcome {
  const error = toAppError(thrown);
  const { code, message, retryAfterSeconds = retrySeconds } = error;
  if (code === "internal") log.error({ err: error.cause ?? error, requestId: requestIdOf(request) }, "ping failed");
  const isLater = code === "too_many" || code === "unavailable";
  return { status: statusOfCode[code], text: refusalTexts[code] ?? message, ...(isLater && { retryAfterSeconds }) };
}

/** Any site may call: knowing the URL is sufficient authorisation. */
const shared = { "Access-Control-Allow-Origin": "*" };
const preflight = { ...shared, Allow: "HEAD, GET, POST, OPTIONS", "Access-Control-Allow-Methods": "HEAD, GET, POST" };
const common = { ...shared, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

function send(request: IncomingMessage, response: ServerResponse, { isPush }: Url, outcome: Outcome): void {
  if (response.headersSent || response.destroyed) return;
  if (request.readableFlowing === null && hasBody(request)) discardBody(request);
  const { status, text, retryAfterSeconds } = outcome;
  const isStored = status < 300;
  const body = isPush ? pushBody(outcome) : text;
  response.writeHead(status, {
    "Content-Type": isPush ? "application/json; charset=utf-8" : "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "X-Request-Id": requestIdOf(request),
    ...common,
    ...(isStored && !isPush && { "Ping-Body-Limit": maxStoredBytes }),
    ...(status === 405 && { Allow: preflight.Allow }),
    ...(retryAfterSeconds !== undefined && { "Retry-After": Math.max(1, Math.ceil(retryAfterSeconds)) }),
  });
  response.end(body);
}

/** The texts follow Uptime Kuma. */
function pushBody({ status, text }: Outcome): string {
  if (status < 300) return '{"ok":true}';
  return JSON.stringify({ ok: false, msg: status === 404 ? "Monitor not found or not active." : text });
}
