import { unavailable } from "@sonde/kit/errors";
import type { AuditEntry } from "@sonde/proto/http/audit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());
afterEach(() => {
  app.fakes.heal();
  app.fakes.calls.length = 0;
});

const entry = (index: number): AuditEntry => ({
  id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
  at: "2026-11-26T08:00:00.000Z",
  actor: { id: 1, username: "ada" },
  action: "update",
  target: { type: "monitor", id: "5", name: "Shop" },
  changes: [{ path: "name", from: "Sh\nop", to: "Shop" }],
  isCut: false,
  requestId: "request",
});

test("an export has one line per entry, page by page, and is audited itself", async () => {
  const pages = [[entry(1), entry(2)], [entry(3)], []];
  const after: unknown[] = [];
  app.fakes.handlers.audit.pageEntries = async (query) => {
    after.push(query);
    const entries = pages[after.length - 1] ?? [];
    return { entries, more: after.length < pages.length };
  };
  const answer = await app.ask("GET", "/api/audit/export?target=monitor:5", { as: "admin" });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  expect(answer.headers.get("content-disposition")).toContain("attachment");
  const lines = answer.text.trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as AuditEntry).id)).toEqual([1, 2, 3].map((index) => entry(index).id));
  expect(after).toEqual([
    { target: "monitor:5" },
    { target: "monitor:5", after: { id: entry(2).id, at: entry(2).at } },
    { target: "monitor:5", after: { id: entry(3).id, at: entry(3).at } },
  ]);
  expect(app.fakes.calls.map(({ method }) => method)).toContain("recordExport");
});

test("an export that cannot be audited is refused", async () => {
  app.fakes.refuse("recordExport", unavailable("auth"));
  for (const path of ["/api/audit/export", "/api/export"]) {
    expect((await app.ask("GET", path, { as: "admin" })).status).toBe(503);
  }
});

test.each([
  ["target", "nothing:5"],
  ["target", "monitors"],
  ["action", "hide"],
  ["since", "yesterday"],
  ["pageSize", "51"],
])("a query with %s=%s is rejected with its field", async (field, value) => {
  const answer = await app.ask("GET", `/api/audit?${field}=${value}`, { as: "admin" });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ errors: [{ path: field }] });
});

test("actor and address are passed on to auth", async () => {
  await app.ask("GET", "/api/audit", { as: "admin" });
  const { call } = app.fakes.calls.find(({ method }) => method === "listEntries")!;
  expect(call).toMatchObject({ actor: { username: expect.any(String) }, address: "127.0.0.1" });
});
