import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "@sonde/kit/testing/certificate";

type Secret = {
  metadata: { name: string; labels?: object; annotations?: object; resourceVersion: string };
  data: Record<string, string>;
};

/** The response to a request instead of the server's own. */
type Instead = { status: number; reason: string; message: string } | null;

/**
 * As much of a Kubernetes API server as the Secrets of one namespace need: get, create and merge patch, with the
 * statuses, the `Status` bodies and the resource versions of the real one.
 */
export async function startApiServer() {
  const { key, cert } = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 86_400_000) });
  const folder = await mkdtemp(join(tmpdir(), "sonde-service-account-"));
  await Promise.all([
    writeFile(join(folder, "ca.crt"), cert),
    writeFile(join(folder, "token"), "a-token"),
    writeFile(join(folder, "namespace"), "sonde"),
  ]);
  const secrets = new Map<string, Secret>();
  const asked: string[] = [];
  let version = 100;
  let instead: (asked: string) => Instead = () => null;

  const server = createServer({ key, cert }, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const reply = (status: number, body: object) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    const refuse = (code: number, reason: string, message: string) =>
      reply(code, { kind: "Status", apiVersion: "v1", status: "Failure", message, reason, code });
    const question = `${request.method} ${request.url}`;
    asked.push(question);
    if (request.headers.authorization !== "Bearer a-token") return refuse(401, "Unauthorized", "Unauthorized");
    const given = instead(question);
    if (given !== null) return refuse(given.status, given.reason, given.message);
    const name = /^\/api\/v1\/namespaces\/sonde\/secrets\/([^/?]+)$/.exec(request.url ?? "")?.[1] ?? "";
    const body = JSON.parse(Buffer.concat(parts).toString() || '{"metadata":{}}') as Secret;
    const found = secrets.get(name);
    if (request.method === "POST") {
      if (secrets.has(body.metadata.name))
        return refuse(409, "AlreadyExists", `secrets "${body.metadata.name}" already exists`);
      const made = { ...body, metadata: { ...body.metadata, resourceVersion: String(version++) } };
      secrets.set(body.metadata.name, made);
      return reply(201, made);
    }
    if (found === undefined) return refuse(404, "NotFound", `secrets "${name}" not found`);
    if (request.method === "GET") return reply(200, found);
    if (request.headers["content-type"] !== "application/merge-patch+json")
      return refuse(415, "UnsupportedMediaType", "the body of the request was in an unknown format");
    if (body.metadata.resourceVersion !== found.metadata.resourceVersion)
      return refuse(
        409,
        "Conflict",
        `Operation cannot be fulfilled on secrets "${name}": the object has been modified`,
      );
    found.data = { ...found.data, ...body.data };
    found.metadata.resourceVersion = String(version++);
    return reply(200, found);
  });
  const listen = (port = 0) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen();
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)));
  return {
    folder,
    environment: { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(port) },
    /** Each request: `GET /api/v1/…`. */
    asked,
    answerInstead: (how: typeof instead) => void (instead = how),
    /** What a Secret holds, as text. */
    read: (name: string) =>
      Object.fromEntries(
        Object.entries(secrets.get(name)?.data ?? {}).map(([key, value]) => [
          key,
          Buffer.from(value, "base64").toString(),
        ]),
      ),
    metadata: (name: string) => secrets.get(name)?.metadata,
    put: (name: string, texts: Record<string, string>) =>
      void secrets.set(name, {
        metadata: { name, resourceVersion: String(version++) },
        data: Object.fromEntries(
          Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
        ),
      }),
    goAway: close,
    comeBack: () => listen(port),
    stop: async () => {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
