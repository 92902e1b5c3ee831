import { presentCheck } from "@sonde/domain/check-result";
import { create } from "@bufbuild/protobuf";
import { unavailable } from "@sonde/kit/errors";
import { CheckResultSchema } from "@sonde/proto/gen/checks/v1/checks";
import type { Incident, TimelineEntry } from "@sonde/proto/http/incidents/incidents";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeEvidence, fakeStory } from "../testing/fake-notifier.ts";
import { atMs, fakeCheck, fakeIncident } from "../testing/fakes.ts";
import { startTestApp, type TestApp } from "../testing/test-app.ts";

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.stop());

const ask = (language = "en", id = "m5", as: "viewer" | "user" = "user") =>
  app.ask("GET", `/api/incidents/${id}`, { as, headers: { "accept-language": language } });
const asked = (name: string) => app.fakes.calls.find(({ method }) => method === name)?.request;

test.each([
  ["en", "en-US"],
  ["zh", "zh-CN"],
])("the notifier's story is passed on in the reader's language (%s)", async (accepted, language) => {
  const { status, body } = await ask(accepted);
  expect([status, body]).toEqual([200, { success: true, ...fakeStory }]);
  expect(asked("incidentStory")).toEqual({ id: "m5", language });
});

test("viewers do not see the response body in the evidence", async () => {
  const { body: _body, ...shown } = fakeEvidence;
  const latest = { ...shown, at: fakeStory.latestEvidence?.at };
  expect((await ask("en", "m5", "viewer")).body).toEqual({
    success: true,
    ...fakeStory,
    evidence: shown,
    latestEvidence: latest,
  });
  app.fakes.refuse("incidentStory", unavailable("notifier"));
  expect((await ask("en", "m5", "viewer")).body["evidence"]).toEqual(shown);
  expect((await ask("en", "m5", "user")).body["evidence"]).toEqual(fakeEvidence);
});

describe("while the notifier is unavailable", () => {
  beforeEach(() => {
    app.fakes.refuse("incidentStory", unavailable("notifier"));
    const failed = presentCheck(create(CheckResultSchema, { ...fakeCheck, startedAtMs: atMs } as never));
    app.fakes.handlers.metrics.listChecks = async () => ({ checks: [failed] });
  });

  test("the rest is returned, and lists the notifier as unavailable", async () => {
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body).toMatchObject({ incident: { id: "m5" }, channels: [], unavailable: ["notifications"] });
    expect((body["timeline"] as TimelineEntry[]).map(({ type, text }) => `${type}: ${text}`)).toEqual([
      "failure: Check failed (default)",
      "recheck: Retry failed (default): 500 is not 200",
      "opened: Incident opened: 500 is not 200",
    ]);
  });

  test("metrics may be unavailable, too", async () => {
    app.fakes.handlers.metrics.listChecks = () => Promise.reject(unavailable("metrics"));
    expect((await ask()).body).toMatchObject({
      timeline: [{ type: "opened" }],
      unavailable: ["checks", "notifications"],
    });
  });

  test("an incident needs its producer", async () => {
    app.fakes.refuse("monitors.getIncident", unavailable("incidents"));
    expect((await ask()).status).toBe(503);
  });

  test("an agent's incident is requested from agents, without checks", async () => {
    const incident = { ...fakeIncident, id: "a3", target: { type: "agent", id: 3, name: "web-1" } };
    app.fakes.handlers.incidents.agents.getIncident = async () => ({ incident: incident as Incident });
    const { body } = await ask("en", "a3");
    expect(body["incident"]).toMatchObject({ id: "a3", target: { type: "agent" } });
    expect(app.fakes.calls.map(({ method }) => method)).not.toContain("listChecks");
  });
});

test.each(["m6", "m0", "m05", "x5", "5", "m", "m99999999999", "m2147483648", "a5", "%00"])(
  "%s is not an incident",
  async (id) => {
    const { status, body } = await app.ask("GET", `/api/incidents/${id}`, { as: "viewer" });
    expect([status, body["message"]]).toEqual([404, "Incident does not exist"]);
  },
);
