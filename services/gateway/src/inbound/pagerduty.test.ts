import { acknowledge, resolve, trigger } from "@pagerduty/pdjs";
import { makeCertificate } from "@sonde/kit/testing/certificate";
import type { ExternalAlert } from "@sonde/proto/http/monitors/inbound";
import { once } from "node:events";
import { request } from "node:http";
import { Agent, createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFakes, directServices } from "../testing/fakes.ts";
import { startTestApp, type TestApp } from "../testing/test-app.ts";

const received: ExternalAlert[] = [];
const certificate = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 86_400_000) });
let app: TestApp;
/** PagerDuty's client speaks only HTTPS. */
let proxy: Server;
let server: string;
const client = new Agent({ ca: certificate.cert });
beforeAll(async () => {
  const services = directServices(createFakes());
  const receiveAlerts = async ({ alerts }: { alerts: ExternalAlert[] }) => {
    received.push(...alerts);
    return { stored: alerts.length };
  };
  const monitors = { ...services.monitors, receiveAlerts } as typeof services.monitors;
  const pings = { take: () => false, findInbound: async () => ({ monitorId: 2, format: "events-v2" }) as const };
  app = await startTestApp({ pings, services: { ...services, monitors } });
  proxy = createServer({ cert: certificate.cert, key: certificate.key }, (incoming, answer) => {
    const { method, url, headers } = incoming;
    const forwarded = request({ host: "127.0.0.1", port: app.port, method, path: url, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(forwarded);
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  server = `127.0.0.1:${(proxy.address() as AddressInfo).port}/api/inbound/3f0c9f2a-6c1f-4f0e-9a51-0d6f3a7b9c11`;
});
afterAll(async () => {
  client.destroy();
  proxy.closeAllConnections();
  proxy.close();
  await app.stop();
});

test("PagerDuty's own client works with another server", async () => {
  const common = { server, agent: client } as object;
  const opened = await trigger({
    ...common,
    data: {
      routing_key: "R".repeat(32),
      event_action: "trigger",
      payload: { summary: "Disk full", source: "db-1", severity: "critical" },
    },
  });
  expect(opened.response.status).toBe(202);
  const { dedup_key: key } = opened.data as { dedup_key: string };
  expect(opened.data).toMatchObject({ status: "success", message: "Event processed" });
  const known = { ...common, data: { routing_key: "R".repeat(32), dedup_key: key } };
  await acknowledge(known as never);
  await resolve(known as never);
  expect(received.map((alert) => [alert.key, alert.action])).toEqual([
    [key, "firing"],
    [key, "acknowledged"],
    [key, "resolved"],
  ]);
  const refused = await trigger({ ...common, data: { routing_key: "R", payload: { summary: "x" } } } as never);
  expect(refused.response.status).toBe(400);
  expect(refused.data).toMatchObject({ errors: [{ path: "payload.source" }, { path: "payload.severity" }] });
});
