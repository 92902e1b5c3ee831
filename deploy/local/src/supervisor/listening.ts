import { createServer } from "node:net";
import { StartupError } from "@sonde/kit/embedded/startup-error";
import { boundAddress } from "@sonde/kit/http/server";

/**
 * Looks whether the gateway will be able to listen, before anything is started.
 * @throws StartupError with what to do about it.
 */
export function checkAddress(host: string, port: number): Promise<void> {
  return new Promise((free, fail) => {
    const server = createServer();
    server.once("error", (fault: NodeJS.ErrnoException) => fail(new StartupError(reason(fault, host, port))));
    server.listen({ host: boundAddress(host), port, exclusive: true }, () => server.close(() => free()));
  });
}

function reason(fault: NodeJS.ErrnoException, host: string, port: number): string {
  switch (fault.code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use by another program. Stop that one, or set PORT to another.`;
    case "EACCES":
      return `This user may not listen on port ${port}. Set PORT to one above 1023.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `HOST ${host} is not an address of this machine.`;
    default:
      return `Sonde cannot listen on ${host}, port ${port}: ${fault.message}`;
  }
}

/** The address to open in a browser on this machine. */
export function localAddress(host: string, port: number): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  const name = everywhere ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
