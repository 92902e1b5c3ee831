import { registry } from "@sonde/kit/telemetry/metrics";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startTestApp, type TestApp } from "../testing/test-app.ts";

const lines: Record<string, unknown>[] = [];
const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(JSON.parse(line) as never) });

let app: TestApp;
beforeAll(async () => void (app = await startTestApp({}, log)));
afterAll(() => app.stop());

test("a request is logged once with its id, without token, query or body", async () => {
  lines.length = 0;
  const headers = { "x-request-id": "trace-0123456789", authorization: "Bearer canary-token-0123456789" };
  await app.ask("POST", "/api/auth/login?search=canary-query", {
    headers,
    body: { username: "canary-name", password: "canary-password" },
  });
  await app.ask("PUT", "/api/monitors/7", { as: "user", body: { body: "canary-body" } });
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatchObject({
    msg: "request",
    requestId: "trace-0123456789",
    method: "POST",
    path: "/api/auth/login",
    address: "127.0.0.1",
    finished: true,
  });
  expect(lines[1]).toMatchObject({ status: 200, userId: 2 });
  expect(JSON.stringify(lines)).not.toMatch(/canary|token-of-the/);
});

test("an internal error is logged once with its cause", async () => {
  lines.length = 0;
  app.fakes.refuse("getMonitor", () => Promise.reject(new Error("the cause")));
  await app.ask("GET", "/api/monitors/7", { as: "user" });
  app.fakes.heal();
  expect(lines.filter(({ err }) => (err as Error | undefined)?.message === "the cause")).toHaveLength(1);
});

test("metrics are labelled by route, never by path", async () => {
  await app.ask("GET", "/api/monitors/7", { as: "user" });
  await app.ask("GET", "/api/monitors/8", { as: "user" });
  // A request is counted after its response was sent, so the client may be faster.
  const counted =
    /sonde_http_request_seconds_count\{method="GET",route="\/api\/monitors\/:id",status="200"\} ([2-9]|\d\d)/;
  await vi.waitFor(async () => expect(await registry.metrics()).toMatch(counted));
  const text = await registry.metrics();
  expect(text).not.toContain("/api/monitors/7");
});
