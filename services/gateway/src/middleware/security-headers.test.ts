import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../testing/test-app.ts";
import { principals } from "../testing/principals.ts";
import { fakePublicPage, fakeView } from "../testing/fake-public-page.ts";
import { fakeSnapshot, fakeStates } from "@sonde/status-page/testing/snapshot";
import { fakeSite } from "../testing/fake-site.ts";

const site = await fakeSite();
let app: TestApp;
beforeAll(async () => void (app = await startTestApp({ site })));
afterAll(() => app.stop());

const policyOf = (answer: { headers: Headers }) =>
  Object.fromEntries(
    (answer.headers.get("content-security-policy") ?? "").split("; ").map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, sources.join(" ")];
    }),
  );

test("a document loads scripts and styles only from its own origin", async () => {
  const policy = policyOf(await app.ask("GET", "/", { headers: { accept: "text/html" } }));
  expect(policy).toMatchObject({
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "img-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
  });
  expect(JSON.stringify(policy)).not.toContain("unsafe-eval");
  expect(Object.entries(policy).filter(([, sources]) => sources.includes("unsafe-inline"))).toEqual([
    ["style-src-attr", "'unsafe-inline'"],
  ]);
});

test("a document of the app loads images only from its own origin and that of the public page's logo", async () => {
  const view = fakeView();
  const page = { ...fakeSnapshot.page, logoUrl: "https://img.example.com/logo.svg" };
  await view.publish({ snapshot: { ...fakeSnapshot, page }, states: fakeStates });
  const own = await startTestApp({ site, status: await fakePublicPage({ view }) });
  const policy = policyOf(await own.ask("GET", "/status/config", { headers: { accept: "text/html" } }));
  await own.stop();
  expect(policy["img-src"]).toBe("'self' https://img.example.com");
});

test.each([
  ["a small answer", "/api/auth/me"],
  ["a large answer", "/api/monitors"],
  ["a streamed answer", "/api/export"],
  ["an answer that is no envelope", "/api/openapi.json"],
  ["a refusal", "/api/auth/me?unknown=1"],
  ["a path without a route", "/api/nothing"],
  ["a document of the web app", "/"],
  ["a file of the web app", "/assets/app-0a1b2c3d.js"],
  ["a stream of events", "/api/events"],
])("%s has the security headers", async (_what, path) => {
  const leave = new AbortController();
  const authorization = `Bearer ${principals.user.token}`;
  const { headers } = await fetch(app.url + path, { headers: { authorization }, signal: leave.signal });
  leave.abort();
  expect(headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("same-origin");
  expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
  expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  expect(headers.get("permissions-policy")).toContain("camera=()");
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(headers.get("strict-transport-security")).toBeNull();
  expect(headers.get("x-powered-by")).toBeNull();
});

test("a response keeps headers that it sets itself", async () => {
  const leave = new AbortController();
  const { headers } = await fetch(`${app.url}/api/status/events`, { signal: leave.signal });
  leave.abort();
  expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  expect(headers.get("referrer-policy")).toBe("same-origin");
});

test("a response to HEAD has the headers of GET, and no body", async () => {
  const [get, head] = [await app.ask("GET", "/api/config"), await app.ask("HEAD", "/api/config")];
  const ofRequest = new Set(["date", "x-request-id", "connection", "keep-alive"]);
  const shown = ({ headers }: { headers: Headers }) => [...headers].filter(([name]) => !ofRequest.has(name));
  expect(shown(head)).toEqual(shown(get));
  expect([head.status, head.text]).toEqual([200, ""]);
});

test("API responses are never cached and state their language, whether small, large, streamed or errors", async () => {
  const paths = ["/api/auth/me", "/api/monitors", "/api/export", "/api/auth/me?unknown=1"];
  const headers = { "accept-language": "zh-CN", "accept-encoding": "gzip" };
  const answers = await Promise.all(paths.map((path) => app.ask("GET", path, { as: "user", headers })));
  const shown = (name: string) => answers.map((answer) => answer.headers.get(name));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400]);
  expect(shown("content-encoding")).toEqual([null, "gzip", null, null]);
  expect(new Set(shown("cache-control"))).toEqual(new Set(["no-store"]));
  expect(new Set(shown("content-language"))).toEqual(new Set(["zh-CN"]));
  expect(new Set(shown("content-type"))).toEqual(new Set(["application/json; charset=utf-8"]));
  for (const vary of shown("vary")) expect(vary).toMatch(/^Accept-Encoding, Accept-Language/);
});
