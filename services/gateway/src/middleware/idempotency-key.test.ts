import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

const shop = { name: "shop", url: "https://example.com" };
/** The key as the owner of the route receives it. */
async function given(key: string, { as = "user" as "user" | "admin", body = shop as object, query = "" } = {}) {
  app.fakes.calls.length = 0;
  const headers = { "idempotency-key": key };
  const { status } = await app.ask("POST", `/api/monitors${query}`, { as, body, headers });
  expect(status).toBe(201);
  return app.fakes.calls.find(({ method }) => method === "createMonitor")!.call.idempotency;
}

test("the same key and body are the same request, regardless of whitespace", async () => {
  const first = await given("4f1c");
  expect(first).toMatchObject({
    id: expect.stringMatching(/^[\w-]{43}$/),
    sealKey: expect.stringMatching(/^[\w-]{43}$/),
  });
  expect(
    await given("4f1c", { body: JSON.parse(`{ "name": "shop", "url":"https://example.com" }`) as object }),
  ).toEqual(first);
});

test("another body or query is another request with the same key", async () => {
  const first = await given("4f1c");
  for (const other of [{ body: { ...shop, name: "other" } }, { query: "?cloneOf=7" }]) {
    const changed = await given("4f1c", other);
    expect(changed).toMatchObject({ id: first!.id, sealKey: first!.sealKey });
    expect(changed!.request).not.toBe(first!.request);
  }
});

test("a key is bound to one user, and cannot be derived", async () => {
  const [own, others, another] = [await given("4f1c"), await given("4f1c", { as: "admin" }), await given("4f1d")];
  expect(new Set([own, others, another].flatMap((one) => [one!.id, one!.sealKey, one!.request])).size).toBe(9);
  expect(JSON.stringify(own)).not.toContain("4f1c");
});

test.each([
  ["nothing", ""],
  ["a space", "a b"],
  ["256 characters", "k".repeat(256)],
  ["a letter beyond ASCII", "\u00e9"],
])("a key of %s is rejected before calling any service", async (_what, key) => {
  app.fakes.calls.length = 0;
  const refused = await app.ask("POST", "/api/monitors", {
    as: "user",
    body: shop,
    headers: { "idempotency-key": key },
  });
  expect([refused.status, refused.body["errors"]]).toEqual([
    400,
    [{ path: "Idempotency-Key", message: "Enter 1 to 255 visible characters" }],
  ]);
  expect(app.fakes.calls).toEqual([]);
});

test("255 characters are allowed, and other routes ignore the header", async () => {
  expect(await given("~".repeat(255))).toBeDefined();
  const headers = { "idempotency-key": "4f1c" };
  await app.ask("POST", "/api/monitors/7/pause", { as: "user", body: {}, headers });
  expect(app.fakes.calls.find(({ method }) => method === "pauseMonitor")!.call.idempotency).toBeUndefined();
});

test("the OpenAPI document lists the header for routes that accept it", async () => {
  const { paths } = (await app.ask("GET", "/api/openapi.json")).body as {
    paths: Record<string, Record<string, { parameters?: { name: string }[] }>>;
  };
  const taking = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { parameters = [] }]) => parameters.some(({ name }) => name === "Idempotency-Key"))
      .map(([method]) => `${method} ${path}`),
  );
  expect(taking.sort()).toEqual([
    "post /api/agents/tokens",
    "post /api/announcements",
    "post /api/changes",
    "post /api/maintenance",
    "post /api/monitors",
    "post /api/notifications/channels",
    "post /api/silences",
    "post /api/slos",
  ]);
});
