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

type Override = { status: number; reason: string; message: string } | null;

/**
 * Fake Kubernetes API server for the Secrets of one namespace: get, create and merge patch, with the real statuses,
 * `Status` bodies and resource versions.
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
  const requests: string[] = [];
  let version = 100;
  let overrideFor: (request: string) => Override = () => null;

  const server = createServer({ key, cert }, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const reply = (status: number, body: object) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    const refuse = (code: number, reason: string, message: string) =>
      reply(code, { kind: "Status", apiVersion: "v1", status: "Failure", message, reason, code });
    const line = `${request.method} ${request.url}`;
    requests.push(line);
    if (request.headers.authorization !== "Bearer a-token") return refuse(401, "Unauthorized", "Unauthorized");
    const override = overrideFor(line);
    if (override !== null) return refuse(override.status, override.reason, override.message);
    const name = /^\/api\/v1\/namespaces\/sonde\/secrets\/([^/?]+)$/.exec(request.url ?? "")?.[1] ?? "";
    const body = JSON.parse(Buffer.concat(parts).toString() || '{"metadata":{}}') as Secret;
    const secret = secrets.get(name);
    if (request.method === "POST") {
      if (secrets.has(body.metadata.name))
        return refuse(409, "AlreadyExists", `secrets "${body.metadata.name}" already exists`);
      const created = { ...body, metadata: { ...body.metadata, resourceVersion: String(version++) } };
      secrets.set(body.metadata.name, created);
      return reply(201, created);
    }
    if (secret === undefined) return refuse(404, "NotFound", `secrets "${name}" not found`);
    if (request.method === "GET") return reply(200, secret);
    if (request.headers["content-type"] !== "application/merge-patch+json")
      return refuse(415, "UnsupportedMediaType", "the body of the request was in an unknown format");
    if (body.metadata.resourceVersion !== secret.metadata.resourceVersion)
      return refuse(
        409,
        "Conflict",
        `Operation cannot be fulfilled on secrets "${name}": the object has been modified`,
      );
    secret.data = { ...secret.data, ...body.data };
    secret.metadata.resourceVersion = String(version++);
    return reply(200, secret);
  });
  const listen = (port = 0) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen();
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)));
  return {
    folder,
    environment: { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(port) },
    requests,
    override: (choose: typeof overrideFor) => void (overrideFor = choose),
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
    goOffline: close,
    goOnline: () => listen(port),
    stop: async () => {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
