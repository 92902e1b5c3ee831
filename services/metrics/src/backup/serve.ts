import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "@sonde/kit/http/node-http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import type { Log } from "@sonde/kit/service/log";
import type { HistorySource } from "./parts.ts";

export type HistoryListener = { port: number; stop(): Promise<void> };
type Place = { host: string; port: number; token: string };

/** Response header with the `RowCount` of a part, as JSON. */
export const rowsHeader = "sonde-rows";

/**
 * Serves the embedded engine's history to backups, since no other process can open its directory: `GET /parts`
 * (`HistoryContents`) and `GET /parts/<table>/<partition>` (rows), with a bearer token.
 */
export async function serveHistory(
  source: HistorySource,
  { host, port, token }: Place,
  log: Log,
): Promise<HistoryListener> {
  const server = createServer((request, response) => {
    answer(source, token, request, response).catch((error: unknown) => {
      log.warn({ err: error }, "serving a backup failed");
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await source.close();
    },
  };
}

async function answer(source: HistorySource, token: string, request: IncomingMessage, response: ServerResponse) {
  if (!isSame(request.headers.authorization ?? "", `Bearer ${token}`)) return void response.writeHead(401).end();
  const [, word, table, partition, ...rest] = (request.url ?? "").split("/");
  if (request.method !== "GET" || word !== "parts" || rest.length > 0) return void response.writeHead(404).end();
  const contents = await source.contents();
  if (table === undefined) {
    return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(contents));
  }
  const part = contents.parts.find((one) => one.table === table && one.partition === partition);
  const piece = part && (await source.read(part));
  if (piece === undefined) return void response.writeHead(404).end();
  const { body, rows } = piece;
  response.writeHead(200, { "content-type": "application/zstd", [rowsHeader]: JSON.stringify(rows) });
  await pipeline(body, response);
}

const hash = (text: string) => createHash("sha256").update(text).digest();
const isSame = (a: string, b: string) => timingSafeEqual(hash(a), hash(b));
