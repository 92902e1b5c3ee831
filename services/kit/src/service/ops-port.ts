import type { IncomingMessage, ServerResponse } from "node:http";
import { sendJson } from "../http/answer.ts";
import { listen } from "../http/server.ts";
import { registry } from "../telemetry/metrics.ts";

/** A condition of readiness. One that throws or rejects does not hold. */
export type ReadinessCheck = () => boolean | Promise<boolean>;

export type OpsPortOptions = {
  /** 0: no ops port. */
  port: number;
  host?: string;
  /** By name; all must hold for /readyz to answer 200. Read at each request: more may be added meanwhile. */
  checks: Readonly<Record<string, ReadinessCheck>>;
  /** Once all checks passed, /readyz answers 200 until `drain`; its body still lists the state of each check. */
  staysReady?: boolean;
  /** What /metrics answers, in Prometheus' text format; this process's own by default. */
  metrics?: () => Promise<string>;
  log: { error(fields: object, message: string): void };
};

/** The cluster's own port: `/healthz` (the loop turns), `/readyz` (each check by name), `/metrics`. */
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
    /** From now on /readyz answers 503: balancers route elsewhere while the service finishes accepted work. */
    drain: () => void (draining = true),
    stop: (): Promise<void> => {
      draining = true;
      return server.drain(0);
    },
  };
}

export type OpsPort = Awaited<ReturnType<typeof openOpsPort>>;

/** Which checks hold now, by name. */
export async function readiness(checks: OpsPortOptions["checks"]): Promise<Record<string, boolean>> {
  const states = Object.entries(checks).map(async ([name, check]) => {
    const held = await Promise.resolve()
      .then(check)
      .catch(() => false);
    return [name, held] as const;
  });
  return Object.fromEntries(await Promise.all(states));
}
