import { AppError } from "@sonde/kit/errors";
import { systemClock } from "@sonde/kit/time/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { fakeStory } from "../../testing/fake-notifier.ts";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

// Monitor 7 and agent 7 are silenced for an hour, monitor 8 is not.
const nowMs = Date.UTC(2026, 0, 31, 12);
const silencedUntil = "2026-01-31T13:00:00.000Z";
let app: TestApp;
beforeEach(async () => {
  app = await startTestApp({
    clock: { ...systemClock, now: () => nowMs },
    maintenance: {
      at: () => undefined,
      covered: () => new Set<number>(),
      silencedUntil: (_type, id, atMs) => (id === 7 && atMs === nowMs ? nowMs + 3_600_000 : undefined),
    },
  });
});
afterEach(() => app.stop());

const target = { type: "monitor", id: 7 };
const silence = (body: object) => app.ask("POST", "/api/silences", { as: "user", body });
const requestOf = (method: string) => app.fakes.calls.find((asked) => asked.method === method)?.request;

test("a target is silenced for minutes or until a time, listed, and unsilenced", async () => {
  const { status, body } = await silence({ target, minutes: 60, note: "Deploying" });
  expect([status, body["message"]]).toEqual([201, "Silence started"]);
  expect(body["silence"]).toMatchObject({ id: 7, target: { ...target, name: "monitor 7" }, until: silencedUntil });
  expect(requestOf("createSilence")).toEqual({ target, minutes: 60, note: "Deploying" });
  const tag = { type: "tag", name: "shop" };
  expect((await silence({ target: tag, until: silencedUntil })).status).toBe(201);
  const listed = await app.ask("GET", "/api/silences", { as: "viewer" });
  expect(listed.body).toMatchObject({ silences: [{ id: 7, createdBy: "ugo" }], total: 1 });
  const moved = await app.ask("PUT", "/api/silences/7", { as: "user", body: { minutes: 90 } });
  expect([moved.status, moved.body["message"]]).toEqual([200, "Silence updated"]);
  expect(requestOf("updateSilence")).toEqual({ id: 7, minutes: 90 });
  const unclear = await app.ask("PUT", "/api/silences/7", { as: "user", body: { minutes: 90, until: silencedUntil } });
  expect(unclear.status).toBe(400);
  const ended = await app.ask("DELETE", "/api/silences/7", { as: "user" });
  expect([ended.status, ended.body["message"]]).toEqual([200, "Silence ended"]);
  const missing = await app.ask("DELETE", "/api/silences/8", { as: "user" });
  expect([missing.status, missing.body["message"]]).toEqual([404, "Silence does not exist"]);
});

test.each<[string, object, string]>([
  ["without an end", { target }, "until"],
  ["with two ends", { target, minutes: 60, until: silencedUntil }, "until"],
  ["of four minutes", { target, minutes: 4 }, "minutes"],
  ["of more than a week", { target, minutes: 10_081 }, "minutes"],
  ["with a note that is too long", { target, minutes: 60, note: "x".repeat(501) }, "note"],
  ["of nothing", { minutes: 60 }, "target"],
  ["of a kind of target that there is not", { target: { type: "team", id: 7 }, minutes: 60 }, "target.type"],
  ["of a tag without a name", { target: { type: "tag" }, minutes: 60 }, "target.name"],
  ["of a monitor by its name", { target: { type: "monitor", name: "shop" }, minutes: 60 }, "target.id"],
])("a silence %s is rejected before calling any service", async (_what, body, path) => {
  const answer = await silence(body);
  expect(answer.status).toBe(400);
  expect((answer.body["errors"] as { path: string }[]).map((fault) => fault.path)).toContain(path);
  expect(app.fakes.calls).toEqual([]);
});

test("an impossible silence is rejected with its field", async () => {
  const details = [{ path: "target.id", message: "There is no monitor with ID {id}" as const, params: { id: 9 } }];
  app.fakes.refuse("createSilence", new AppError("impossible", "The request is not valid", { details }));
  const { status, body } = await silence({ target: { type: "monitor", id: 9 }, minutes: 60 });
  expect([status, body["errors"]]).toEqual([422, [{ path: "target.id", message: "There is no monitor with ID 9" }]]);
});

const ask = async <Body>(path: string) => (await app.ask("GET", path, { as: "viewer" })).body as Body;
type Shown = { id: number; silencedUntil?: string; inMaintenance?: true };

test("monitors, agents and open incidents show until when they are silenced", async () => {
  const { monitors } = await ask<{ monitors: Shown[] }>("/api/monitors");
  expect(monitors.map((one) => [one.id, one.silencedUntil, one.inMaintenance])).toEqual([
    [7, silencedUntil, undefined],
    [8, undefined, undefined],
  ]);
  expect(await ask("/api/agents/7")).toMatchObject({ agent: { silencedUntil } });
  expect(await ask("/api/incidents")).toMatchObject({ incidents: [{ id: "m5", silencedUntil }] });
  expect(await ask("/api/incidents/m5")).toMatchObject({ silencedUntil, incident: { silencedUntil } });
  expect(await ask("/api/monitors/7/incidents")).toMatchObject({ incidents: [{ silencedUntil }] });
  const { attention, worstAgents, open } = await ask<Record<string, Shown[]>>("/api/dashboard");
  expect(attention?.map((one) => [one.id, one.silencedUntil])).toEqual([
    [8, undefined],
    [7, silencedUntil],
  ]);
  expect(worstAgents?.[0]?.silencedUntil).toBe(silencedUntil);
  expect(open?.[0]?.silencedUntil).toBe(silencedUntil);
});

test("a closed incident has its target's silence next to it, since the next one would be silenced, too", async () => {
  const { incident } = await ask<{ incident: Incident }>("/api/incidents/m5");
  const over = { ...incident, closedAt: incident.openedAt, silencedUntil: undefined };
  app.fakes.handlers.notifications.incidentStory = async () => ({ ...fakeStory, incident: over });
  const story = await ask<{ incident: Shown; silencedUntil?: string }>("/api/incidents/m5");
  expect([story.silencedUntil, story.incident.silencedUntil]).toEqual([silencedUntil, undefined]);
});
