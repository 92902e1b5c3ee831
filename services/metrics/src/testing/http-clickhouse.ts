import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import type { startEngine } from "../clickhouse/embedded.ts";
import { createQueue } from "@sonde/kit/concurrency/limiter";

export type HttpClickHouse = { port: number; stop(): Promise<void> };

export type HttpClickHouseOptions = {
  host?: string;
  /** The permitted account, by basic authentication or the client's own headers; any if absent. */
  account?: { user: string; password: string };
};

/**
 * The part of ClickHouse's HTTP interface that its client uses, in front of an embedded engine: a server that tests can
 * start and stop. Parameters and settings come in the address, an insert's rows in the body.
 * @see https://clickhouse.com/docs/interfaces/http
 */
export async function serveClickHouse(
  engine: Awaited<ReturnType<typeof startEngine>>,
  port: number,
  { host = "127.0.0.1", account }: HttpClickHouseOptions = {},
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
    if (request.url === "/ping") return void response.end("Ok.\n");
    if (account !== undefined && !isBy(account, request.headers)) {
      response.writeHead(403, { "x-clickhouse-exception-code": "516" });
      return void response.end(
        "Code: 516. DB::Exception: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)",
      );
    }
    answer(request).then(
      (result) => response.end(result),
      (error: { code?: string; type?: string; message: string }) => {
        response.writeHead(500, { "x-clickhouse-exception-code": error.code ?? "1" });
        response.end(`Code: ${error.code}. DB::Exception: ${error.message} (${error.type})`);
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await connection.close();
    },
  };
}

function isBy({ user, password }: { user: string; password: string }, headers: IncomingHttpHeaders): boolean {
  const [own, key] = [headers["x-clickhouse-user"], headers["x-clickhouse-key"]];
  if (own !== undefined || key !== undefined) return own === user && (key ?? "") === password;
  return headers.authorization === `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
