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

test("what was found is asked for the time of the incident, and its words are in the reader's language", async () => {
  const asked: unknown[] = [];
  const { evidence, latestEvidence } = await read(async (request) => {
    asked.push(request);
    return { evidence: { at: after(-1_000), location: "eu1" }, latestEvidence: found };
  });
  expect(asked).toEqual([{ monitorId: 7, openedAtMs: atMs, closedAtMs: atMs + 60_000 }]);
  expect(evidence).toEqual({ at: after(-1_000), location: "eu1" });
  expect(latestEvidence?.certificate).toEqual({ ...certificate, problem: "证书已过期" });
});

test("without evidence, or a service that has it, the rest is whole", async () => {
  const { timeline, unavailable, evidence } = await read(() => Promise.reject(new Error("there is no such method")));
  expect(timeline.map(({ type }) => type)).toEqual(["opened", "closed"]);
  expect([unavailable, evidence]).toEqual([[], undefined]);
});

test("what other locations saw is told in the reader's language, and a cause says that nobody did", async () => {
  const opinions = [
    { at: after(100), location: "us1", status: "down" as const, error: "The connection was refused" },
    { at: after(200), location: "ap1", status: "up" as const },
  ];
  const cause = "The connection was refused, not confirmed";
  const getIncident = async () => ({ incident: { ...incident, cause }, actions: [], opinions });
  const metrics = { listChecks: async () => ({ checks: [] }), incidentEvidence: async () => ({}) };
  const asked = { id: "m5", language: "zh-CN" } as const;
  const { timeline } = await readTimeline({ incidents: { getIncident }, metrics }, asked, { call: { requestId: "r" } });
  expect(timeline.map(({ text }) => text)).toEqual([
    "事件开始：连接被拒绝，未经复核",
    "复核（us1）：连接被拒绝",
    "复核（ap1）：正常",
    "已恢复，事件关闭",
  ]);
  expect(explain("Down from eu1 only: The connection was refused", "zh-CN")).toBe("仅从 eu1 检查失败：连接被拒绝");
});
