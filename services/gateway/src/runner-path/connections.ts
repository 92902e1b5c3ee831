import { type RunnerKeys, watchRunnerKeys } from "@sonde/domain/runner-keys";
import type { Bus } from "@sonde/kit/bus/connect";
import { createLimiter } from "@sonde/kit/concurrency/limiter";
import { AppError, unavailable } from "@sonde/kit/errors";
import { prepareFailure, sendJson } from "@sonde/kit/http/answer";
import { callerOf, clientAddress } from "@sonde/kit/http/caller";
import type { Upgrades } from "@sonde/kit/http/server";
import type { Log } from "@sonde/kit/service/log";
import { gauge } from "@sonde/kit/telemetry/metrics";
import { maxRunners, runnerPath } from "@sonde/proto/http/monitors/runners";
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import type { Config } from "../config.ts";
import { basePathOf, withoutBase } from "../middleware/base-path.ts";
import { createHostResolver, type PageOfHost } from "../middleware/host.ts";
import type { GatewayLimits } from "../middleware/limits.ts";
import { bearerToken } from "../sessions/sessions.ts";
import { dialBus, pipe } from "./pipe.ts";

const connections = gauge("sonde_runner_connections", "Connections of remote probe runners to this gateway");
/** A reconnecting runner may still have its former connection. */
const maxPerRunner = 4;
/** A message of the bus has at most 1 MiB. */
const maxPayload = 2 * 2 ** 20;
const dialMs = 5_000;
const revokedCode = 4001;

type Options = {
  bus: Bus;
  config: Pick<Config, "host" | "publicUrl" | "trustedProxies">;
  ofHost: PageOfHost;
  countRefusal: GatewayLimits["runners"];
  log: Log;
};

export type RunnerConnections = Upgrades & { stop(): Promise<void> };

/** Connects remote runners to the bus, where nats-server and monitors decide what each may do. */
export function acceptRunners({ bus, config, ofHost, countRefusal, log }: Options): RunnerConnections {
  const open = new Map<WebSocket, number>();
  const limiter = createLimiter<number>({ total: maxRunners, perKey: maxPerRunner });
  const server = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false });
  const hostedPage = createHostResolver(config, ofHost);
  const base = basePathOf(config);
  const keys: RunnerKeys = watchRunnerKeys(bus, {
    onRevoked: (runnerId) => {
      for (const [socket, id] of open) if (id === runnerId) end(socket, revokedCode);
    },
  });

  let stopped = false;

  const accept = async (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (hostedPage(request) !== null) throw new AppError("not_found", "Nothing exists at this address");
    const runner = await keys.find(bearerToken(request) ?? "");
    if (runner === undefined) {
      await countRefusal(clientAddress(request, config.trustedProxies));
      throw new AppError("unauthenticated", "The probe runner was revoked, or its key is not valid");
    }
    const leave = limiter.enter(runner.runnerId);
    socket.once("close", leave);
    if (socket.destroyed) leave();
    const upstream = await dialBus(bus, AbortSignal.timeout(dialMs)).catch((cause: unknown) => {
      log.warn({ err: cause }, "a remote probe runner cannot be connected to NATS");
      throw unavailable("bus", cause);
    });
    socket.once("close", () => upstream.destroy());
    if (socket.destroyed || stopped) {
      socket.destroy();
      return void upstream.destroy();
    }
    server.handleUpgrade(request, socket, head, (runnerSocket) => {
      open.set(runnerSocket, runner.runnerId);
      connections.set(open.size);
      runnerSocket.once("close", () => {
        open.delete(runnerSocket);
        connections.set(open.size);
      });
      pipe(runnerSocket, upstream);
    });
  };

  return {
    accepts: ({ url, headers }) =>
      withoutBase(url, base) === runnerPath && headers.upgrade?.toLowerCase() === "websocket",
    handle(request, socket, head) {
      socket.on("error", () => socket.destroy());
      accept(request, socket, head).catch((thrown: unknown) => refuse(request, socket, thrown, log));
    },
    async stop() {
      stopped = true;
      for (const socket of open.keys()) end(socket, 1001);
      await keys.stop();
    },
  };
}

/** A runner that does not respond to the close would stay connected for 30 s. */
function end(socket: WebSocket, code: number): void {
  socket.close(code);
  setTimeout(() => socket.terminate(), 500).unref();
}

function refuse(request: IncomingMessage, socket: Socket, thrown: unknown, log: Log): void {
  if (socket.destroyed) return;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => socket.end());
  const failure = prepareFailure(response, thrown, callerOf(request), { log, route: runnerPath });
  if (failure !== null) sendJson(response, failure.status, failure.body);
}
