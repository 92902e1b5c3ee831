import { ConfigError } from "@sonde/kit/service/config";
import { refuseBrokenRequests } from "@sonde/kit/http/connections";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export type HttpServer = {
  address: AddressInfo;
  /** Takes no more connections, lets requests under way finish within the time, then closes what is left. */
  drain(withinMs: number): Promise<void>;
};

const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than balancers keep theirs, so that it is never this end that closes under a request.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
  noDelay: true,
  // `middleware/host.ts` answers a request without a Host header, in an envelope.
  requireHostHeader: false,
} as const;

/** Listens. @throws ConfigError in one line where the address cannot be had */
export async function listen(handle: RequestListener, { host, port }: { host: string; port: number }) {
  const server = createServer(limits, handle);
  server.maxHeadersCount = 100;
  // Whoever asks before sending a body gets his answer from where the body is read, or the refusal without sending it.
  server.on("checkContinue", handle);
  refuseBrokenRequests(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    server.listen(port, host, resolve);
  });
  return { address: server.address() as AddressInfo, drain: (withinMs) => drain(server, withinMs) } as HttpServer;
}

async function drain(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // `close` ends idle connections once; those that fall idle later are ended as they do.
  const sweep = setInterval(() => server.closeIdleConnections(), 100);
  const cut = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is already in use; stop what uses it, or set PORT to another`,
    EACCES: `port ${port} on ${host} needs more rights than this process has; set PORT to one above 1023`,
    EADDRNOTAVAIL: `this machine has no address ${host}; set HOST to one that it has`,
    ENOTFOUND: `the host name ${host} is not known; set HOST to an address of this machine`,
  };
  const reason = reasons[error.code ?? ""];
  return reason === undefined ? error : new ConfigError(reason);
}
