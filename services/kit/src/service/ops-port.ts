import type { IncomingMessage, ServerResponse } from "node:http";
import { sendJson } from "../http/answer.ts";
import { listen } from "../http/server.ts";
import { registry } from "../telemetry/metrics.ts";

/** Fails if it throws or rejects. */
export type ReadinessCheck = () => boolean | Promise<boolean>;

export type OpsPortOptions = {
  /** 0 disables the ops port. */
  port: number;
  host?: string;
  /** All must pass for /readyz to return 200. Read at each request, so more may be added later. */
  checks: Readonly<Record<string, ReadinessCheck>>;
  /** Makes /readyz return 200 from the first success of all checks until `drain`. Its body still lists each check. */
  staysReady?: boolean;
  /** Defaults to the metrics of this process. */
  metrics?: () => Promise<string>;
  log: { error(fields: object, message: string): void };
};

/** Serves `/healthz` (the event loop runs), `/readyz` (each check by name) and `/metrics`. */
export async function openOpsPort(options: OpsPortOptions) {
  const { port, host = "::", checks, staysReady = false, metrics = () => registry.metrics(), log } = options;
  if (port === 0) return { port: 0, drain: () => {}, stop: async () => {} };
  let draining = false;
  let wasReady = false;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const json = (status: number, body: unknown) => sendJson(response, status, body);
    try {
      if (request.url === "/healthz") return json(200, { status: "ok" });
      if (request.url === "/readyz") {
        const states = await readiness(checks);
        const allHold = Object.values(states).every(Boolean);
        wasReady ||= allHold;
        const ready = !draining && (allHold || (staysReady && wasReady));
        return json(ready ? 200 : 503, { status: ready ? "ok" : draining ? "draining" : "not ready", checks: states });
      }
      if (request.url === "/metrics") {
        const text = await metrics();
        response.writeHead(200, { "Content-Type": registry.contentType }).end(text);
        return;
      }
      return json(404, { status: "not found" });
    } catch (error) {
      log.error({ err: error }, "ops request failed");
      return json(500, { status: "error" });
    }
  };
  const variables = { host: "OPS_PORT", port: "OPS_PORT" };
  const server = await listen((request, response) => void answer(request, response), { host, port, variables });
  return {
    port: server.address.port,
    /** Makes /readyz return 503, so that load balancers route elsewhere. */
    drain: () => void (draining = true),
    stop: (): Promise<void> => {
      draining = true;
      return server.drain(0);
    },
  };
}

export type OpsPort = Awaited<ReturnType<typeof openOpsPort>>;

export async function readiness(checks: OpsPortOptions["checks"]): Promise<Record<string, boolean>> {
  const states = Object.entries(checks).map(async ([name, check]) => {
    const holds = await Promise.resolve()
      .then(check)
      .catch(() => false);
    return [name, holds] as const;
  });
  return Object.fromEntries(await Promise.all(states));
}
