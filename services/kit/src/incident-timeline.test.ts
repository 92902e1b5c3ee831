import type { Incident } from "@sonde/proto/http/incidents/incidents";
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
      incidents: { getIncident: async () => ({ incident, actions: [] }) },
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
