import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { explain } from "@sonde/proto/http/reasons/reasons";
import { expect, test } from "vitest";
import { readTimeline, type TimelineSources } from "./incident-timeline.ts";

const atMs = Date.UTC(2026, 0, 31, 12);
const after = (ms: number) => new Date(atMs + ms).toISOString();
const incident: Incident = {
  id: "m5",
  target: { type: "monitor", id: 7, name: "shop" },
  kind: "down",
  cause: "The certificate has expired",
  openedAt: after(0),
  closedAt: after(60_000),
};
const certificate = { subject: "a", issuer: "b", validFrom: after(0), validTo: after(0) };
const found = {
  at: after(-1_000),
  location: "eu1",
  certificate: { ...certificate, problem: "The certificate has expired" },
};

type Metrics = TimelineSources["metrics"];
const read = (incidentEvidence: Metrics["incidentEvidence"]) =>
  readTimeline(
    {
      incidents: { getIncident: async () => ({ incident, actions: [], opinions: [] }) },
      metrics: { listChecks: async () => ({ checks: [] }), incidentEvidence },
    },
    { id: "m5", language: "zh-CN" },
    { call: { requestId: "r" } },
  );

test("evidence is requested for the incident's time span, and its text is translated", async () => {
  const requests: unknown[] = [];
  const { evidence, latestEvidence } = await read(async (request) => {
    requests.push(request);
    return { evidence: { at: after(-1_000), location: "eu1" }, latestEvidence: found };
  });
  expect(requests).toEqual([{ monitorId: 7, openedAtMs: atMs, closedAtMs: atMs + 60_000 }]);
  expect(evidence).toEqual({ at: after(-1_000), location: "eu1" });
  expect(latestEvidence?.certificate).toEqual({ ...certificate, problem: "证书已过期" });
});

test("the story has what the incident shares with others", async () => {
  const cause = { fact: "address", value: "192.0.2.1", sharing: 2, failing: 2, healthy: 3, incidentIds: ["m5", "m6"] };
  const sharedCause = { ...cause, fact: "address" } as const;
  const getIncident = async () => ({ incident, actions: [], opinions: [], sharedCause });
  const metrics = { listChecks: async () => ({ checks: [] }), incidentEvidence: async () => ({}) };
  const request = { id: "m5", language: "en-US" } as const;
  expect(
    (await readTimeline({ incidents: { getIncident }, metrics }, request, { call: { requestId: "r" } })).sharedCause,
  ).toEqual(cause);
});

test("the timeline is complete without evidence or a metrics service that provides it", async () => {
  const { timeline, unavailable, evidence } = await read(() => Promise.reject(new Error("there is no such method")));
  expect(timeline.map(({ type }) => type)).toEqual(["opened", "closed"]);
  expect([unavailable, evidence]).toEqual([[], undefined]);
});

test("evidence with fingerprints is compared", async () => {
  const fingerprint = { at: after(-1_000), status: 503 };
  const lastGood = { at: after(-61_000), status: 200 };
  const evidence = { at: after(-1_000), location: "eu1", fingerprint, lastGood };
  const { whatChanged } = await read(async () => ({ evidence }));
  expect(whatChanged).toEqual({
    location: "eu1",
    firstBad: fingerprint,
    lastGood,
    differences: ["status"],
    events: [],
  });
});

test("opinions of other locations are translated, and a cause reports if there were none", async () => {
  const opinions = [
    { at: after(100), location: "us1", status: "down" as const, error: "The connection was refused" },
    { at: after(200), location: "ap1", status: "up" as const },
  ];
  const cause = "The connection was refused, not confirmed";
  const getIncident = async () => ({ incident: { ...incident, cause }, actions: [], opinions });
  const metrics = { listChecks: async () => ({ checks: [] }), incidentEvidence: async () => ({}) };
  const requests = { id: "m5", language: "zh-CN" } as const;
  const { timeline } = await readTimeline({ incidents: { getIncident }, metrics }, requests, {
    call: { requestId: "r" },
  });
  expect(timeline.map(({ text }) => text)).toEqual([
    "事件开始：连接被拒绝，未经复核",
    "复核（us1）：连接被拒绝",
    "复核（ap1）：正常",
    "已恢复，事件关闭",
  ]);
  expect(explain("Down from eu1 only: The connection was refused", "zh-CN")).toBe("仅从 eu1 检查失败：连接被拒绝");
});
