import { readdir, readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { demoDocuments, type DemoOptions } from "@sonde/status-page/testing/demo-documents";

export type StatusDemo = {
  url: string;
  change(options: DemoOptions): void;
  send(event: string, data: unknown): void;
  /** Ends every stream, as a restarting gateway does. */
  dropStreams(): void;
  posted: unknown[];
  close(): Promise<void>;
};

/** Serves the public page with its built script and style, rendered from an example snapshot without any service. */
export async function startStatusDemo(options: DemoOptions = {}): Promise<StatusDemo> {
  const files = await builtFiles();
  const streams = new Set<ServerResponse>();
  const posted: unknown[] = [];
  let shown = options;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/api/status/events") {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n");
      streams.add(response);
      return void response.on("close", () => streams.delete(response));
    }
    if (pathname === "/api/status/subscribers") {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      return void request.on("end", () => {
        posted.push(JSON.parse(Buffer.concat(chunks).toString()));
        response.setHeader("content-type", "application/json").end('{"success":true,"message":"Look into your mail"}');
      });
    }
    const file = files.get(pathname);
    if (file !== undefined) return void response.setHeader("content-type", file.type).end(file.body);
    const requested = searchParams.get("lang") ?? request.headers["accept-language"];
    const language = requested?.startsWith("zh") === true ? "zh-CN" : "en-US";
    const document = demoDocuments({ ...shown, language }).get(pathname);
    if (document === undefined) return void response.writeHead(404).end();
    response.setHeader("content-type", "text/html; charset=utf-8").end(document());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    change: (next) => void (shown = next),
    send: (event, data) => {
      for (const stream of streams) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    dropStreams: () => {
      for (const stream of streams) stream.destroy();
    },
    posted,
    close: async () => {
      for (const stream of streams) stream.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Files = Map<string, { type: string; body: string | Uint8Array }>;

async function builtFiles(): Promise<Files> {
  const dist = join(import.meta.dirname, "../../deploy/local/dist/web/current");
  const entries = await readdir(dist, { recursive: true, withFileTypes: true }).catch(() => []);
  if (entries.length === 0) throw new Error("The web app is not built: npm test builds it");
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(
      files.map(async (path) => {
        const type = path.endsWith(".css") ? "text/css" : "text/javascript";
        return [path.slice(dist.length), { type, body: await readFile(path) }] as const;
      }),
    ),
  );
}
