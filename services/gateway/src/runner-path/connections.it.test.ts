import { create, toBinary } from "@bufbuild/protobuf";
import { runnerKeyHash } from "@sonde/domain/runner-keys";
import { type EmbeddedServer, startNats } from "@sonde/embedded/nats";
import { findNatsServer } from "@sonde/embedded/nats-binary";
import { calloutIssuer, readAuthRequest } from "@sonde/kit/bus/callout";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { newUserPasswords } from "@sonde/kit/bus/nats-users";
import { type HttpServer, listen } from "@sonde/kit/http/server";
import { trustAuthorities } from "@sonde/kit/service/authorities";
import { silentLog } from "@sonde/kit/service/log";
import { makeCertificate } from "@sonde/kit/testing/certificate";
import { startListening } from "@sonde/kit/testing/debian-server";
import { RunnerKeySchema } from "@sonde/proto/gen/monitors/v1/runners";
import { inboxPrefix, permissionsOf, runnerUser } from "@sonde/proto/permissions";
import { buckets, streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { type NatsConnection, wsconnect } from "@nats-io/nats-core";
import { once } from "node:events";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { createLimits } from "../middleware/limits.ts";
import { acceptRunners, type RunnerConnections } from "./connections.ts";
import { dialBus } from "./pipe.ts";

const users = newUserPasswords([]);
const issuer = calloutIssuer(Buffer.alloc(32, 7).toString("base64"));
const listenAt = { host: "127.0.0.1", port: 0, variables: { host: "HOST", port: "PORT" } };
let folder: string;
let nats: EmbeddedServer;
let admin: Bus;
let undo: (() => unknown)[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-runner-path-"));
  nats = await startNats({ dataDir: folder, password: "admin", users, issuer: issuer.publicKey });
  admin = await connectBus({ url: nats.url, name: "test", log: silentLog, shrink: 64 });
  // Stands in for monitors: lets everyone in, as a runner of eu1.
  admin.nc.subscribe(subjects.authCallout, {
    callback: (_error, message) => {
      const request = readAuthRequest(message.string());
      message.respond(issuer.accept(request, permissionsOf(runnerUser("eu1"))));
    },
  });
  undo = [admin.close, nats.stop, () => rm(folder, { recursive: true })];
});
afterEach(async () => {
  for (const step of undo) await step();
});

const put = async (key: string, deleted = false) => {
  const entry = create(RunnerKeySchema, { runnerId: 3, location: "eu1", revision: deleted ? 2 : 1, deleted });
  await (await admin.kv(buckets.runners)).put(runnerKeyHash(key), toBinary(RunnerKeySchema, entry));
};

type Gateway = { port: number; bus: Bus; stop(): Promise<void> };
const gatewayUrl = (host = "127.0.0.1") => `nats://gateway:${users.gateway}@${host}:${nats.port}`;
async function startGateway(url = gatewayUrl(), publicUrl: string | null = null): Promise<Gateway> {
  const bus = await connectBus({ url, name: "gateway", log: silentLog, shrink: 64 });
  const config = { host: "127.0.0.1", publicUrl, trustedProxies: [] };
  const countRefusal = createLimits().runners;
  const upgrades: RunnerConnections = acceptRunners({ bus, config, ofHost: () => null, countRefusal, log: silentLog });
  const http: HttpServer = await listen((_request, response) => void response.end("page"), { ...listenAt, upgrades });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await upgrades.stop();
    await http.drain(1_000);
    await bus.close();
  };
  undo.unshift(stop);
  return { port: http.address.port, bus, stop };
}

const open = (port: number, key: string, path = "/runner/v1") =>
  new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${key}` } });
/** The status with which the gateway refuses a connection. */
const refusal = (port: number, key: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const socket = open(port, key);
    socket.on("error", () => {});
    socket.once("unexpected-response", (asked, { statusCode }) => (asked.destroy(), resolve(statusCode)));
    socket.once("open", () => (socket.terminate(), reject(new Error("it was accepted"))));
  });
const connectRunner = (port: number, key: string, reconnect = false): Promise<NatsConnection> =>
  wsconnect({
    servers: `ws://127.0.0.1:${port}`,
    user: "runner.3",
    pass: key,
    inboxPrefix: inboxPrefix(runnerUser("eu1")),
    reconnect,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
    wsFactory: async () => ({ socket: open(port, key) as unknown as globalThis.WebSocket, encrypted: false }),
  });

const key = "the-key-of-a-remote-runner";
const other = "an-unregistered-key";

test("a runner with a known key reaches the bus, with large messages both ways, and an unknown key is refused", async () => {
  await put(key);
  const { port } = await startGateway();
  const runner = await connectRunner(port, key);
  const data = new Uint8Array(700_000).fill(1);
  runner.publish(subjects.results(3, "eu1"), data);
  await runner.flush();
  const stored = await vi.waitFor(async () => {
    const message = await admin.jsm.streams.getMessage(streams.results.name, { last_by_subj: "results.3.eu1" });
    expect(message?.data.length).toBe(data.length);
    return message;
  });
  expect(stored?.subject).toBe("results.3.eu1");

  const received = new Promise<number>((resolve) =>
    runner.subscribe(subjects.heartbeats("runners.eu1"), { callback: (_error, { data: got }) => resolve(got.length) }),
  );
  await runner.flush();
  admin.nc.publish(subjects.heartbeats("runners.eu1"), data);
  expect(await received).toBe(data.length);
  await runner.close();
  expect(await refusal(port, other)).toBe(401);
  expect(await refusal(port, "")).toBe(401);
});

test("a revoked runner loses its connection and is refused from then on", async () => {
  await put(key);
  const { port } = await startGateway();
  const socket = open(port, key);
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  await new Promise((resolve) => socket.once("open", resolve));
  await put(key, true);
  expect(await closed).toBe(4001);
  expect(await refusal(port, key)).toBe(401);
});

test("a runner whose gateway stops comes back through another one", async () => {
  await put(key);
  // Before the runner, because the client has one transport for all connections of a process: the last one's.
  const [first, second] = [await startGateway(), await startGateway()];
  let port = first.port;
  const runner = await wsconnect({
    servers: "ws://gateway",
    user: "runner.3",
    pass: key,
    inboxPrefix: inboxPrefix(runnerUser("eu1")),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
    wsFactory: async () => {
      const socket = open(port, key);
      socket.on("error", () => {});
      return { socket: socket as unknown as globalThis.WebSocket, encrypted: false };
    },
  });
  const back = (async () => {
    for await (const { type } of runner.status()) if (type === "reconnect") return;
  })();
  port = second.port;
  await first.stop();
  await back;
  expect(runner.isClosed()).toBe(false);
  await runner.flush();
  await runner.close();
});

test("one runner has at most four connections, and a closed one makes room", async () => {
  await put(key);
  const { port } = await startGateway();
  const sockets = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const socket = open(port, key);
      await new Promise((resolve) => socket.once("open", resolve));
      return socket;
    }),
  );
  expect(await refusal(port, key)).toBe(429);
  sockets[0]!.close();
  await vi.waitFor(async () => {
    const socket = open(port, key);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    socket.terminate();
  });
  for (const socket of sockets) socket.terminate();
});

test("below a path, a proxy may keep it or strip it", async () => {
  await put(key);
  const { port } = await startGateway(gatewayUrl(), "https://example.com/uptime");
  for (const path of ["/runner/v1", "/uptime/runner/v1"]) {
    const socket = open(port, key, path);
    await once(socket, "open");
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  }
});

const certificate = makeCertificate({ names: ["localhost"], notAfter: new Date(Date.now() + 86_400_000) });
trustAuthorities([certificate.cert]);

/** Restarts the nats-server with TLS. */
async function addTls(option: string): Promise<void> {
  await nats.stop();
  const [cert, certKey, config] = [join(folder, "cert.pem"), join(folder, "key.pem"), join(folder, "nats-server.conf")];
  await writeFile(cert, certificate.cert);
  await writeFile(certKey, certificate.key);
  await appendFile(config, `tls { cert_file: "${cert}", key_file: "${certKey}" }\n${option}\n`);
  undo.splice(1, 1, await startListening(await findNatsServer(), ["-c", config], nats.port));
  await vi.waitFor(() => expect(admin.connected()).toBe(true), 10_000);
}

test.each([
  ["requires", "localhost", ""],
  ["requires", "127.0.0.1", ""],
  ["offers", "localhost", "allow_non_tls: true"],
])("a runner's key is encrypted on the way to a bus that %s TLS, at %s", async (_how, host, option) => {
  await put(key);
  await addTls(option);
  const { port, bus } = await startGateway(gatewayUrl(host));
  const runner = await connectRunner(port, key);
  await runner.flush();
  await runner.close();
  const leg = await dialBus(bus, AbortSignal.timeout(5_000));
  expect(leg).toHaveProperty("encrypted", true);
  leg.destroy();
});

test("other requests that offer an upgrade are answered as if they did not", async () => {
  const { port } = await startGateway();
  const headers = { Connection: "Upgrade", Upgrade: "h2c" };
  const status = await new Promise((resolve) =>
    request({ port, host: "127.0.0.1", path: "/", headers }, (response) => resolve(response.resume().statusCode)).end(),
  );
  expect(status).toBe(200);
});

test("no runner is connected to a bus that is open to everyone", async () => {
  await put(key);
  const openNats = await startNats();
  undo.push(openNats.stop);
  const openAdmin = await connectBus({ url: openNats.url, name: "test", log: silentLog, shrink: 64 });
  undo.unshift(openAdmin.close);
  const entry = create(RunnerKeySchema, { runnerId: 3, location: "eu1", revision: 1 });
  await (await openAdmin.kv(buckets.runners)).put(runnerKeyHash(key), toBinary(RunnerKeySchema, entry));
  const { port } = await startGateway(openNats.url);
  expect(await refusal(port, key)).toBe(503);
});
