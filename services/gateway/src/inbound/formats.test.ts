import { toAppError } from "@sonde/kit/errors";
import type { InboundFormat } from "@sonde/proto/http/monitors/inbound";
import { describe, expect, test } from "vitest";
import { readAlerts, severityOf } from "./formats.ts";
import { alertmanagerRequest, grafanaRequest } from "./testing/requests.ts";

const read = (format: InboundFormat, value: unknown) => readAlerts(format, Buffer.from(JSON.stringify(value)));
const alertsOf = (format: InboundFormat, value: unknown) => read(format, value).alerts;
const pathsOf = (format: InboundFormat, value: unknown) => {
  try {
    return read(format, value).alerts;
  } catch (error) {
    return toAppError(error).details.map(({ path }) => path);
  }
};

describe("Alertmanager", () => {
  test("an alert has fingerprint, summary, severity, generator and labels", () => {
    expect(alertsOf("alertmanager", alertmanagerRequest)).toEqual([
      {
        key: "9c3b1f0d2a4e5f60",
        action: "firing",
        title: "High error rate on checkout",
        severity: "critical",
        link: "http://prometheus:9090/graph?g0.expr=rate",
        labels: { alertname: "HighErrorRate", severity: "critical", service: "checkout" },
      },
      expect.objectContaining({ action: "resolved", title: "DiskFull", severity: "warning" }),
    ]);
  });

  test("without a fingerprint the labels identify it, in any order", () => {
    const [one, two] = [
      { a: "1", b: "2" },
      { b: "2", a: "1" },
    ].map((labels) => alertsOf("alertmanager", { version: "4", alerts: [{ status: "firing", labels }] })[0]!.key);
    expect(one).toBe(two);
  });

  test("an error names the field", () => {
    expect(pathsOf("alertmanager", { version: "4" })).toEqual(["alerts"]);
    expect(pathsOf("alertmanager", { version: "3", alerts: [] })).toEqual(["version"]);
    expect(pathsOf("alertmanager", { version: "4", alerts: [{ status: "on" }] })).toEqual(["alerts.0.status"]);
    const many = Array.from({ length: 1_001 }, () => ({ status: "firing" }));
    expect(pathsOf("alertmanager", { version: "4", alerts: many })).toEqual(["alerts"]);
  });
});

test("Grafana: the panel is the link, and the values are a label", () => {
  expect(alertsOf("grafana", grafanaRequest)).toEqual([
    {
      key: "c6eadffa33fcdf37",
      action: "firing",
      title: "Memory is almost used up",
      severity: "warning",
      link: "https://grafana.example.com/d/abc?viewPanel=2",
      labels: {
        alertname: "HighMemory",
        team: "blue",
        valueString: "[ var='B' labels={instance=web-1} value=91.2 ]",
      },
    },
    expect.objectContaining({ key: "1e8b1f0d2a4e5f61", action: "resolved" }),
  ]);
});

describe("Events v2", () => {
  const trigger = {
    routing_key: "R".repeat(32),
    event_action: "trigger",
    payload: {
      summary: "Disk full on db-1",
      source: "db-1",
      severity: "error",
      component: "postgres",
      custom_details: { free: 0, nested: { ignored: true } },
    },
    links: [{ href: "https://example.com/runbook", text: "Runbook" }],
    client_url: "https://example.com/client",
  };

  test("a trigger without a key gets one", () => {
    const { alerts, dedupKey } = read("events-v2", trigger);
    expect(dedupKey).toMatch(/^[\da-f]{32}$/);
    expect(alerts).toEqual([
      {
        key: dedupKey,
        action: "firing",
        title: "Disk full on db-1",
        severity: "critical",
        link: "https://example.com/runbook",
        labels: { source: "db-1", component: "postgres", free: "0" },
      },
    ]);
  });

  test.each([
    ["acknowledge", "acknowledged"],
    ["resolve", "resolved"],
  ])("%s needs only the key", (action, done) => {
    const event = { event_action: action, dedup_key: "db-1/disk" };
    expect(alertsOf("events-v2", event)).toMatchObject([{ key: "db-1/disk", action: done }]);
    expect(pathsOf("events-v2", { event_action: action })).toEqual(["dedup_key"]);
  });

  test("an error names the field", () => {
    expect(pathsOf("events-v2", { event_action: "open" })).toEqual(["event_action"]);
    const { severity: _severity, ...payload } = trigger.payload;
    expect(pathsOf("events-v2", { ...trigger, payload })).toEqual(["payload.severity"]);
  });
});

describe("generic", () => {
  test("a title is enough, and identifies the alert", () => {
    const { key, ...rest } = alertsOf("generic", { title: "The backup failed" })[0]!;
    expect(key).toBe("The backup failed");
    expect(rest).toEqual({ action: "firing", title: "The backup failed", severity: "warning", labels: {} });
  });

  test("a list has several alerts", () => {
    const list = [
      { title: "one", key: "1", severity: "PAGE", link: "https://example.com", labels: { host: "a", port: 5432 } },
      { title: "two", status: "resolved" },
    ];
    expect(alertsOf("generic", list)).toMatchObject([
      { key: "1", severity: "critical", link: "https://example.com/", labels: { host: "a", port: "5432" } },
      { key: "two", action: "resolved" },
    ]);
  });

  test("an error names the field, and unknown fields are rejected", () => {
    expect(pathsOf("generic", {})).toEqual(["title"]);
    expect(pathsOf("generic", [{ title: "a" }, { title: "b", state: "firing" }])).toEqual(["1.state"]);
    expect(pathsOf("generic", { title: "a", status: "open" })).toEqual(["status"]);
    expect(pathsOf("generic", { title: "a\0b" })).toEqual(["title"]);
  });
});

describe("what is too long or not safe", () => {
  test("links are only http and https", () => {
    for (const link of ["javascript:alert(1)", "data:text/html,x", "not a link", `https://x/${"y".repeat(2_000)}`])
      expect(alertsOf("generic", { title: "a", link })[0]).not.toHaveProperty("link", expect.anything());
  });

  test("titles and labels are cut, and hidden characters removed", () => {
    const labels = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`${at}${"n".repeat(200)}`, "v".repeat(900)]),
    );
    const [found] = alertsOf("generic", { title: `a\u202Eb\n${"😀".repeat(400)}`, labels });
    expect(found!.title.length).toBeLessThanOrEqual(500);
    expect(found!.title).toMatch(/^ab 😀/);
    expect(found!.title.isWellFormed()).toBe(true);
    const entries = Object.entries(found!.labels);
    expect(entries).toHaveLength(30);
    expect(entries.every(([name, value]) => name.length === 100 && value.length === 500)).toBe(true);
  });

  test("a key that cannot be stored becomes a hash, and stays the same", () => {
    const alerts = [{ status: "firing", fingerprint: `a\0${"b".repeat(900)}` }];
    const [one] = alertsOf("alertmanager", { version: "4", alerts });
    expect(one!.key).toMatch(/^[\da-f]{64}$/);
    expect(alertsOf("alertmanager", { version: "4", alerts })[0]!.key).toBe(one!.key);
  });
});

test.each([
  ["critical", "critical"],
  [" Page ", "critical"],
  ["ERROR", "critical"],
  ["high", "critical"],
  ["P2", "critical"],
  ["warn", "warning"],
  ["medium", "warning"],
  ["", "warning"],
  ["whatever", "warning"],
  ["none", "info"],
  ["P5", "info"],
])("severity %s is %s", (word, severity) => {
  expect(severityOf(word)).toBe(severity);
});
