import { freePort } from "@sonde/embedded/free-port";
import { offerServer } from "@sonde/kit/testing/debian-server";
import type { ExternalAlert } from "@sonde/proto/http/monitors/inbound";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createFakes, directServices } from "../testing/fakes.ts";
import { startTestApp, type TestApp } from "../testing/test-app.ts";

const start = await offerServer("prometheus-alertmanager", {
  package: "prometheus-alertmanager",
  path: "usr/bin/prometheus-alertmanager",
});

const received: { format: string; alerts: ExternalAlert[] }[] = [];
let app: TestApp;
let folder: string;
let stop: () => Promise<void>;
let url: string;
/** Answers of monitors, in order; the last one stays. */
let answers = [() => ({ stored: 1 })];

describe.skipIf(start === null)("Debian's Alertmanager (skipped where root may not mount)", () => {
  beforeAll(async () => {
    const services = directServices(createFakes());
    const monitors = {
      ...services.monitors,
      receiveAlerts: async ({ id, alerts }: { id: number; alerts: ExternalAlert[] }) => {
        const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
        const stored = answer();
        received.push({ format: id === 1 ? "alertmanager" : "events-v2", alerts });
        return stored;
      },
    } as typeof services.monitors;
    const pings = {
      take: () => false,
      findInbound: async (token: string) =>
        token === "webhook"
          ? ({ monitorId: 1, format: "alertmanager" } as const)
          : ({ monitorId: 2, format: "events-v2" } as const),
    };
    app = await startTestApp({ pings, services: { ...services, monitors } });
    folder = await mkdtemp(join(tmpdir(), "sonde-alertmanager-"));
    const config = `route:
  receiver: both
  group_by: [alertname]
  group_wait: 0s
  group_interval: 1s
  repeat_interval: 1h
receivers:
  - name: both
    webhook_configs:
      - url: ${app.url}/api/inbound/webhook
        send_resolved: true
    pagerduty_configs:
      - url: ${app.url}/api/inbound/pagerduty/v2/enqueue
        routing_key: R0123456789012345678901234567890
        severity: '{{ .CommonLabels.severity }}'
`;
    await writeFile(join(folder, "alertmanager.yml"), config);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const files = [`--config.file=${join(folder, "alertmanager.yml")}`, `--storage.path=${join(folder, "data")}`];
    stop = await start!([...files, `--web.listen-address=127.0.0.1:${port}`, "--cluster.listen-address="], port);
    await vi.waitFor(async () => {
      if (!(await fetch(`${url}/-/ready`)).ok) throw new Error("Alertmanager is not ready");
    }, 60_000);
  }, 180_000);
  afterAll(async () => {
    await stop();
    await app.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const labels = { alertname: "HighErrorRate", severity: "critical", service: "checkout" };
  const sendAlert = (changes: object = {}) =>
    fetch(`${url}/api/v2/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify([
        {
          labels,
          annotations: { summary: "High error rate on checkout" },
          generatorURL: "http://prometheus.example.com:9090/graph",
          ...changes,
        },
      ]),
    });
  const alertsOf = (format: string) => received.filter((one) => one.format === format).flatMap(({ alerts }) => alerts);

  test("an alert of a real Alertmanager opens and ends by webhook and by PagerDuty's events", async () => {
    expect((await sendAlert()).status).toBe(200);
    await vi.waitFor(
      () => expect([alertsOf("alertmanager"), alertsOf("events-v2")]).toMatchObject([[{}], [{}]]),
      60_000,
    );
    const [[webhook], [event]] = [alertsOf("alertmanager"), alertsOf("events-v2")];
    expect(webhook).toEqual({
      key: expect.stringMatching(/^[\da-f]{16}$/) as string,
      action: "firing",
      title: "High error rate on checkout",
      severity: "critical",
      link: "http://prometheus.example.com:9090/graph",
      labels,
    });
    expect(event).toMatchObject({
      action: "firing",
      severity: "critical",
      title: expect.stringContaining("HighErrorRate"),
    });
    await sendAlert({ endsAt: new Date(Date.now() - 1_000).toISOString() });
    await vi.waitFor(
      () =>
        expect([alertsOf("alertmanager").at(-1), alertsOf("events-v2").at(-1)]).toMatchObject([
          { action: "resolved", key: webhook!.key },
          { action: "resolved", key: event!.key },
        ]),
      60_000,
    );
  }, 150_000);

  test("what could not be stored is sent again", async () => {
    received.length = 0;
    const broken = () => {
      throw new Error("broken");
    };
    answers = [broken, broken, () => ({ stored: 1 })];
    await sendAlert({ labels: { ...labels, alertname: "Again" } });
    await vi.waitFor(
      () =>
        expect([alertsOf("alertmanager"), alertsOf("events-v2")]).toMatchObject([
          [{ labels: { alertname: "Again" } }],
          [{ title: expect.stringContaining("Again") as string }],
        ]),
      60_000,
    );
  }, 90_000);
});
