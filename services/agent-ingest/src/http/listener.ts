import { AppError } from "@sonde/kit/errors";
import { prepareFailure, sendJson } from "@sonde/kit/http/answer";
import { callerOf } from "@sonde/kit/http/caller";
import { type HttpServer, listen as listenAt } from "@sonde/kit/http/server";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Log } from "@sonde/kit/service/log";
import { histogram } from "@sonde/kit/telemetry/metrics";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Exchange, ExchangeResponse, HttpContext } from "../context.ts";
import { register } from "./register.ts";
import { report } from "./report.ts";

type Handle = (ctx: HttpContext, exchange: Exchange) => Promise<ExchangeResponse>;

/** All are `POST`. */
const routes = new Map<string, Handle>([
  ["/agent/v1/register", register],
  ["/agent/v1/report", report],
]);
const variables = { host: "AGENT_INGEST_HOST", port: "AGENT_INGEST_PORT" };
const seconds = histogram(
  "sonde_agent_request_seconds",
  "Duration of requests from agents",
  [0.005, 0.02, 0.05, 0.1, 0.5, 2, 10],
  ["path", "status"],
);

export function startAgentListener(
  ctx: HttpContext,
  { host, port, log }: { host: string; port: number; log: Log },
): Promise<HttpServer> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now();
    const caller = callerOf(request);
    const own = { "X-Request-Id": caller.requestId };
    const [path = ""] = (request.url ?? "").split("?", 1);
    try {
      const route = routeOf(path, request, response);
      const { status, body } = await orUnavailable(() => route(ctx, { request, response, ...caller }));
      sendJson(response, status, { success: true, ...body }, own);
    } catch (thrown) {
      const failure = prepareFailure(response, thrown, caller, { log, route: path });
      if (failure !== null) sendJson(response, failure.status, failure.body, own);
    }
    const known = routes.has(path) ? path : "other";
    seconds.observe({ path: known, status: String(response.statusCode) }, (performance.now() - startedAt) / 1000);
  };
  return listenAt((request, response) => void handle(request, response), { host, port, variables });
}

/** @throws AppError `not_found`, `method_not_allowed` */
function routeOf(path: string, { method }: IncomingMessage, response: ServerResponse): Handle {
  const route = routes.get(path);
  if (route === undefined) throw new AppError("not_found", "Nothing exists at this address");
  if (method === "POST") return route;
  response.setHeader("Allow", "POST");
  throw new AppError("method_not_allowed", "This method is not allowed");
}
