import { unavailable } from "@sonde/kit/errors";
import { Agent, type IncomingMessage, request as httpRequest } from "node:http";
import type { Context } from "../context.ts";

export type Forward = {
  /** Passes a request on and streams the answer back, whatever it is. @throws AppError unavailable */
  handle(ctx: Context): Promise<void>;
  stop(): void;
};

/** What agent-ingest decides by; everything else of a request stays here. */
const requestHeaders = [
  "authorization",
  "content-type",
  "content-encoding",
  "content-length",
  "accept-language",
  "user-agent",
] as const;
const answerHeaders = [
  "content-type",
  "content-length",
  "content-language",
  "cache-control",
  "retry-after",
  "allow",
] as const;

const silenceMs = 30_000;
/** Less than agent-ingest keeps its own, so that no request meets a connection that is just being closed. */
const idleMs = 60_000;

/** The way of agents through the gateway: `url` is agent-ingest's own listener, null where nobody said. */
export function forwardTo(url: string | null): Forward {
  const agent = new Agent({ keepAlive: true, maxSockets: 256, maxFreeSockets: 64, timeout: idleMs });
  return {
    async handle(ctx) {
      ctx.state.route = "agent";
      ctx.compress = false;
      if (url === null) throw unavailable("agent-ingest");
      const answer = await ask(ctx, new URL(ctx.path, url), agent);
      ctx.status = answer.statusCode ?? 502;
      for (const name of answerHeaders) {
        const value = answer.headers[name];
        if (value !== undefined) ctx.set(name, value);
      }
      ctx.body = answer;
    },
    stop: () => agent.destroy(),
  };
}

function ask(ctx: Context, target: URL, agent: Agent): Promise<IncomingMessage> {
  const { req: incoming, res: outgoing } = ctx;
  const headers: Record<string, string> = {
    "x-request-id": ctx.state.requestId,
    "x-forwarded-for": ctx.state.address,
  };
  for (const name of requestHeaders) {
    const value = incoming.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  return new Promise((resolve, reject) => {
    const passed = httpRequest(target, { method: ctx.method, headers, agent, timeout: silenceMs });
    passed.on("response", resolve);
    passed.on("timeout", () => passed.destroy(new Error("agent-ingest was silent")));
    passed.on("error", (cause) => {
      // What is still to come of the body is read away, so that its sender gets to read the answer.
      incoming.unpipe(passed);
      incoming.resume();
      reject(unavailable("agent-ingest", cause));
    });
    incoming.on("error", () => {});
    outgoing.on("close", () => {
      if (!outgoing.writableFinished) passed.destroy();
    });
    if (incoming.headers.expect !== undefined) outgoing.writeContinue();
    incoming.pipe(passed);
  });
}
