import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { expect, test } from "vitest";
import { incidentStory, type StorySources } from "./story.ts";

const at = "2026-01-31T12:00:00.000Z";
const target = { type: "agent" as const, id: 7, name: "web-1" };
const incident: Incident = { id: "a5", target, kind: "offline", cause: "No report for 90 s", openedAt: at };
const delivery: Delivery = {
  id: 40,
  channelId: 7,
  channelType: "slack",
  channelName: "Slack ops",
  kind: "offline",
  target,
  incidentId: "a5",
  status: "failed",
  attempts: [
    { at, answer: "The connection was refused", durationMs: 3 },
    { at, statusCode: 500, answer: "rollup_error", durationMs: 20 },
  ],
  createdAt: at,
};
const sources = {
  incidents: { getIncident: async () => ({ incident, actions: [], opinions: [] }) },
  metrics: {},
  notifications: async () => ({ decisions: [], deliveries: [delivery], channels: [], reminderDueAtMs: null }),
} as unknown as StorySources;
const storyJson = async (hideAnswers?: boolean) =>
  JSON.stringify(await incidentStory(sources, { id: "a5", language: "en-US", hideAnswers }, { requestId: "r-1" }));

test("removes provider responses everywhere, and keeps Sonde's own notes", async () => {
  expect((await storyJson()).match(/rollup_error/g)).toHaveLength(4);
  const hidden = await storyJson(true);
  expect(hidden).not.toContain("rollup_error");
  expect(hidden).toContain(
    "was not delivered to Slack ops after 2 attempts: The provider's response is shown only to users",
  );
  expect(hidden).toContain("The connection was refused");
});
