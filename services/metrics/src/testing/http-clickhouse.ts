import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import type { startEngine } from "../clickhouse/embedded.ts";
import { createQueue } from "@sonde/kit/concurrency/limiter";

export type HttpClickHouse = { port: number; stop(): Promise<void> };

export type HttpClickHouseOptions = {
  host?: string;
  /** The only accepted account, by basic authentication or the client's own headers; any if absent. */
  account?: { user: string; password: string };
};

/**
 * The part of ClickHouse's HTTP interface that its client uses, on top of an embedded engine.
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

  const answer = async (request: IncomingMessage): Promise<Buffer> => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const body = await buffer(request.headers["content-encoding"] === "gzip" ? request.pipe(createGunzip()) : request);
    const statement = searchParams.get("query");
    const quoted = (value: string) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
    return queue(async () => {
      await run(`USE ${searchParams.get("database") ?? "default"}`);
      for (const [name, value] of searchParams) {
        if (name.startsWith("param_")) await run(`SET ${name} = ${quoted(value)}`);
      }
      if (statement?.endsWith("FORMAT Native") === true) return insertNative(run, statement, body);
      const { stream } = await run(statement === null ? body.toString() : `${statement}\n${body.toString()}`);
      return buffer(stream);
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

/** The engine accepts a statement's rows only as text, so other formats must come from a file. */
async function insertNative(
  run: (query: string) => Promise<unknown>,
  statement: string,
  body: Buffer,
): Promise<Buffer> {
  const [insert = "", columns = ""] = /^.*?\((.*)\)/.exec(statement) ?? [];
  const folder = await mkdtemp(join(tmpdir(), "sonde-clickhouse-"));
  try {
    await writeFile(join(folder, "rows"), body);
    await run(`${insert} SELECT ${columns} FROM file('${join(folder, "rows")}', 'Native')`);
  } finally {
    await rm(folder, { recursive: true });
  }
  return Buffer.alloc(0);
}

function isBy({ user, password }: { user: string; password: string }, headers: IncomingHttpHeaders): boolean {
  const [own, key] = [headers["x-clickhouse-user"], headers["x-clickhouse-key"]];
  if (own !== undefined || key !== undefined) return own === user && (key ?? "") === password;
  return headers.authorization === `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
