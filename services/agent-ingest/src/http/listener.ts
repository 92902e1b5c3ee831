import { AppError, toAppError } from "@sonde/kit/errors";
import { refuseBrokenRequests } from "@sonde/kit/http/connections";
import type { Log } from "@sonde/kit/service/log";
import { histogram } from "@sonde/kit/telemetry/metrics";
import { languageOf } from "@sonde/proto/http/messages";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { refuse } from "./body.ts";
import { sendError, sendJson } from "./answer.ts";
import { type HttpContext, routes } from "./routes.ts";

export type Listener = {
  address: AddressInfo;
  /** Takes no more connections; requests under way finish within the time. */
  drain(withinMs: number): Promise<void>;
};

const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the gateway keeps its own, so that it is never this end that closes under a request.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5000,
  noDelay: true,
} as const;
const sane = /^[\w.:-]{8,128}$/;
const seconds = histogram(
  "sonde_agent_request_seconds",
  "Requests of agents",
  [0.005, 0.02, 0.05, 0.1, 0.5, 2, 10],
  ["path", "status"],
);

/** Where agents' registrations and reports come in, passed on by gateways. */
export async function listen(
  ctx: HttpContext,
  { host, port, log }: { host: string; port: number; log: Log },
): Promise<Listener> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now();
    const asked = request.headers["x-request-id"];
    const requestId = typeof asked === "string" && sane.test(asked) ? asked : randomUUID();
    const language = languageOf(request.headers["accept-language"]);
    const [path = ""] = (request.url ?? "").split("?", 1);
    response.setHeader("x-request-id", requestId);
    try {
      const route = routes.get(path);
      if (route === undefined) throw refuse(request, new AppError("not_found", "There is nothing at this address"));
      if (request.method !== "POST") {
        response.setHeader("allow", "POST");
        throw refuse(request, new AppError("method_not_allowed", "This method is not allowed here"));
      }
      const { status, body } = await route(ctx, { request, response, language });
      sendJson(response, status, { success: true, ...body });
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === "internal") log.error({ err: error.cause ?? error, requestId, path }, "fault");
      sendError(response, error, language, requestId);
    }
    const known = routes.has(path) ? path : "other";
    seconds.observe({ path: known, status: String(response.statusCode) }, (performance.now() - startedAt) / 1000);
  };
  const server = createServer(limits, (request, response) => void handle(request, response));
  server.maxHeadersCount = 100;
  // Whoever asks before sending a body gets the answer from where the body is read, or the refusal without sending it.
  server.on("checkContinue", (request, response) => void handle(request, response));
  refuseBrokenRequests(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    address: server.address() as AddressInfo,
    async drain(withinMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const sweep = setInterval(() => server.closeIdleConnections(), 100);
      const cut = setTimeout(() => server.closeAllConnections(), withinMs);
      server.closeIdleConnections();
      await closed;
      clearInterval(sweep);
      clearTimeout(cut);
    },
  };
}
