import http from "node:http";
import https from "node:https";
import { getCACertificates, type TLSSocket } from "node:tls";
import { Exit, agentExitCodes } from "./program.ts";

export interface AgentResponse {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
  /** If the client `describesTls` and the server uses https. */
  tls?: { protocol: string; validTo: string; issuer: string };
}

export interface AgentRequest {
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
}

export interface HttpClient {
  send: (request: AgentRequest) => Promise<AgentResponse>;
  close: () => void;
}

const maxResponseBytes = 64 * 1024;

/**
 * Keeps one connection to the server open. Always verifies certificates; `ca` replaces the public authorities,
 * `authorities` are trusted in addition. Rejects without a complete response before the timeout. (`fetch` would cost
 * 40 MB of memory.)
 */
export function httpClient(
  server: string,
  options: { ca?: string; authorities?: string; timeoutMs?: number; userAgent: string; describesTls?: boolean },
): HttpClient {
  const secure = server.startsWith("https:");
  const library = secure ? https : http;
  const agentOptions = { keepAlive: true, maxSockets: 1, keepAliveMsecs: 30_000 };
  const agent = secure
    ? new https.Agent({ ...agentOptions, ca: trusted(options), rejectUnauthorized: true })
    : new http.Agent(agentOptions);
  const timeoutMs = options.timeoutMs ?? 15_000;

  function once(request: AgentRequest): Promise<AgentResponse> {
    return new Promise((resolve, reject) => {
      const headers: Record<string, string | number> = { "user-agent": options.userAgent, ...request.headers };
      if (request.body) headers["content-length"] = request.body.length;
      const outgoing = library.request(`${server}${request.path}`, { method: request.method, headers, agent });
      const timer = setTimeout(
        () => outgoing.destroy(new Error(`no response within ${timeoutMs / 1000} s`)),
        timeoutMs,
      );
      let hasResponse = false;
      const fail = (error: Error) => {
        clearTimeout(timer);
        // Removes Node's suggestion of command-line options that the agent does not support.
        error.message = error.message.replace(/; if the root CA is installed.*/s, "");
        reject(Object.assign(error, { staleConnection: outgoing.reusedSocket && !hasResponse }));
      };
      outgoing.once("error", fail);
      outgoing.once("response", (incoming) => {
        hasResponse = true;
        const tls = options.describesTls ? describeTls(incoming.socket) : undefined;
        const chunks: Buffer[] = [];
        let size = 0;
        incoming.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxResponseBytes) outgoing.destroy(new Error("the response is too large"));
          else chunks.push(chunk);
        });
        incoming.once("error", fail);
        incoming.once("end", () => {
          clearTimeout(timer);
          const body = Buffer.concat(chunks).toString("utf8");
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body, tls });
        });
      });
      outgoing.end(request.body);
    });
  }

  return {
    async send(request) {
      try {
        return await once(request);
      } catch (error) {
        // The server closed the idle connection during the request, which is idempotent, so it is sent again.
        const stale = error instanceof Error && "staleConnection" in error && error.staleConnection === true;
        if (stale && "code" in error && ["ECONNRESET", "EPIPE"].includes(String(error.code))) return once(request);
        throw error;
      }
    },
    close: () => agent.destroy(),
  };
}

function trusted({ ca, authorities }: { ca?: string; authorities?: string }): string | string[] | undefined {
  if (authorities === undefined) return ca;
  return ca === undefined ? [...getCACertificates(), authorities] : [ca, authorities];
}

function describeTls(socket: NodeJS.Socket): AgentResponse["tls"] {
  if (!("getPeerCertificate" in socket)) return undefined;
  const secure = socket as unknown as TLSSocket;
  const certificate = secure.getPeerCertificate();
  const issuer = certificate.issuer?.O ?? certificate.issuer?.CN;
  return {
    protocol: secure.getProtocol() ?? "TLS",
    validTo: certificate.valid_to,
    issuer: String(issuer ?? "unknown"),
  };
}

export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * Returns the server's address without a trailing slash.
 * @throws Exit if it is not an http(s) address, contains a password, or is plain HTTP to another machine without
 * consent
 */
export function parseServer(text: string, allowHttp: boolean): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Exit(agentExitCodes.usage, `"${text}" is not an address such as https://sonde.example.com`);
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new Exit(agentExitCodes.usage, "The server's address must begin with https://");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new Exit(agentExitCodes.usage, "The server's address cannot contain a password, query or fragment");
  }
  if (url.protocol === "http:" && !allowHttp && !isLoopbackHost(url.hostname)) {
    throw new Exit(
      agentExitCodes.usage,
      "Plain HTTP would expose the agent's key on the network. Use https://, or --allow-http if you trust the network",
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
