import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.stop());
const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
const requestOf = (method: string) => app.fakes.calls.find((asked) => asked.method === method)?.request;

test("changes are recorded by users who may write", async () => {
  const body = { title: " Deploy 7 ", link: "https://ci.example.com/run/7", tags: ["shop", "shop"], at: hours(-1) };
  const made = await app.ask("POST", "/api/changes", { as: "user", body });
  expect([made.status, made.body["message"]]).toEqual([201, "Change recorded"]);
  expect(made.body["change"]).toMatchObject({ id: 7, title: "Deploy 7" });
  expect(requestOf("createChange")).toEqual({ ...body, title: "Deploy 7", tags: ["shop"] });
  expect((await app.ask("POST", "/api/changes", { as: "viewer", body: { title: "a" } })).status).toBe(403);
});

test.each<[string, object, string]>([
  ["without a title", { title: " " }, "title"],
  ["with a long title", { title: "x".repeat(201) }, "title"],
  ["with a link that is no address", { link: "run 7" }, "link"],
  ["with a link that runs a script", { link: "javascript:alert(1)" }, "link"],
  ["with a password in its link", { link: "https://ada:secret@ci.example.com" }, "link"],
  ["with a long link", { link: `https://ci.example.com/${"x".repeat(478)}` }, "link"],
  ["with too many tags", { tags: Array.from({ length: 21 }, (_, at) => `t${at}`) }, "tags"],
  ["in the future", { at: hours(1) }, "at"],
  ["older than a day", { at: hours(-25) }, "at"],
])("a change %s is rejected before calling any service", async (_what, body, path) => {
  const answer = await app.ask("POST", "/api/changes", { as: "user", body: { title: "Deploy 7", ...body } });
  expect(answer.status).toBe(400);
  expect(answer.body["errors"]).toMatchObject([{ path }]);
  expect(requestOf("createChange")).toBeUndefined();
});

test("only administrators' sessions see who edited a monitor", async () => {
  const shown = async (as: "admin" | "user" | "viewer") => {
    app.fakes.calls.length = 0;
    await app.ask("GET", "/api/incidents/m5", { as });
    return (requestOf("incidentStory") as { showEditors?: boolean }).showEditors;
  };
  expect([await shown("admin"), await shown("user"), await shown("viewer")]).toEqual([true, undefined, undefined]);
});
