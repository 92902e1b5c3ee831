import { afterAll, beforeAll, expect, test } from "vitest";
import { reportToken } from "../../testing/fake-reports.ts";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

const report = "/api/reports/7/2026-W04";
const form = { "content-type": "application/x-www-form-urlencoded" };

test("a session, or the token of its link, reads a report as a page that runs nothing", async () => {
  for (const [path, options] of [
    [`${report}.html`, { as: "viewer" as const }],
    [report, { as: "viewer" as const }],
    [`${report}.html?token=${reportToken}`, {}],
  ] as const) {
    const { status, headers, text } = await app.ask("GET", path, options);
    expect([status, text]).toEqual([200, "<!doctype html>\n<p>Shop</p>"]);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'unsafe-inline'; /);
    expect(headers.get("content-security-policy")).not.toContain("script-src");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("private, no-store");
  }
});

test("the CSV is a download", async () => {
  const { headers, text } = await app.ask("GET", `${report}.csv?token=${reportToken}`);
  expect(text).toBe("type,id\r\n");
  expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(headers.get("content-disposition")).toBe('attachment; filename="report-7-2026-W04.csv"');
});

test.each([
  ["no session", `${report}.html`, {}, 401],
  ["another token", `${report}.html?token=x`, {}, 404],
  ["another token, with a session", `${report}.html?token=x`, { as: "admin" as const }, 404],
  ["a period without a report", "/api/reports/7/2026-W05.html", { as: "admin" as const }, 404],
  ["something else than a period", "/api/reports/7/latest.html", { as: "admin" as const }, 404],
  ["another format", `${report}.pdf`, { as: "admin" as const }, 404],
])("%s reads nothing", async (_what, path, options, status) => {
  expect((await app.ask("GET", path, options)).status).toBe(status);
});

test("opening the link of a mail only asks; its form confirms", async () => {
  const path = `/api/reports/recipients?token=${reportToken}`;
  app.fakes.calls.length = 0;
  expect((await app.ask("GET", path)).text).toBe("<p>Really?</p>");
  const posted = await app.ask("POST", path, { body: "List-Unsubscribe=One-Click", headers: form });
  expect([posted.status, posted.text]).toEqual([200, "<p>Done</p>"]);
  expect(posted.headers.get("content-security-policy")).toContain("form-action 'self'");
  const links = app.fakes.calls.filter(({ method }) => method === "recipientLink");
  expect(links.map(({ request }) => request)).toEqual([
    { token: reportToken, confirms: false },
    { token: reportToken, confirms: true },
  ]);
  expect((await app.ask("GET", "/api/reports/recipients?token=x")).status).toBe(400);
});

test.each([
  ["no scope", { name: "Shop", every: "week" }, "targets"],
  ["two scopes", { name: "Shop", every: "week", tag: "a", pageId: "default" }, "targets"],
  ["no targets", { name: "Shop", every: "week", targets: [] }, "targets"],
  [
    "too many recipients",
    { name: "Shop", every: "week", tag: "a", recipients: Array(51).fill("a@example.com") },
    "recipients",
  ],
])("%s is 400 with the path", async (_what, body, path) => {
  const { status, body: answer } = await app.ask("POST", "/api/reports", { as: "admin", body });
  expect([status, (answer["errors"] as { path: string }[])[0]?.path]).toEqual([400, path]);
});
