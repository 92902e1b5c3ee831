import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { boundAddress } from "../addresses.ts";
import { ConfigError } from "../service/config-error.ts";
import { closeStalled, refuseBrokenRequests } from "./connections.ts";
import { createServer } from "./node-http.ts";

/** For WebSockets. Other requests that offer an upgrade are handled as if they did not. */
export type Upgrades = {
  accepts(request: IncomingMessage): boolean;
  handle(request: IncomingMessage, socket: Socket, head: Buffer): void;
};

export type ListenOptions = {
  host: string;
  port: number;
  /** Environment variables, for error messages. */
  variables: { host: string; port: string };
  /** If false, the handler refuses requests without a Host header. */
  requireHostHeader?: boolean;
  upgrades?: Upgrades;
};

const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the keep-alive of load balancers and of the gateway towards agent-ingest, so that this side never
  // closes a connection about to be used.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
  noDelay: true,
} as const;

/** A refused body gets time to arrive, so its sender can read the response. Event streams are written every 15 s. */
const stalled = { bodyMs: 5_000, silentMs: 120_000 };

/** @throws ConfigError if the address is not available */
export async function listen(handle: RequestListener, options: ListenOptions) {
  const { host, port, requireHostHeader = true, upgrades } = options;
  const shouldUpgradeCallback = (request: IncomingMessage) => upgrades?.accepts(request) ?? false;
  const server = createServer({ ...limits, requireHostHeader, shouldUpgradeCallback }, handle);
  if (upgrades !== undefined) server.on("upgrade", upgrades.handle);
  server.maxHeadersCount = 100;
  // `100 Continue` is sent when the body is read.
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
   * Closes connections after their next response, so clients reconnect elsewhere and none is closed during a request.
   */
  const retire = () => void (retiring = true);
  return {
    address: server.address() as AddressInfo,
    retire,
    /** Lets current requests finish within the time, then closes the rest. */
    drain: (withinMs: number): Promise<void> => (retire(), drain(server, withinMs)),
  };
}

export type HttpServer = Awaited<ReturnType<typeof listen>>;

async function drain(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // `close` ends idle connections only once; this covers those that become idle later.
  const sweep = setInterval(() => server.closeIdleConnections(), 100);
  const cut = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

function explain(error: NodeJS.ErrnoException, { host, port, variables }: ListenOptions): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is already in use; stop the program that uses it or set ${variables.port}`,
    EACCES: `no permission to listen on port ${port} of ${host}; set ${variables.port} to a port above 1023`,
    EADDRNOTAVAIL: `this machine has no address ${host}; set ${variables.host} to one of its addresses`,
    ENOTFOUND: `the host name ${host} cannot be resolved; set ${variables.host} to an address of this machine`,
  };
  const reason = reasons[error.code ?? ""];
  return reason === undefined ? error : new ConfigError(reason);
}
