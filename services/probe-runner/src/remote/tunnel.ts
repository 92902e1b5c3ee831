import { Agent as HttpAgent, request } from "@sonde/kit/http/node-http";
import { Agent as HttpsAgent } from "node:https";
import type { Agent } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { callbackify } from "node:util";

const connectMs = 10_000;

/**
 * Returns the proxy for a URL from `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in upper or lower case; `null` without
 * one. Entries of `NO_PROXY` are host names, domains, or `*`.
 * @throws Error if the proxy's address is not http
 */
export function proxyFor(url: URL, environment: NodeJS.ProcessEnv): URL | null {
  const read = (name: string) => environment[name] || environment[name.toLowerCase()] || "";
  const address = read(url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (address === "" || isExempt(url.hostname, read("NO_PROXY"))) return null;
  const proxy = URL.parse(address.includes("://") ? address : `http://${address}`);
  if (proxy?.protocol !== "http:") throw new Error("HTTPS_PROXY must be an address such as http://proxy:3128");
  return proxy;
}

function isExempt(host: string, list: string): boolean {
  const domains = list.split(/[\s,]+/).filter(Boolean);
  return domains.some((given) => {
    const domain = given.replace(/^\*?\./, "").toLowerCase();
    return domain === "*" || host === domain || host.endsWith(`.${domain}`);
  });
}

/** Opens connections through a proxy's tunnel (RFC 9110 §9.3.6). */
export function tunnelAgent(url: URL, proxy: URL | null): Agent | undefined {
  if (proxy === null) return undefined;
  const isSecure = url.protocol === "https:";
  const agent = isSecure ? new HttpsAgent() : new HttpAgent();
  const authority = `${url.hostname}:${url.port || (isSecure ? 443 : 80)}`;
  const connect = callbackify(async (options: ConnectionOptions): Promise<Duplex> => {
    const socket = await openTunnel(proxy, authority);
    return isSecure ? connectTls({ ...options, socket }) : socket;
  });
  agent.createConnection = (options, done) => {
    connect(options as ConnectionOptions, (error, socket) => done?.(error, socket));
    return undefined;
  };
  return agent;
}

function openTunnel(proxy: URL, authority: string): Promise<Socket> {
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const headers: Record<string, string> = { Host: authority };
  if (login !== ":") headers["Proxy-Authorization"] = `Basic ${Buffer.from(login).toString("base64")}`;
  const { hostname: host, port } = proxy;
  return new Promise((resolve, reject) => {
    const asked = request({ host, port: port || 80, method: "CONNECT", path: authority, headers, timeout: connectMs });
    asked.once("connect", ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} returned status ${statusCode}`));
    });
    asked.once("timeout", () => asked.destroy(new Error(`the proxy ${proxy.host} does not respond`)));
    asked.once("error", reject);
    asked.end();
  });
}
