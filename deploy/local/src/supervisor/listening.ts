import { boundAddress, parseAddress } from "@sonde/kit/addresses";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { StartupError } from "@sonde/kit/service/startup-error";

/** @throws StartupError if the gateway could not listen, with what to do about it */
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
      return `Port ${port} on ${host} is in use by another program. Stop it, or set PORT to a different port.`;
    case "EACCES":
      return `This user cannot listen on port ${port}. Set PORT to a port above 1023.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `HOST ${host} is not an address of this machine.`;
    default:
      return `Sonde cannot listen on ${host}, port ${port}: ${fault.message}`;
  }
}

const isEverywhere = (host: string) => host === "0.0.0.0" || host === "::";
const urlOf = (name: string, port: number) => `http://${name.includes(":") ? `[${name}]` : name}:${port}`;

export const localAddress = (host: string, port: number): string =>
  urlOf(isEverywhere(host) ? "127.0.0.1" : host, port);

const maxShown = 8;

/**
 * Returns the gateway's addresses for a browser, the local one last. PUBLIC_URL replaces the others. Link-local addresses
 * are omitted, because browsers do not support their zone.
 */
export function addressesOf(
  { HOST, PORT, PUBLIC_URL }: { HOST: string; PORT: number; PUBLIC_URL?: string | undefined },
  interfaces: typeof networkInterfaces = networkInterfaces,
): string[] {
  const local = localAddress(HOST, PORT);
  if (PUBLIC_URL !== undefined) return [...new Set([PUBLIC_URL.replace(/\/+$/, ""), local])];
  if (!isEverywhere(HOST)) return [local];
  const others = Object.values(interfaces())
    .flatMap((found = []) => found)
    .filter(
      ({ internal, family, address }) => !internal && (HOST === "::" || family === "IPv4") && isRoutable(address),
    );
  return [...others.slice(0, maxShown).map(({ address }) => urlOf(address, PORT)), local];
}

const isRoutable = (address: string) => parseAddress(address)?.range() !== "linkLocal";
