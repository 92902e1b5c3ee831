import { type EmbeddedServer, startNats } from "@sonde/embedded/nats";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { start } from "./main.ts";
import { connectServices, pingServices } from "./services.ts";
import { type FakeSystem, startFakeSystem } from "./testing/fake-system.ts";
import { principals } from "./testing/principals.ts";

let nats: EmbeddedServer;
let system: FakeSystem;
let gateway: Awaited<ReturnType<typeof start>>;
const { admin, user } = principals;

beforeAll(async () => {
  nats = await startNats();
  system = await startFakeSystem(nats.url);
  await system.putSession(user, "user");
  await system.putSession(admin, "admin");
  gateway = await start(readConfig({ NATS_URL: nats.url, PORT: "0", LOG_LEVEL: "silent", GATEWAY_WAIT_SECONDS: "20" }));
});
beforeEach(() => {
  system.fakes.heal();
  system.fakes.calls.length = 0;
});
afterAll(async () => {
  await gateway?.stop();
  await system?.stop();
  await nats?.stop();
});

async function ask(method: string, path: string, token: string | null = user.token, body?: unknown) {
  const response = await fetch(`http://127.0.0.1:${gateway.address.port}${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, body: json };
}

test("a request reaches its service with request id and actor", async () => {
  const answer = await ask("PUT", "/api/monitors/7", user.token, { name: "shop", tags: [] });
  expect(answer.status).toBe(200);
  const asked = system.fakes.calls.find(({ method }) => method === "updateMonitor");
  expect(asked).toMatchObject({
    method: "updateMonitor",
    request: { id: 7, patch: { name: "shop", tags: [] } },
    call: { requestId: answer.headers.get("x-request-id"), actor: { id: 2, username: "ugo", role: "user" } },
  });
});

test("a login passes on the client's address, and returns a rejection in place", async () => {
  const answer = await ask("POST", "/api/auth/login", null, { username: "ugo", password: "wrong" });
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ code: "unauthenticated", message: "Incorrect username or password" });
  expect(system.fakes.calls.find(({ method }) => method === "login")?.request).toMatchObject({ address: "127.0.0.1" });
});

test("a changed role applies to the very next request", async () => {
  const visitor = { ...user, token: "a-token-whose-role-will-change" };
  await system.putSession(visitor, "viewer");
  expect((await ask("POST", "/api/monitors/7/pause", visitor.token)).status).toBe(403);
  await system.putSession(visitor, "user");
  // A change of an account waits until this gateway has received it.
  await ask("DELETE", "/api/users/3", admin.token);
  expect((await ask("POST", "/api/monitors/7/pause", visitor.token)).status).toBe(200);
});

test("a check waits longer than the monitor's own timeout, and hides internal errors", async () => {
  system.fakes.refuse("checkNow", () => Promise.reject(new Error("never said to anybody")));
  const answer = await ask("POST", "/api/monitors/7/check");
  const asked = system.fakes.calls.find(({ method }) => method === "checkNow");
  // The fake monitor has a timeout of 10 s and one retry.
  expect(asked?.call.timeoutMs).toBeGreaterThan(22_000);
  expect(answer.status).toBe(500);
  expect(JSON.stringify(answer.body)).not.toContain("never said");
});

describe("if metrics", () => {
  test("hangs, lists and the dashboard respond without uptime", async () => {
    const hanging = Promise.withResolvers<never>();
    system.fakes.refuse("monitorUptimes", () => hanging.promise);
    const [list, dashboard] = await Promise.all([ask("GET", "/api/monitors"), ask("GET", "/api/dashboard")]);
    expect([list.status, dashboard.status]).toEqual([200, 200]);
    expect((list.body["monitors"] as { uptime: unknown }[]).map(({ uptime }) => uptime)).toEqual([
      { h24: null, d30: null },
      { h24: null, d30: null },
    ]);
    expect(dashboard.body).toMatchObject({ uptime: null, unavailable: ["uptime"] });
    hanging.reject(new Error("given up"));
  });

  test("is unavailable, history says so", async () => {
    await system.served.metrics.stop();
    const answer = await ask("GET", "/api/monitors/7/history?range=24h");
    expect(answer.status).toBe(503);
    expect(answer.body).toEqual({
      success: false,
      code: "unavailable",
      message: "The metrics service is currently unavailable",
    });
    expect(answer.headers.get("retry-after")).toBe("2");
    expect((await ask("GET", "/api/monitors/7")).body).toMatchObject({ monitor: { uptime: { h24: null, d30: null } } });
    const services = connectServices(system.bus);
    expect(await pingServices(services)).toEqual({ auth: true, monitors: true, metrics: false, notifier: true });
  });

  test("and monitors are unavailable, logged-in users stay logged in", async () => {
    await system.served.monitors.stop();
    const list = await ask("GET", "/api/monitors");
    expect(list.body["message"]).toBe("The monitors service is currently unavailable");
    expect((await ask("GET", "/api/auth/me")).body).toMatchObject({ user: { username: "ugo", role: "user" } });
  });
});

test("without the bus, requests fail promptly", async () => {
  await nats.stop();
  const answer = await ask("GET", "/api/auth/me");
  expect(answer.status).toBe(503);
  expect(answer.body["message"]).toBe("The bus service is currently unavailable");
});
