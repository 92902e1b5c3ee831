import { Exit, exitCodes } from "./exit-codes.ts";

/** An address that never leaves this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * The server's address without a slash at its end.
 * @throws Exit for what is no http(s) address, holds a password, or is plain HTTP beyond this machine without consent
 */
export function parseServer(text: string, allowHttp: boolean): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Exit(exitCodes.usage, `"${text}" is not an address such as https://sonde.example.com`);
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new Exit(exitCodes.usage, "The server's address must begin with https://");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new Exit(exitCodes.usage, "The server's address must hold no password, query or fragment");
  }
  if (url.protocol === "http:" && !allowHttp && !isLoopback(url.hostname)) {
    throw new Exit(
      exitCodes.usage,
      "Over plain HTTP everybody on the way could read the agent's key. Use https://, or --allow-http if you trust the network",
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
