import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { expect, test } from "vitest";
import { nothingBefore } from "../testing/producer.ts";
import { incidentStory, type StorySources } from "./story.ts";

const at = "2026-01-31T12:00:00.000Z";
const incident: Incident = {
  id: "m5",
  target: { type: "monitor", id: 7, name: "shop" },
  kind: "down",
  cause: "500 is not 200",
  openedAt: at,
};
const fingerprint = { at, status: 500 };
const lastGood = { at: "2026-01-31T11:59:00.000Z", status: 200 };
const change = { id: 1, title: "Deploy 7", tags: [], at: "2026-01-31T11:58:00.000Z", createdBy: "ci" };

const whatChanged = async (found: object, given: Partial<StorySources["preceding"]> = {}) => {
  const sources = {
    incidents: { getIncident: async () => ({ incident, actions: [], opinions: [] }) },
    metrics: { listChecks: async () => ({ checks: [] }), incidentEvidence: async () => found },
    notifications: async () => ({ decisions: [], deliveries: [], channels: [], reminderDueAtMs: null }),
    quietAt: () => null,
    preceding: { ...nothingBefore, ...given },
  } as unknown as StorySources;
  return (await incidentStory(sources, { id: "m5", language: "en-US" }, { requestId: "r-1" })).whatChanged;
};

test("a story has the comparison and the events, also while auth is unavailable", async () => {
  const evidence = { at, location: "eu1", fingerprint, lastGood };
  const listEdits = () => Promise.reject(new Error("auth is unavailable"));
  expect(await whatChanged({ evidence }, { audit: { listEdits }, changesFor: async () => [change] })).toEqual({
    location: "eu1",
    lastGood,
    firstBad: fingerprint,
    differences: ["status"],
    events: [{ at: change.at, type: "change", text: "Deploy 7", link: undefined }],
  });
});

test("a story has the events without evidence, and nothing if nothing is known", async () => {
  expect(await whatChanged({}, { changesFor: async () => [change] })).toMatchObject({ differences: [], events: [{}] });
  expect(await whatChanged({})).toBeUndefined();
});
