import { createGuard } from "./guard.ts";
import type { Resolution, Resolver } from "./resolver.ts";
import { makeCertificate } from "./certificate.testing.ts";
import { createServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { fakeClock } from "../time/clock.ts";
import { afterEach, expect, test, vi } from "vitest";
import { createEgress, type EgressError, type HttpRequest } from "./requests.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}
const serve = (listener: RequestListener) => listen(createServer(listener));
/** A raw TCP server. */
const speak = (onSocket: (socket: Socket) => void) => listen(createTcpServer(onSocket));

function resolverOf(resolve: (host: string) => Resolution | Promise<Resolution>): Resolver {
  const compare = async () => ({ others: 0, credible: true, lastFoundMs: 0 });
  const origin = { servers: () => "", originOf: async () => undefined };
  return { resolve, compare, ...origin, answeredSince: () => true, close: () => {} };
}
const local = resolverOf(() => ({ addresses: ["127.0.0.1"] }));
const ask = (url: string, given: Partial<HttpRequest> = {}, resolver = local, denyCidrs: string[] = []) =>
  createEgress({ resolver, guard: createGuard({ denyCidrs }) }).request({
    method: "POST",
    url,
    body: "{}",
    signal: new AbortController().signal,
    ...given,
  });
const faultOf = (asking: Promise<unknown>): Promise<EgressError> =>
  asking.then(
    () => Promise.reject(new Error("it was answered")),
    (fault: EgressError) => fault,
  );

test("a request arrives unchanged, and its response is returned", async () => {
  let seen: unknown;
  const port = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      seen = { method, url, headers, body: Buffer.concat(chunks).toString() };
      response.writeHead(202, { "X-Id": "7", "Retry-After": "3" }).end("好");
    });
  });
  const headers = { "Content-Type": "application/json", "Content-Length": "1", "Transfer-Encoding": "chunked" };
  const answer = await ask(`http://hook.test:${port}/a?b=1`, { method: "PUT", headers, body: "你好" });
  expect(answer).toMatchObject({ statusCode: 202, text: "好", headers: { "x-id": "7", "retry-after": "3" } });
  expect(seen).toMatchObject({ method: "PUT", url: "/a?b=1", body: "你好" });
  expect(seen).toMatchObject({
    headers: {
      host: `hook.test:${port}`,
      "content-length": "6",
      "content-type": "application/json",
      connection: "close",
    },
  });
});

test("URL credentials are sent in a header, not in the request line", async () => {
  let seen: [string | undefined, string | undefined] = ["", ""];
  const port = await serve((request, response) => {
    seen = [request.url, request.headers.authorization];
    response.end();
  });
  await ask(`http://me:p%40ss@hook.test:${port}/x`);
  expect(seen).toEqual(["/x", `Basic ${Buffer.from("me:p@ss").toString("base64")}`]);
});

test("a redirect is returned and not followed", async () => {
  let requests = 0;
  const port = await serve((_request, response) => {
    requests += 1;
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  expect(await ask(`http://hook.test:${port}/`)).toMatchObject({ statusCode: 302 });
  expect(requests).toBe(1);
});

test("an endless response is cut at 64 KiB", async () => {
  const port = await serve((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(16_384)));
    };
    response.on("drain", more);
    more();
  });
  const { text } = await ask(`http://hook.test:${port}/`);
  expect(text).toHaveLength(64 * 1024);
});

test.each<[string, Resolution, string[]]>([
  ["a forbidden address", { addresses: ["169.254.169.254"] }, []],
  ["a forbidden and an allowed address", { addresses: ["127.0.0.1", "10.0.0.1"] }, ["10.0.0.0/8"]],
])("a name that resolves to %s is not dialled", async (_name, answer, denied) => {
  let connections = 0;
  const port = await speak(() => (connections += 1));
  const fault = await faultOf(
    ask(
      `http://rebound.test:${port}/`,
      {},
      resolverOf(() => answer),
      denied,
    ),
  );
  expect(fault).toMatchObject({ kind: "blocked", sent: false });
  expect(connections).toBe(0);
});

test("the guard checks every request, because a name may change its address", async () => {
  const port = await serve((_request, response) => response.end("ok"));
  const answers = ["127.0.0.1", "169.254.169.254"];
  const rebinding = resolverOf(() => ({ addresses: [answers.shift() ?? ""] }));
  expect(await ask(`http://rebound.test:${port}/`, {}, rebinding)).toMatchObject({ text: "ok" });
  expect(await faultOf(ask(`http://rebound.test:${port}/`, {}, rebinding))).toMatchObject({ kind: "blocked" });
});

test("an untrusted certificate ends the connection before the request is written", async () => {
  const certificate = makeCertificate({ names: ["hook.test"], notAfter: new Date(Date.now() + 86_400_000) });
  let requests = 0;
  const port = await listen(createHttpsServer(certificate, () => (requests += 1)));
  const fault = await faultOf(ask(`https://hook.test:${port}/secret-path`));
  expect(fault).toMatchObject({ kind: "tls", sent: false });
  expect(fault.message).toBe("The certificate of hook.test is not trusted; use CA_FILE to add your own CA");
  expect(fault.message).not.toContain("secret-path");
  expect(requests).toBe(0);
});

test.each<[string, string]>([
  ["sends nothing", ""],
  ["stops within its response", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab"],
])("a request may have been processed if the server times out and %s", async (_name, said) => {
  const giveUp = new AbortController();
  const port = await speak((socket) => {
    socket.once("data", () => {
      socket.write(said);
      setImmediate(() => giveUp.abort());
    });
  });
  const fault = await faultOf(ask(`http://hook.test:${port}/`, { signal: giveUp.signal }));
  expect(fault).toMatchObject({ kind: "timeout", sent: true });
});

test.each<[string, string | null]>([
  ["speaks another protocol", "220 mail.test ESMTP\r\n"],
  ["closes the connection", null],
])(
  "a request may have been processed if the server %s, and the error has no secret of the URL",
  async (_name, said) => {
    const port = await speak((socket) => {
      socket.once("data", () => (said === null ? socket.destroy() : socket.end(said)));
    });
    const fault = await faultOf(ask(`http://hook.test:${port}/secret-path?token=canary`));
    expect(fault).toMatchObject({ kind: "protocol", sent: true });
    expect(fault.message).not.toMatch(/secret-path|canary/);
  },
);

test("a process that was suspended while connecting sends nothing afterwards", async () => {
  let requests = 0;
  const port = await serve(() => (requests += 1));
  const clock = fakeClock();
  const resolver = resolverOf(() => {
    clock.advance(16_000);
    return { addresses: ["127.0.0.1"] };
  });
  const request = {
    method: "POST",
    url: `http://hook.test:${port}/`,
    body: "",
    signal: AbortSignal.timeout(60_000),
  } as const;
  const fault = await faultOf(createEgress({ resolver, guard: createGuard() }, clock).request(request));
  expect(fault).toMatchObject({ kind: "timeout", sent: false });
  expect(requests).toBe(0);
});

test("nothing was sent if the connection is refused or the name does not exist", async () => {
  const port = await speak(() => {});
  closing.splice(0).forEach((close) => close());
  expect(await faultOf(ask(`http://hook.test:${port}/`))).toMatchObject({ kind: "connect", sent: false });
  const lost = resolverOf(() => ({ failure: "not_found", message: "hook.test has no address" }));
  expect(await faultOf(ask("http://hook.test/", {}, lost))).toMatchObject({ kind: "dns", sent: false });
});

test("an unresponsive name server is limited by the request timeout", async () => {
  const giveUp = new AbortController();
  const asking = faultOf(
    ask(
      "http://hook.test/",
      { signal: giveUp.signal },
      resolverOf(() => new Promise(() => {})),
    ),
  );
  giveUp.abort();
  expect(await asking).toMatchObject({ kind: "dns", sent: false });
});

test("an invalid header is an error that does not reveal its value", async () => {
  const port = await serve((_request, response) => response.end());
  const fault = await faultOf(ask(`http://hook.test:${port}/`, { headers: { "X-Key": "can\r\nary" } }));
  expect(fault).toMatchObject({ kind: "protocol", sent: false });
  expect(fault.message).not.toContain("ary");
});

test("other protocols get an address that the guard allowed", async () => {
  const egress = (address: string) =>
    createEgress({ resolver: resolverOf(() => ({ addresses: [address] })), guard: createGuard() });
  expect(await egress("192.0.2.1").addressOf("mail.test")).toBe("192.0.2.1");
  expect(await faultOf(egress("169.254.169.254").addressOf("mail.test"))).toMatchObject({ kind: "blocked" });
});

test("a response in one-byte chunks takes no more memory than its bytes, and is cut at the limit", async () => {
  const chunk = "1\r\na\r\n".repeat(80_000);
  const port = await speak((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`));
  });
  const copied = vi.spyOn(Buffer, "concat");
  expect((await ask(`http://127.0.0.1:${port}/`)).text).toBe("a".repeat(65_536));
  expect(copied.mock.calls.filter(([list]) => list.length > 1000)).toEqual([]);
});

test("a server that only sends 1xx responses is disconnected", async () => {
  const port = await speak((socket) => {
    socket.on("error", () => {});
    const inform = () => socket.writable && socket.write("HTTP/1.1 103 Early\r\n\r\n", () => setImmediate(inform));
    socket.once("data", inform);
  });
  const fault = await faultOf(ask(`http://127.0.0.1:${port}/`));
  expect(fault).toMatchObject({
    kind: "protocol",
    sent: true,
    message: "127.0.0.1 sent a response that is too large",
  });
});
