import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fakeProgress } from "../../testing/fake-policies.ts";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
beforeEach(() => void (app.fakes.calls.length = 0));
afterAll(() => app.stop());

const requestOf = (method: string) => app.fakes.calls.find((asked) => asked.method === method)?.request;

test("a policy is created with its warnings in the reader's language", async () => {
  const body = { name: "Ops", steps: [{ after: 5, notify: ["user:1"] }] };
  const answer = await app.ask("POST", "/api/on-call/policies", {
    as: "user",
    body,
    headers: { "accept-language": "zh" },
  });
  expect([answer.status, answer.body["message"]]).toEqual([201, "升级策略已创建"]);
  expect(requestOf("createPolicy")).toMatchObject({ ...body, repeat: 0, language: "zh-CN" });
});

test.each([
  ["an unknown kind of recipient", { notify: ["group:1"] }, "steps.0.notify.0"],
  ["no recipient", { notify: [] }, "steps.0.notify"],
  ["a delay of more than a day", { after: 1_441 }, "steps.0.after"],
  ["six acknowledgements", { needs: 6 }, "steps.0.needs"],
])("rejects %s", async (_, given, path) => {
  const body = { name: "Ops", steps: [{ after: 5, notify: ["user:1"], ...given }] };
  const answer = await app.ask("POST", "/api/on-call/policies", { as: "user", body });
  expect(answer.status).toBe(400);
  expect(answer.body["errors"]).toMatchObject([{ path }]);
});

test("contacts are those of the caller, whose name and address come from the session", async () => {
  const body = { timeZone: "UTC", rules: [{ urgency: "high", after: 0, via: "mail" }] };
  expect((await app.ask("PUT", "/api/me/contacts", { as: "viewer", body })).status).toBe(200);
  const { user } = requestOf("putContacts") as { user: { id: number } };
  expect((await app.ask("GET", "/api/me/contacts", { as: "viewer" })).status).toBe(200);
  expect(requestOf("getContacts")).toEqual({ userId: user.id });
  expect((await app.ask("POST", "/api/me/contacts/test", { as: "viewer", body: { rule: 0 } })).status).toBe(200);
  expect(requestOf("testContact")).toMatchObject({ userId: user.id, rule: 0 });
});

test("an incident is escalated in the name of the caller", async () => {
  const { status, body } = await app.ask("POST", "/api/incidents/m5/escalate", { as: "user", body: { note: "Hurry" } });
  expect([status, body["escalation"]]).toEqual([200, fakeProgress]);
  expect(requestOf("escalateIncident")).toMatchObject({ id: "m5", note: "Hurry", by: "ugo" });
  expect((await app.ask("POST", "/api/incidents/m6/escalate", { as: "user", body: {} })).status).toBe(404);
});
