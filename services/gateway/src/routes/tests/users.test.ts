import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

const hidden = "in\u200bvisible";

test.each([
  ["an admin", "admin"],
  ["its owner", "user"],
] as const)("a change of an account by %s passes on any name: auth knows the stored one", async (_who, as) => {
  const { status, body } = await app.ask("PUT", "/api/users/2", { as, body: { username: hidden } });
  expect([status, body]).toMatchObject([200, { user: { username: hidden } }]);
});

test("a new account's name is validated at once", async () => {
  const body = { username: hidden, password: "correct horse battery" };
  const answer = await app.ask("POST", "/api/users", { as: "admin", body });
  expect([answer.status, answer.body["errors"]]).toMatchObject([400, [{ path: "username" }]]);
});

test("the document has a pattern only for names of new accounts", async () => {
  const { paths } = (await app.ask("GET", "/api/openapi.json")).body as {
    paths: Record<string, Record<string, { requestBody: { content: Record<string, { schema: Body }> } }>>;
  };
  const nameAt = (path: string, method: string) =>
    paths[path]![method]!.requestBody.content["application/json"]!.schema.properties.username;
  expect(hidden).not.toMatch(new RegExp(nameAt("/api/users", "post").pattern, "u"));
  const changed = nameAt("/api/users/{id}", "put");
  expect(changed).toMatchObject({ minLength: 1, maxLength: 64 });
  expect(hidden).toMatch(new RegExp(changed.pattern, "u"));
});

type Body = { properties: { username: { pattern: string } } };
