import { createGuard } from "./guard.ts";
import type { Resolution, Resolver } from "./resolver.ts";
import { makeCertificate } from "./certificate.testing.ts";
import { createServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { fakeClock } from "../time/clock.ts";
import { afterEach, expect, test, vi } from "vitest";
import { createEgress, type EgressFault, type HttpRequest } from "./requests.ts";

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
/** A server that sends this to every connection. */
const speak = (onSocket: (socket: Socket) => void) => listen(createTcpServer(onSocket));

function resolverOf(resolve: (host: string) => Resolution | Promise<Resolution>): Resolver {
  const compare = async () => ({ others: 0, credible: true, lastFoundMs: 0 });
  return { resolve, compare, answeredSince: () => true, close: () => {} };
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
const faultOf = (asking: Promise<unknown>): Promise<EgressFault> =>
  asking.then(
    () => Promise.reject(new Error("it was answered")),
    (fault: EgressFault) => fault,
  );

test("a request arrives as it was given, and its answer comes back", async () => {
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

test("name and password of an address travel in a header, not in the request's line", async () => {
  let seen: [string | undefined, string | undefined] = ["", ""];
  const port = await serve((request, response) => {
    seen = [request.url, request.headers.authorization];
    response.end();
  });
  await ask(`http://me:p%40ss@hook.test:${port}/x`);
  expect(seen).toEqual(["/x", `Basic ${Buffer.from("me:p@ss").toString("base64")}`]);
});

test("a redirect is an answer, and is not followed", async () => {
  let requests = 0;
  const port = await serve((_request, response) => {
    requests += 1;
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  expect(await ask(`http://hook.test:${port}/`)).toMatchObject({ statusCode: 302 });
  expect(requests).toBe(1);
});

test("of an endless answer 64 KiB are read", async () => {
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
  ["a forbidden one beside a good one", { addresses: ["127.0.0.1", "10.0.0.1"] }, ["10.0.0.0/8"]],
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

test("the guard looks at each request anew, for a name may come to mean another address", async () => {
  const port = await serve((_request, response) => response.end("ok"));
  const answers = ["127.0.0.1", "169.254.169.254"];
  const rebinding = resolverOf(() => ({ addresses: [answers.shift() ?? ""] }));
  expect(await ask(`http://rebound.test:${port}/`, {}, rebinding)).toMatchObject({ text: "ok" });
  expect(await faultOf(ask(`http://rebound.test:${port}/`, {}, rebinding))).toMatchObject({ kind: "blocked" });
});

test("a certificate that nobody vouches for ends the request before it is written", async () => {
  const certificate = makeCertificate({ names: ["hook.test"], notAfter: new Date(Date.now() + 86_400_000) });
  let requests = 0;
  const port = await listen(createHttpsServer(certificate, () => (requests += 1)));
  const fault = await faultOf(ask(`https://hook.test:${port}/secret-path`));
  expect(fault).toMatchObject({ kind: "tls", sent: false });
  expect(fault.message).toBe("The certificate of hook.test is not trusted; CA_FILE names authorities of your own");
  expect(fault.message).not.toContain("secret-path");
  expect(requests).toBe(0);
});

test.each<[string, string]>([
  ["says nothing", ""],
  ["begins its answer and stops", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab"],
])("a server that takes the request and %s is in doubt once the time is over", async (_name, said) => {
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
  ["closes without an answer", null],
])("a server that %s is in doubt, and no secret of the address is told", async (_name, said) => {
  const port = await speak((socket) => {
    socket.once("data", () => (said === null ? socket.destroy() : socket.end(said)));
  });
  const fault = await faultOf(ask(`http://hook.test:${port}/secret-path?token=canary`));
  expect(fault).toMatchObject({ kind: "protocol", sent: true });
  expect(fault.message).not.toMatch(/secret-path|canary/);
});

test("a process that stood still on the way writes nothing once it goes on", async () => {
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

test("who refuses the connection, or is not found, was sent nothing", async () => {
  const port = await speak(() => {});
  closing.splice(0).forEach((close) => close());
  expect(await faultOf(ask(`http://hook.test:${port}/`))).toMatchObject({ kind: "connect", sent: false });
  const lost = resolverOf(() => ({ failure: "not_found", message: "hook.test has no address" }));
  expect(await faultOf(ask("http://hook.test/", {}, lost))).toMatchObject({ kind: "dns", sent: false });
});

test("a name server that never answers holds nobody longer than the request may take", async () => {
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

test("a header that HTTP does not allow is a fault that tells no value", async () => {
  const port = await serve((_request, response) => response.end());
  const fault = await faultOf(ask(`http://hook.test:${port}/`, { headers: { "X-Key": "can\r\nary" } }));
  expect(fault).toMatchObject({ kind: "protocol", sent: false });
  expect(fault.message).not.toContain("ary");
});

test("other protocols are given an address that the guard passed", async () => {
  const egress = (address: string) =>
    createEgress({ resolver: resolverOf(() => ({ addresses: [address] })), guard: createGuard() });
  expect(await egress("192.0.2.1").addressOf("mail.test")).toBe("192.0.2.1");
  expect(await faultOf(egress("169.254.169.254").addressOf("mail.test"))).toMatchObject({ kind: "blocked" });
});

test("an answer in one-byte chunks costs no more than its bytes, and is cut at its limit", async () => {
  const chunk = "1\r\na\r\n".repeat(80_000);
  const port = await speak((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`));
  });
  const copied = vi.spyOn(Buffer, "concat");
  expect((await ask(`http://127.0.0.1:${port}/`)).text).toBe("a".repeat(65_536));
  expect(copied.mock.calls.filter(([list]) => list.length > 1000)).toEqual([]);
});

test("a server that only informs (1xx) is left", async () => {
  const port = await speak((socket) => {
    socket.on("error", () => {});
    const inform = () => socket.writable && socket.write("HTTP/1.1 103 Early\r\n\r\n", () => setImmediate(inform));
    socket.once("data", inform);
  });
  const fault = await faultOf(ask(`http://127.0.0.1:${port}/`));
  expect(fault).toMatchObject({
    kind: "protocol",
    sent: true,
    message: "127.0.0.1 sends more than an answer may have",
  });
});
