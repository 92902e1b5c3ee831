import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import type { startEngine } from "../clickhouse/embedded.ts";
import { createQueue } from "@sonde/kit/concurrency/queue";

export type HttpClickHouse = { port: number; stop(): Promise<void> };

/**
 * The part of ClickHouse's HTTP interface that its client uses, in front of an embedded engine: a server that tests can
 * start and stop. Parameters and settings come in the address, an insert's rows in the body.
 * @see https://clickhouse.com/docs/interfaces/http
 */
export async function serveClickHouse(
  engine: Awaited<ReturnType<typeof startEngine>>,
  port: number,
): Promise<HttpClickHouse> {
  const connection = engine.connect();
  const queue = createQueue();
  const run = (query: string) => connection.query({ query } as Parameters<typeof connection.query>[0]);

  const answer = async (request: IncomingMessage): Promise<string> => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const body = await text(request.headers["content-encoding"] === "gzip" ? request.pipe(createGunzip()) : request);
    const statement = searchParams.get("query");
    const quoted = (value: string) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
    return queue(async () => {
      await run(`USE ${searchParams.get("database") ?? "default"}`);
      for (const [name, value] of searchParams) {
        if (name.startsWith("param_")) await run(`SET ${name} = ${quoted(value)}`);
      }
      const { stream } = await run(statement === null ? body : `${statement}\n${body}`);
      return text(stream);
    });
  };

  const server = createServer((request, response) => {
    answer(request).then(
      (result) => response.end(result),
      (error: { code?: string; type?: string; message: string }) => {
        response.writeHead(500, { "x-clickhouse-exception-code": error.code ?? "1" });
        response.end(`Code: ${error.code}. DB::Exception: ${error.message} (${error.type})`);
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await connection.close();
    },
  };
}
