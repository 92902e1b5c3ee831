import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBodyPool } from "@sonde/kit/http/body-pool";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../testing/test-app.ts";
import { forwardTo } from "./forward.ts";
import { createRequestClasses } from "./forward.ts";

type Seen = {
  method?: string | undefined;
  url?: string | undefined;
  headers: IncomingMessage["headers"];
  hash: string;
};

let app: TestApp;
let ingest: Server;
let folder: string;
const seen: Seen[] = [];
let connections = 0;
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  ingest = createServer((request, response) => {
    const hash = createHash("sha256");
    request.on("data", (chunk: Buffer) => hash.update(chunk));
    request.on("end", () => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, hash: hash.digest("hex") });
      answer(response);
    });
  });
  ingest.on("connection", () => connections++);
  await once(ingest.listen(0, "127.0.0.1"), "listening");
  folder = await mkdtemp(join(tmpdir(), "sonde-downloads-"));
  await writeFile(join(folder, "sonde-agent-linux-x64.tar.xz"), "an archive");
  await writeFile(join(folder, "SHA256SUMS"), "sums");
  await writeFile(join(folder, ".cache"), "canary");
  await symlink("/etc/hostname", join(folder, "link"));
  const started = await startTestApp();
  const config = { ...started.deps.config, agentDownloadDir: folder };
  await started.stop();
  const forward = forwardTo(`http://127.0.0.1:${(ingest.address() as AddressInfo).port}`);
  app = await startTestApp({ forward, config });
});
afterAll(async () => {
  await app.stop();
  ingest.closeAllConnections();
  ingest.close();
  await rm(folder, { recursive: true, force: true });
});

const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  fetch(`${app.url}/agent/v1/report`, { method: "POST", body: new Uint8Array(Buffer.from(body)), headers });

describe("the agent path", () => {
  test("rejects a key that ignores its retry delay without reading the body, but not others", async () => {
    answer = (response) => void response.writeHead(429, { "retry-after": "20" }).end("{}");
    const report = (key: string) => post("{}", { authorization: `Bearer ${key}`, "content-type": "application/json" });
    expect((await report("eager")).status).toBe(429);
    const before = seen.length;
    const again = await report("eager");
    expect([again.status, again.headers.get("connection"), seen.length]).toEqual([429, "close", before]);
    expect(Number(again.headers.get("retry-after"))).toBeGreaterThan(15);
    answer = (response) => void response.writeHead(200).end("{}");
    expect((await report("other")).status).toBe(200);
  });

  test("forwards how to present a rejected key", async () => {
    answer = (response) => void response.writeHead(401, { "www-authenticate": "Bearer" }).end("{}");
    const refused = await post("{}", { authorization: "Bearer gone", "content-type": "application/json" });
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  test("forwards body, key and language unchanged, and returns the response as it is", async () => {
    answer = (response) => {
      const head = { "content-type": "application/json", "retry-after": "7", "x-inside": "secret" };
      response.writeHead(429, head).end('{"success":false}');
    };
    const body = Buffer.alloc(3 * 2 ** 20, 7);
    const headers = { authorization: "Bearer k", "content-type": "application/x-protobuf", "accept-language": "zh" };
    const response = await post(body, { ...headers, cookie: "a=b", "x-forwarded-for": "203.0.113.9" });
    expect([response.status, await response.json()]).toEqual([429, { success: false }]);
    expect([response.headers.get("retry-after"), response.headers.get("x-inside")]).toEqual(["7", null]);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(seen.at(-1)).toMatchObject({ method: "POST", url: "/agent/v1/report", headers });
    expect(seen.at(-1)?.hash).toBe(createHash("sha256").update(body).digest("hex"));
    expect(seen.at(-1)?.headers).not.toHaveProperty("cookie");
    expect(seen.at(-1)?.headers["x-forwarded-for"]).toBe("127.0.0.1");
    expect(seen.at(-1)?.headers["x-request-id"]).toBe(response.headers.get("x-request-id"));
  });

  test("reuses one connection for successive reports", async () => {
    answer = (response) => response.end("{}");
    // An unknown key gets other connections than one that was accepted.
    for (let count = 0; count < 2; count++) await (await post("1")).text();
    const before = connections;
    for (let count = 0; count < 5; count++) await (await post("1")).text();
    expect(connections).toBe(before);
  });

  test("responds with 503 in the envelope while agent-ingest is unavailable", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    closed.close();
    for (const url of [null, `http://127.0.0.1:${port}`]) {
      const alone = await startTestApp({ forward: forwardTo(url) });
      const response = await fetch(`${alone.url}/agent/v1/report`, { method: "POST", body: "x".repeat(100_000) });
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
      expect(await response.json()).toMatchObject({ success: false, code: "unavailable" });
      await alone.stop();
    }
  });

  test("responds with 503 when agent-ingest closes the connection midway", async () => {
    answer = (response) => response.destroy();
    expect((await post("1")).status).toBe(503);
  });
});

describe("slow senders", () => {
  const head = (path: string, length: number, more = "") =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}Content-Length: ${length}\r\n\r\n`;
  const sockets: Socket[] = [];
  afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));
  async function drip(count: number, text: string): Promise<void> {
    const opened = Array.from({ length: count }, () => {
      const socket = connect(app.port, "127.0.0.1")
        .on("error", () => {})
        .on("data", () => {});
      sockets.push(socket);
      socket.write(text);
      return once(socket, "connect");
    });
    await Promise.all(opened);
  }

  test.each([
    ["registrations", head("/agent/v1/register", 1000)],
    ["reports by keys that nobody knows", head("/agent/v1/report", 1000, "Authorization: Bearer no-key\r\n")],
  ])("of %s delay no report, and never reach agent-ingest", async (_what, text) => {
    answer = (response) => response.end("{}");
    await post("1", { authorization: "Bearer good" });
    const before = seen.length;
    await drip(300, `${text}{`);
    for (let count = 0; count < 5; count++) {
      expect((await post("1", { authorization: "Bearer good" })).status).toBe(200);
      expect((await post("1", { authorization: "Bearer new" })).status).toBe(200);
    }
    const registered = await fetch(`${app.url}/agent/v1/register`, { method: "POST", body: "{}" });
    expect(registered.status).toBe(200);
    expect(seen.length).toBe(before + 11);
  });

  test("cannot exceed 64 KiB in a registration", async () => {
    const register = (body: string) => fetch(`${app.url}/agent/v1/register`, { method: "POST", body });
    answer = (response) => response.end("{}");
    expect((await register("x".repeat(65_536))).status).toBe(200);
    const before = seen.length;
    const refused = await register("x".repeat(65_537));
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([413, "too_large"]);
    expect(seen.length).toBe(before);
  });
});

test("a report over 4 MiB is rejected, and the next one on its connection is handled", async () => {
  answer = (response) => response.end("{}");
  const head = (length: number) => `POST /agent/v1/report HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
  const socket = connect(app.port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => (received += chunk.toString()));
  socket.write(head(4 * 2 ** 20 + 1));
  while (!received.includes("too_large")) await once(socket, "data");
  socket.write(Buffer.alloc(4 * 2 ** 20 + 1, 32));
  socket.write(`${head(2)}{}`);
  while (!received.includes("HTTP/1.1 200")) await once(socket, "data");
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
  socket.destroy();
});

describe("rejected reports", () => {
  test("are published once if agent-ingest is unavailable, but not if the sender disconnected", async () => {
    const silent = createServer(() => {});
    await once(silent.listen(0, "127.0.0.1"), "listening");
    const { port } = silent.address() as AddressInfo;
    const forward = forwardTo(`http://127.0.0.1:${port}`);
    const alone = await startTestApp({ forward });
    const leaving = new AbortController();
    const asked = once(silent, "request");
    const left = fetch(`${alone.url}/agent/v1/report`, { method: "POST", body: "1", signal: leaving.signal });
    const [request] = (await asked) as [IncomingMessage];
    const gone = once(request.socket, "close");
    leaving.abort();
    await expect(left).rejects.toThrow("aborted");
    await gone;
    expect(forward.takeRefused()).toBe(false);
    silent.closeAllConnections();
    silent.close();
    expect((await fetch(`${alone.url}/agent/v1/report`, { method: "POST", body: "1" })).status).toBe(503);
    expect([forward.takeRefused(), forward.takeRefused()]).toEqual([true, false]);
    await alone.stop();
  });

  test("are published if there is no room for known keys, which strangers cannot use up", async () => {
    const url = `http://127.0.0.1:${(ingest.address() as AddressInfo).port}`;
    const classes = createRequestClasses();
    classes.known.bodies = createBodyPool({
      service: "agent-ingest",
      maxBodies: 1,
      maxBytes: 1000,
      maxUnfinished: 1,
      maxUnfinishedOfOwner: 1,
      maxBodiesOfOwner: 1,
      maxBytesOfOwner: 1000,
    });
    const forward = forwardTo(url, classes);
    const alone = await startTestApp({ forward });
    const report = (key: string) =>
      fetch(`${alone.url}/agent/v1/report`, {
        method: "POST",
        body: "1",
        headers: { authorization: `Bearer ${key}` },
      });
    answer = (response) => response.end("{}");
    await Promise.all([report("one"), report("two")]);
    const held = Promise.withResolvers<ServerResponse>();
    answer = held.resolve;
    const first = report("one");
    const waiting = await held.promise;
    expect((await report("two")).status).toBe(503);
    expect(forward.takeRefused()).toBe(true);
    answer = (response) => response.writeHead(401).end("{}");
    expect((await report("a stranger")).status).toBe(401);
    expect(forward.takeRefused()).toBe(false);
    waiting.end("{}");
    expect((await first).status).toBe(200);
    await alone.stop();
  });

  test("are not published for a late body; its agent gets 503 and retries", async () => {
    const classes = createRequestClasses();
    for (const requestClass of Object.values(classes)) requestClass.limits = { ...requestClass.limits, deadlineMs: 30 };
    const forward = forwardTo(`http://127.0.0.1:${(ingest.address() as AddressInfo).port}`, classes);
    const alone = await startTestApp({ forward });
    for (const path of ["register", "report"]) {
      const socket = connect(alone.port, "127.0.0.1");
      let received = "";
      socket.on("data", (chunk) => (received += chunk.toString()));
      const closed = once(socket, "close");
      socket.write(`POST /agent/v1/${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{`);
      await closed;
      expect(received).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 2\r\n/i);
      expect(received).toContain('"message":"The body did not arrive in time","code":"unavailable"');
    }
    expect(forward.takeRefused()).toBe(false);
    await alone.stop();
  });

  test("are not published for a known key over its own limit, and do not delay others", async () => {
    const forward = forwardTo(`http://127.0.0.1:${(ingest.address() as AddressInfo).port}`);
    const alone = await startTestApp({ forward });
    const report = (key: string) =>
      fetch(`${alone.url}/agent/v1/report`, {
        method: "POST",
        body: "x".repeat(1000),
        headers: { authorization: `Bearer ${key}` },
      });
    answer = (response) => response.end("{}");
    await Promise.all([report("greedy"), report("modest")]);
    const waiting: ServerResponse[] = [];
    const full = Promise.withResolvers<void>();
    answer = (response) => void (waiting.push(response) === 16 && full.resolve());
    const held = Array.from({ length: 16 }, () => report("greedy"));
    await full.promise;
    const refused = await report("greedy");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "2"]);
    answer = (response) => response.end("{}");
    expect((await report("modest")).status).toBe(200);
    expect(forward.takeRefused()).toBe(false);
    for (const response of waiting) response.end("{}");
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array(16).fill(200));
    await alone.stop();
  });
});

test("a fleet behind one address can register concurrently", async () => {
  answer = (response) => response.end("{}");
  const register = () => fetch(`${app.url}/agent/v1/register`, { method: "POST", body: "{}" });
  const answers = await Promise.all(Array.from({ length: 100 }, register));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
});

describe("downloads", () => {
  const get = (name: string, init: RequestInit = {}) => fetch(`${app.url}/downloads/${name}`, init);

  test("serve the folder's own files", async () => {
    const response = await get("sonde-agent-linux-x64.tar.xz");
    expect([response.status, await response.text()]).toEqual([200, "an archive"]);
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("content-length")).toBe("10");
    expect(await (await get("SHA256SUMS")).text()).toBe("sums");
    const head = await get("SHA256SUMS", { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "4"]);
    const etag = response.headers.get("etag") ?? "";
    const again = await get("sonde-agent-linux-x64.tar.xz", {
      headers: { "if-none-match": etag, "cache-control": "max-age=60" },
    });
    expect(again.status).toBe(304);
  });

  test.each(["none", "", ".cache", "link", "..%2fetc%2fpasswd", "%2e%2e/x", "a/b", "%00", "SHA256SUMS%00"])(
    "%s is 404",
    async (name) => {
      const response = await get(name);
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([404, "not_found"]);
    },
  );

  test("allow only GET and HEAD", async () => {
    expect((await get("SHA256SUMS", { method: "POST" })).status).toBe(405);
  });
});
