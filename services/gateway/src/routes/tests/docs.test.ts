import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, testConfig, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

test("the reference page loads scripts and styles only from its own origin", async () => {
  const { text, headers } = await app.ask("GET", "/api/docs");
  expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(text).not.toMatch(/<script(?! src="\/)|<style|\son\w+=|\sstyle=|https?:/i);
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy.split("; ")).toEqual(
    expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]),
  );
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe-eval");
});

test("with a https PUBLIC_URL the page upgrades insecure requests", async () => {
  const config = { ...testConfig, publicUrl: "https://sonde.example" };
  const own = await startTestApp({ config });
  const { headers } = await own.ask("GET", "/api/docs", { headers: { host: "localhost" } });
  await own.stop();
  expect(headers.get("content-security-policy")).toContain("; upgrade-insecure-requests");
});

test("every file of the page is served, compressed and with ETags", async () => {
  const { text } = await app.ask("GET", "/api/docs");
  const named = [...text.matchAll(/(?:href|src)="(\/api\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(named).toHaveLength(5);
  for (const path of named) {
    const headers = { "accept-encoding": "gzip, br" };
    const first = await app.ask("GET", path, { headers });
    expect([first.status, first.text.length > 100], path).toEqual([200, true]);
    const isLarge = first.text.length > 1024;
    expect(first.headers.get("content-encoding") === "br", path).toBe(isLarge);
    const tag = { "if-none-match": first.headers.get("etag") ?? "" };
    const again = await app.ask("GET", path, { headers: { ...headers, ...tag } });
    expect([again.status, again.text], path).toEqual([304, ""]);
  }
});

test("Swagger UI renders this installation's document", async () => {
  expect((await app.ask("GET", "/api/docs/page.js")).text).toContain('url: "openapi.json"');
});
