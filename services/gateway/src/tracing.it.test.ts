import { startNats } from "@sonde/embedded/nats";
import { type OtlpReceiver, startOtlpReceiver } from "@sonde/kit/testing/otlp-receiver";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { readConfig } from "./config.ts";
import { start } from "./main.ts";
import { startFakeSystem } from "./testing/fake-system.ts";
import { principals } from "./testing/principals.ts";

const { user } = principals;
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
let receiver: OtlpReceiver;

/** Starts everything, sends the requests, and stops everything, so that all spans have arrived. */
async function trace(proxies: string, asks: (url: string) => Promise<unknown>): Promise<void> {
  const nats = await startNats();
  const system = await startFakeSystem(nats.url);
  await system.putSession(user, "user");
  const environment = { NATS_URL: nats.url, PORT: "0", LOG_LEVEL: "silent", GATEWAY_WAIT_SECONDS: "60" };
  const gateway = await start(readConfig({ ...environment, TRUSTED_PROXIES: proxies }));
  await asks(`http://127.0.0.1:${gateway.address.port}`);
  await gateway.stop();
  await system.stop();
  await nats.stop();
}

const headers = { authorization: `Bearer ${user.token}` };

beforeAll(async () => void (receiver = await startOtlpReceiver()));
beforeEach(() => void vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint));
afterAll(() => receiver.stop());

test("one trace contains the gateway's span, its call and the other service's span, and no secret", async () => {
  receiver.spans.length = 0;
  await trace("", async (url) => {
    await fetch(`${url}/api/monitors/7?canary=query`, { headers: { ...headers, traceparent } });
    await fetch(`${url}/api/monitors/7`, { headers: { ...headers, "x-canary": "canary-header" } });
    await fetch(`${url}/api/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "canary-name", password: "canary-password" }),
    });
    await fetch(`${url}/api/canary-path`, { method: "CANARY" }).catch(() => {});
  });
  const [refused, good] = receiver.find("gateway", "GET /api/monitors/:id").toSorted(byStatus);
  expect([refused, good].map((span) => span?.attributes["http.response.status_code"])).toEqual([400, 200]);
  expect(good).toMatchObject({ kind: 2, attributes: { "http.route": "/api/monitors/:id" } });
  expect(good?.parentSpanId ?? "").toBe("");

  const getMonitor = "monitors/getMonitor";
  const [asked] = receiver.find("gateway", getMonitor);
  const [served] = receiver.find("fakes", getMonitor);
  expect(asked).toMatchObject({ kind: 3, traceId: good?.traceId, parentSpanId: good?.spanId });
  expect(served).toMatchObject({ kind: 2, traceId: good?.traceId, parentSpanId: asked?.spanId });

  const [login] = receiver.find("gateway", "POST /api/auth/login");
  expect(login?.attributes["http.response.status_code"]).toBe(401);
  // Clients other than trusted proxies cannot join a trace.
  expect(receiver.spans.map((span) => span.traceId)).not.toContain(traceId);
  expect(receiver.text()).not.toMatch(/canary/i);
  expect(receiver.text()).not.toContain(user.token);
});

test("a trusted proxy's trace is continued", async () => {
  receiver.spans.length = 0;
  await trace("127.0.0.1", (url) => fetch(`${url}/api/auth/me`, { headers: { ...headers, traceparent } }));
  const [span] = receiver.find("gateway", "GET /api/auth/me");
  expect(span).toMatchObject({ traceId, parentSpanId: "00f067aa0ba902b7" });
});

const byStatus = (a: { attributes: Record<string, unknown> }, b: { attributes: Record<string, unknown> }) =>
  Number(b.attributes["http.response.status_code"]) - Number(a.attributes["http.response.status_code"]);
