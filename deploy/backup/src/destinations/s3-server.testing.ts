import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** In-memory S3 with one bucket, path-style addresses and only the operations that archives need. */
export type S3Server = {
  endpoint: string;
  objects: Map<string, Buffer>;
  uploads: Map<string, Map<number, Buffer>>;
  refuse(): void;
  stop(): Promise<void>;
};

export async function startS3(bucket: string): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Map<number, Buffer>>();
  let refuses = false;
  const respond = async (
    request: IncomingMessage,
  ): Promise<{ status?: number; body?: string | Buffer; etag?: string }> => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://s3");
    const [, name, ...path] = decodeURIComponent(pathname).split("/");
    const key = path.join("/");
    if (refuses || !(request.headers.authorization ?? "").includes("AWS4-HMAC-SHA256")) {
      return { status: 403, body: "<Error><Code>AccessDenied</Code><Message>key AKIA-SECRET</Message></Error>" };
    }
    if (name !== bucket) return { status: 404, body: "<Error><Code>NoSuchBucket</Code></Error>" };
    const upload = searchParams.get("uploadId") ?? "";
    const body = await buffer(request);
    if (request.method === "POST" && searchParams.has("uploads")) {
      uploads.set(`${uploads.size}-upload`, new Map());
      return {
        body: `<InitiateMultipartUploadResult><UploadId>${uploads.size - 1}-upload</UploadId></InitiateMultipartUploadResult>`,
      };
    }
    if (request.method === "POST") {
      const parts = [...(uploads.get(upload) ?? [])].toSorted(([a], [b]) => a - b);
      objects.set(key, Buffer.concat(parts.map(([, part]) => part)));
      uploads.delete(upload);
      return { body: `<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>` };
    }
    if (request.method === "PUT" && upload !== "") {
      uploads.get(upload)?.set(Number(searchParams.get("partNumber")), body);
      return { etag: '"part"' };
    }
    if (request.method === "PUT") return (objects.set(key, body), { etag: '"whole"' });
    if (request.method === "DELETE")
      return (upload === "" ? objects.delete(key) : uploads.delete(upload), { status: 204 });
    if (key === "") {
      const prefix = searchParams.get("prefix") ?? "";
      const found = [...objects.keys()].filter((one) => one.startsWith(prefix));
      const contents = found.map((one) => `<Contents><Key>${one}</Key></Contents>`).join("");
      return { body: `<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>` };
    }
    const object = objects.get(key);
    return object === undefined ? { status: 404, body: "<Error><Code>NoSuchKey</Code></Error>" } : { body: object };
  };
  const server = createServer((request, response) => {
    void respond(request).then(({ status = 200, body = "", etag }) => {
      response.writeHead(status, etag === undefined ? {} : { etag }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    uploads,
    refuse: () => void (refuses = true),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
