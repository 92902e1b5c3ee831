import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { fromBinary } from "@bufbuild/protobuf";
import { type Report, ReportSchema } from "@sonde/proto/gen/agents/v1/samples";
import { onTestFinished } from "vitest";

interface Received {
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
  report?: Report;
}

export type Respond = (response: ServerResponse, received: Received) => void;

export function json(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

export const accept: Respond = (response, { report }) =>
  json(response, 200, { success: true, accepted: report?.samples.length ?? 0, serverTime: new Date().toISOString() });

/** Sends one response per request; the last one is repeated. */
export async function fakeServer(responds: Respond[], tls?: { key: string; cert: string }) {
  const received: Received[] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
    const entry: Received = { path: request.url ?? "", headers: request.headers, body };
    if (entry.path.endsWith("/report")) entry.report = fromBinary(ReportSchema, body);
    const respond = responds[Math.min(received.length, responds.length - 1)];
    received.push(entry);
    respond?.(response, entry);
  };
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return { url: `${tls ? "https" : "http"}://127.0.0.1:${port}`, port, received, close };
}
