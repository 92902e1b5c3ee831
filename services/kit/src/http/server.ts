import type { RequestListener, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { boundAddress } from "../addresses.ts";
import { ConfigError } from "../service/config-error.ts";
import { closeStalled, refuseBrokenRequests } from "./connections.ts";
import { createServer } from "./node-http.ts";

export type ListenOptions = {
  host: string;
  port: number;
  /** The variables that set the two, as an error names them. */
  variables: { host: string; port: string };
  /** Without it a request that lacks a Host header reaches the handler, which refuses it in its own words. */
  requireHostHeader?: boolean;
};

const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than balancers, and the gateway before agent-ingest, keep theirs: this end never closes under a request.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
  noDelay: true,
} as const;

/** A body that was refused has a while to come, so that its sender reads the answer; streams are written to every 15 s. */
const stalled = { bodyMs: 5_000, silentMs: 120_000 };

/** Listens. @throws ConfigError in one line where the address cannot be had */
export async function listen(handle: RequestListener, options: ListenOptions) {
  const { host, port, requireHostHeader = true } = options;
  const server = createServer({ ...limits, requireHostHeader }, handle);
  server.maxHeadersCount = 100;
  // A client that sends `Expect: 100-continue` gets it where the body is read, or the refusal without sending a body.
  server.on("checkContinue", handle);
  refuseBrokenRequests(server);
  closeStalled(server, stalled);
  let retiring = false;
  const endAfter = (_request: unknown, response: ServerResponse) => {
    if (retiring) response.shouldKeepAlive = false;
  };
  server.prependListener("request", endAfter).prependListener("checkContinue", endAfter);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, options)));
    server.listen(port, boundAddress(host), resolve);
  });
  /**
   * From now on each response closes its connection, so that clients reconnect elsewhere and no connection is closed
   * under a request in flight.
   */
  const retire = () => void (retiring = true);
  return {
    address: server.address() as AddressInfo,
    retire,
    /** Takes no more connections, lets requests under way finish within the time, then closes what is left. */
    drain: (withinMs: number): Promise<void> => (retire(), drain(server, withinMs)),
  };
}

export type HttpServer = Awaited<ReturnType<typeof listen>>;

async function drain(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // `close` ends idle connections once; those that fall idle later are ended as they do.
  const sweep = setInterval(() => server.closeIdleConnections(), 100);
  const cut = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

function explain(error: NodeJS.ErrnoException, { host, port, variables }: ListenOptions): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is already in use; stop what uses it, or set ${variables.port} to another`,
    EACCES: `port ${port} on ${host} needs more rights than this process has; set ${variables.port} to one above 1023`,
    EADDRNOTAVAIL: `this machine has no address ${host}; set ${variables.host} to one that it has`,
    ENOTFOUND: `the host name ${host} is not known; set ${variables.host} to an address of this machine`,
  };
  const reason = reasons[error.code ?? ""];
  return reason === undefined ? error : new ConfigError(reason);
}
