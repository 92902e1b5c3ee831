import { unavailable } from "@sonde/kit/errors";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { principals } from "../testing/principals.ts";
import { startTestApp, type TestApp } from "../testing/test-app.ts";
import { labelText, writeText } from "./text.ts";

test("labels are escaped", async () => {
  const series = [[labelText({ id: 1, name: 'a "b"\\\nc' }), 1]] as const;
  expect(await writeText([{ name: "x", help: "An x", series }])).toBe(
    '# HELP x An x\n# TYPE x gauge\nx{id="1",name="a \\"b\\"\\\\\\nc"} 1\n',
  );
});

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

const scrape = async (headers: Record<string, string> = {}) =>
  app.ask("GET", "/api/metrics", { as: "viewer", headers });

test("a scrape contains monitors with phases and tags, agents and open incidents", async () => {
  const { text, headers } = await scrape();
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(text).toMatch(/^sonde_monitor_up\{id="7",name="monitor 7",type="http"\} 1$/m);
  expect(text).toMatch(/^sonde_monitor_response_seconds\{id="7",.*phase="total"\} 0.0125$/m);
  expect(text).not.toMatch(/phase="tls"/);
  expect(text).toMatch(/^sonde_monitor_tag\{id="7",tag="shop"\} 1$/m);
  expect(text).toMatch(/^sonde_agent_up\{/m);
  expect(text).toMatch(/^sonde_incident_open\{kind="down"\} \d+$/m);
  const open = await scrape({ accept: "application/openmetrics-text" });
  expect(open.headers.get("content-type")).toContain("application/openmetrics-text");
  expect(open.text.endsWith("# EOF\n")).toBe(true);
});

test("a monitor that is up is degraded if it is slow, or a group with members down", async () => {
  const { services } = app.deps;
  const { monitors } = await services.monitors.listMonitors({ page: 1, pageSize: 1 });
  const states = [{ slow: true }, { state: "partial" }, { state: "up" }, { state: "partial", status: "down" as const }];
  const all = states.map((fields, at) => ({ ...monitors[0]!, id: at + 1, slow: false, ...fields }));
  const other = await startTestApp({
    services: { ...services, scraped: { listMonitors: async () => ({ monitors: all, total: 4, restIds: [] }) } },
  });
  const { text } = await other.ask("GET", "/api/metrics", { as: "admin" });
  const values = [...text.matchAll(/^sonde_monitor_slow\{.*\} (\d)$/gm)].map(([, value]) => value);
  expect(values).toEqual(["1", "1", "0", "0"]);
  await other.stop();
});

test("the uptime of a group is by time, from monitors", async () => {
  const { services } = app.deps;
  const { monitors } = await services.monitors.listMonitors({ page: 1, pageSize: 1 });
  const group = { ...monitors[0]!, id: 8, type: "group", state: "partial", slow: false };
  const uptimes = [{ ...group, groupUptime: { h24: 99.987_65, d30: null, d90: null } }, monitors[0]!];
  const other = await startTestApp({
    services: { ...services, scraped: { listMonitors: async () => ({ monitors: uptimes, total: 2, restIds: [] }) } },
  });
  const { text } = await other.ask("GET", "/api/metrics", { as: "admin" });
  expect(text).toMatch(/^sonde_monitor_uptime_ratio\{id="8",.*type="group",window="24h"\} 0\.999877$/m);
  expect(text).not.toMatch(/^sonde_monitor_uptime_ratio\{id="8",.*window="30d"/m);
  expect(text).toMatch(/^sonde_monitor_uptime_ratio\{id="7",.*window="24h"\} \d/m);
  expect(text).toMatch(/^sonde_monitor_up\{id="8",.*type="group"\} 1$/m);
  expect(text).toMatch(/^sonde_monitor_slow\{id="8",.*\} 1$/m);
  await other.stop();
});

test("unknown values are absent: a stale monitor is neither up nor down, and without metrics there are no phases", async () => {
  const { services } = app.deps;
  const { monitors } = await services.monitors.listMonitors({ page: 1, pageSize: 1 });
  const stale = { monitors: monitors.map((monitor) => ({ ...monitor, stale: true })), total: 1, restIds: [] };
  const away = () => Promise.reject(unavailable("metrics"));
  const other = await startTestApp({
    services: {
      ...services,
      scraped: { listMonitors: async () => stale },
      metrics: { ...services.metrics, monitorPhases: away, monitorUptimes: away },
    },
  });
  const { text } = await other.ask("GET", "/api/metrics", { as: "admin" });
  expect(text).toMatch(/^sonde_monitor_stale\{.*\} 1$/m);
  expect(text).not.toMatch(/^sonde_monitor_(up|response_seconds|uptime_ratio)\{/m);
  await other.stop();
});

test("Uptime Kuma's format has states, response times and certificates, for keys as passwords", async () => {
  const { services } = app.deps;
  const { monitors } = await services.monitors.listMonitors({ page: 1, pageSize: 1 });
  const expiry = new Date(Date.now() + 10.5 * 86_400_000).toISOString();
  const changes = [
    { certificateExpiresAt: expiry },
    { type: "tcp", status: "down" as const, certificateExpiresAt: "2026-01-01T00:00:00Z" },
    { type: "heartbeat", stale: true },
    { status: "paused" as const },
  ];
  const all = changes.map((change, at) => ({ ...monitors[0]!, id: at + 7, name: `m${at}`, ...change }));
  const other = await startTestApp({
    services: { ...services, scraped: { listMonitors: async () => ({ monitors: all, total: 4, restIds: [] }) } },
  });
  const secret = `sonde_${"k".repeat(49)}`;
  const { resolve } = other.deps.sessions;
  const asked: string[] = [];
  vi.spyOn(other.deps.sessions, "resolve").mockImplementation((token) => {
    asked.push(token);
    return resolve(token === secret ? principals.viewer.token : "x".repeat(30));
  });
  const as = (credentials: string) => ({
    headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
  });
  const { text, status } = await other.ask("GET", "/metrics", as(`anybody:${secret}`));
  expect(status).toBe(200);
  const labels = (id: number, type: string) =>
    `{monitor_id="${id}",monitor_name="m${id - 7}",monitor_type="${type}",monitor_url="${all[0]!.target}",monitor_hostname="null",monitor_port="null"}`;
  for (const line of [
    `monitor_cert_days_remaining${labels(7, "http")} 10`,
    `monitor_cert_is_valid${labels(7, "http")} 1`,
    `monitor_cert_is_valid${labels(8, "port")} 0`,
    `monitor_response_time${labels(7, "http")} 12.5`,
    `monitor_status${labels(7, "http")} 1`,
    `monitor_status${labels(8, "port")} 0`,
    `monitor_status${labels(9, "push")} 2`,
    `monitor_status${labels(10, "http")} 3`,
  ]) {
    expect(text.split("\n")).toContain(line);
  }
  // Passwords of accounts are not accepted, nor tokens of sessions.
  for (const credentials of ["ada:right", `ada:${principals.admin.token}`, `:${secret}x:y`]) {
    expect((await other.ask("GET", "/metrics", as(credentials))).status).toBe(401);
  }
  expect(new Set(asked)).toEqual(new Set([secret]));
  await other.stop();
});
