import type { AddressInfo } from "node:net";
import type { Log } from "./log.ts";
import { createServer } from "../http/node-http.ts";
import { outliveOutput } from "./output.ts";
import { tellParent } from "./parent.ts";
import { registry } from "../telemetry/metrics.ts";
import { reasonOf } from "./waiting.ts";

/** A running service. `stop` drains: what was taken in is finished, then everything is closed. */
export type Service = { stop(): Promise<void> };

const drainMs = 25_000;

export type OpsOptions = {
  /** 0: no ops port. */
  port: number;
  host?: string;
  /** By name; all must hold for /readyz to answer 200. */
  checks: Readonly<Record<string, () => boolean | Promise<boolean>>>;
  log: Log;
};

/** The cluster's own port: `/healthz` (the loop turns), `/readyz` (each check by name), `/metrics`. */
export async function opsServer({
  port,
  host = "0.0.0.0",
  checks,
  log,
}: OpsOptions): Promise<Service & { port: number }> {
  if (port === 0) return { port: 0, stop: async () => {} };
  let draining = false;
  const server = createServer(async (request, response) => {
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    try {
      if (request.url === "/healthz") return json(200, { status: "ok" });
      if (request.url === "/readyz") {
        const states = await readiness(checks);
        const ready = !draining && Object.values(states).every(Boolean);
        return json(ready ? 200 : 503, { status: ready ? "ok" : draining ? "draining" : "not ready", checks: states });
      }
      if (request.url === "/metrics") {
        const text = await registry.metrics();
        return response.writeHead(200, { "content-type": registry.contentType }).end(text);
      }
      return json(404, { status: "not found" });
    } catch (error) {
      log.error({ err: error }, "ops request failed");
      return json(500, { status: "error" });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      draining = true;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readiness(checks: OpsOptions["checks"]): Promise<Record<string, boolean>> {
  const states = Object.entries(checks).map(async ([name, check]) => {
    const held = await Promise.resolve()
      .then(check)
      .catch(() => false);
    return [name, held] as const;
  });
  return Object.fromEntries(await Promise.all(states));
}

/** Why a service could not start, in one line; a mistake in the code shows where it is. */
function whyNotStarted(error: unknown): string {
  const isMistake = [TypeError, ReferenceError, SyntaxError, RangeError].some((kind) => error instanceof kind);
  return isMistake && error instanceof Error && !("code" in error) ? String(error.stack) : reasonOf(error);
}

/**
 * Runs a service as this process: one clear line and exit 1 when it cannot start; on SIGTERM, SIGINT or the
 * parent's going it drains, at most 25 s, and exits.
 */
export async function runMain(name: string, start: () => Promise<Service>): Promise<void> {
  outliveOutput();
  process.umask(0o077); // What a service keeps is nobody else's to read, whoever started it.
  // Within a promise, so that a fault of the configuration, which is thrown at once, is told like any other.
  const starting = Promise.resolve().then(start);
  const service = await starting.catch((error: unknown) => {
    const text = whyNotStarted(error);
    process.stderr.write(`${name} could not start: ${text}\n`);
    process.exit(1);
  });
  let stopping = false;
  const stop = (reason: string) => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      process.stderr.write(`${name} did not drain within ${drainMs / 1000} s\n`);
      process.exit(1);
    }, drainMs).unref();
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${name} stopped badly after ${reason}: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  process.on("disconnect", () => stop("the parent's end"));
  tellParent({ ready: name });
}
