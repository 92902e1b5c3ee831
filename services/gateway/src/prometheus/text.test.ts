import { unavailable } from "@sonde/kit/errors";
import { afterAll, beforeAll, expect, test } from "vitest";
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
