import { create, toBinary } from "@bufbuild/protobuf";
import { countedAddress } from "@sonde/kit/addresses";
import type { Bus } from "@sonde/kit/bus/connect";
import { AppError, unavailable } from "@sonde/kit/errors";
import {
  registrationBodies,
  registrationBody,
  reportBodies,
  reportBody,
  unknownReportBodies,
} from "@sonde/kit/http/agent-bodies";
import { type BodyPool, createBodyPool } from "@sonde/kit/http/body-pool";
import { Agent } from "@sonde/kit/http/node-http";
import { type BodyLimits, isLateBody, readBody } from "@sonde/kit/http/request-body";
import { counter } from "@sonde/kit/telemetry/metrics";
import { type Loop, startLoop } from "@sonde/kit/time/loop";
import { GatewayHeartbeatSchema } from "@sonde/proto/gen/agents/v1/agents";
import { subjects } from "@sonde/proto/subjects";
import type { Agent as HttpAgent } from "node:http";
import type { Context } from "../context.ts";
import { allowMethods } from "../middleware/errors.ts";
import { createKeyMemory } from "./key-memory.ts";
import { forward, type UpstreamResponse } from "./upstream.ts";

const refusals = counter(
  "sonde_agent_path_refused_total",
  "Requests from agents that the gateway rejected without a response from agent-ingest",
  ["path", "code"],
);

export type Forward = {
  /** @throws AppError `unavailable`, `too_large`, `too_many`, `not_found`, `method_not_allowed` */
  handle(ctx: Context): Promise<void>;
  /** True if a report was rejected since the last call because the path was full or agent-ingest unreachable. */
  takeRefused(): boolean;
  stop(): void;
};

/** Slow and disconnected senders do not count: any client could suppress the detection of silent agents. */
const isRefusal = (error: unknown, ctx: Context) =>
  error instanceof AppError && error.code === "unavailable" && !isLateBody(error) && !ctx.res.closed;

/** After a start the gateway knows few keys. For this long, reports with unknown keys may come from valid agents. */
const learningMs = 120_000;

export function forwardTo(url: string | null, classes: RequestClasses = createRequestClasses()): Forward {
  const keys = createKeyMemory();
  const startedAtMs = performance.now();
  let refused = false;

  const pass = async (
    ctx: Context,
    { limits, bodies, agent }: RequestClass,
    owner: string,
  ): Promise<UpstreamResponse> => {
    if (url === null) throw unavailable("agent-ingest");
    const reservation = bodies.enter(owner);
    try {
      // Connect only with a complete body: a slow sender must not delay others.
      const body = await readBody(ctx.req, ctx.res, limits, reservation);
      return await forward(ctx, { target: new URL(ctx.path, url), body, agent });
    } finally {
      reservation.leave();
    }
  };

  const report = async (ctx: Context): Promise<UpstreamResponse> => {
    const mark = keys.markOf(ctx.req.headers.authorization ?? "");
    try {
      keys.refuseWaiting(mark);
    } catch (error) {
      ctx.set("Connection", "close");
      throw error;
    }
    const isKnown = keys.wasAccepted(mark);
    const owner = isKnown ? mark : countedAddress(ctx.state.address);
    const answer = await pass(ctx, isKnown ? classes.known : classes.unknown, owner).catch((error: unknown) => {
      if (isRefusal(error, ctx) && (isKnown || performance.now() - startedAtMs < learningMs)) refused = true;
      throw error;
    });
    keys.learn(mark, answer.status, answer.headers.find(([name]) => name === "retry-after")?.[1]);
    return answer;
  };

  const routes: Readonly<Record<string, (ctx: Context) => Promise<UpstreamResponse>>> = {
    "/agent/v1/register": (ctx) => pass(ctx, classes.register, countedAddress(ctx.state.address)),
    "/agent/v1/report": report,
  };

  return {
    async handle(ctx) {
      ctx.state.route = "agent";
      ctx.compress = false;
      const route = Object.hasOwn(routes, ctx.path) ? routes[ctx.path] : undefined;
      if (route === undefined) throw new AppError("not_found", "Nothing exists at this address");
      if (!allowMethods(ctx, ["POST"])) return;
      const { status, headers, body } = await route(ctx).catch((error: unknown) => {
        if (error instanceof AppError) refusals.inc({ path: ctx.path, code: error.code });
        throw error;
      });
      ctx.status = status;
      for (const [name, value] of headers) ctx.set(name, value);
      ctx.body = body;
    },
    takeRefused() {
      const was = refused;
      refused = false;
      return was;
    },
    stop: () => Object.values(classes).forEach(({ agent }) => agent.destroy()),
  };
}

/** Limits of one kind of request. A full class does not delay the others. */
type RequestClass = { limits: BodyLimits; bodies: BodyPool; agent: HttpAgent };

/** `known` and `unknown` are reports with recently accepted keys, and all others. */
type RequestClasses = { register: RequestClass; known: RequestClass; unknown: RequestClass };

/** Shorter than agent-ingest's keep-alive: no request may use a connection that is being closed. */
const idleMs = 60_000;

export function createRequestClasses(): RequestClasses {
  const agentOf = (maxSockets: number) =>
    new Agent({ keepAlive: true, maxSockets, maxFreeSockets: Math.ceil(maxSockets / 4), timeout: idleMs });
  return {
    register: { limits: registrationBody, bodies: createBodyPool(registrationBodies), agent: agentOf(16) },
    known: { limits: reportBody, bodies: createBodyPool(reportBodies), agent: agentOf(256) },
    unknown: { limits: reportBody, bodies: createBodyPool(unknownReportBodies), agent: agentOf(64) },
  };
}

const publishEveryMs = 1_000;

/** Publishes every second that this gateway accepts agents' reports, or that it rejected some. */
export function startHeartbeat(bus: Pick<Bus, "nc" | "connected" | "log">, forward: Forward): Loop {
  const publish = () => {
    if (!bus.connected()) return;
    const heartbeat = create(GatewayHeartbeatSchema, { full: forward.takeRefused() });
    bus.nc.publish(subjects.gatewayHeartbeat, toBinary(GatewayHeartbeatSchema, heartbeat));
  };
  return startLoop({ work: "gateway heartbeat", log: bus.log, everyMs: publishEveryMs, run: publish });
}
