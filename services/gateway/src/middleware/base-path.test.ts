import type { IncomingMessage } from "node:http";
import { afterEach, expect, test } from "vitest";
import { fakePublicPage } from "../testing/fake-public-page.ts";
import { pagePassword } from "../testing/fake-status-page.ts";
import { fakeSite } from "../testing/fake-site.ts";
import { startTestApp, type TestApp, testConfig } from "../testing/test-app.ts";
import { basePathOf, docsWithBase, stripBase, withBase } from "./base-path.ts";

let app: TestApp | null = null;
afterEach(async () => {
  await app?.stop();
  app = null;
});

test.each([
  [null, ""],
  ["https://example.com", ""],
  ["https://example.com/uptime", "/uptime"],
  ["https://example.com/ops/uptime/", "/ops/uptime"],
])("%s is at %j", (publicUrl, base) => expect(basePathOf({ publicUrl })).toBe(base));

test.each([
  ["/uptime", "/"],
  ["/uptime/", "/"],
  ["/uptime?a=/uptime", "/?a=/uptime"],
  ["/uptime/status?x", "/status?x"],
  ["/uptimes", "/uptimes"],
  ["/status", "/status"],
  ["/status/uptime", "/status/uptime"],
  ["http://example.com/uptime/ping/x", "http://example.com/ping/x"],
  ["*", "*"],
])("%s becomes %s", (url, stripped) => {
  const request = { url } as IncomingMessage;
  stripBase(request, "/uptime");
  expect(request.url).toBe(stripped);
});

test("a document's addresses get the base path, other sites' and texts do not", () => {
  const html = `<head><link href="/a.css"><a href="//other/x"><a href="https://x/y"><img src="/b"> src=&quot;/c&quot;`;
  expect(withBase(html, "/u")).toBe(
    `<head><meta name="base-path" content="/u" /><link href="/u/a.css"><a href="//other/x"><a href="https://x/y"><img src="/u/b"> src=&quot;/c&quot;`,
  );
  expect(withBase(html, "")).toBe(html);
  expect(docsWithBase(`<a href="/docs/a"><a href="/x">JSON.parse("{\\"base\\":\\"/docs/\\"}") '/docs/b'`, "/u")).toBe(
    `<a href="/u/docs/a"><a href="/u/x">JSON.parse("{\\"base\\":\\"/u/docs/\\"}") '/u/docs/b'`,
  );
});

test("app, API and pages are found with and without the prefix", async () => {
  const config = { ...testConfig, publicUrl: "http://localhost/uptime" };
  app = await startTestApp({ config, site: await fakeSite(), status: await fakePublicPage() });
  const get = (path: string) => fetch(app!.url + path, { redirect: "manual", headers: { accept: "text/html" } });
  for (const prefix of ["", "/uptime"]) {
    const page = await get(`${prefix}/status`);
    expect([prefix, page.status, await page.text()]).toEqual([
      prefix,
      200,
      expect.stringMatching(/href="\/uptime\/assets/),
    ]);
    expect((await get(`${prefix}/api/config`)).status).toBe(200);
    const moved = await get(`${prefix}/status/`);
    expect([moved.status, moved.headers.get("location")]).toEqual([301, "/uptime/status"]);
    const again = await get(`${prefix}/status`);
    const same = await fetch(`${app.url}${prefix}/status`, {
      headers: { accept: "text/html", "if-none-match": again.headers.get("etag")! },
    });
    expect(same.status).toBe(304);
  }
});

test("cookies are limited to the path, where browsers reject the prefix __Host-", async () => {
  const config = { ...testConfig, publicUrl: "https://localhost/uptime" };
  app = await startTestApp({ config, status: await fakePublicPage() });
  const post = (cookie = "") =>
    fetch(`${app!.url}/uptime/status/acme`, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/x-www-form-urlencoded", cookie },
      body: new URLSearchParams({ password: pagePassword }),
    });
  const answer = await post();
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/uptime/status/acme"]);
  const [cookie = ""] = answer.headers.getSetCookie();
  expect(cookie).toMatch(/^__Secure-sonde-page-acme=[^;]+; Path=\/uptime; .*Secure$/);
  // With the cookie, the page is open already.
  expect((await post(cookie.split(";")[0])).headers.getSetCookie()).toEqual([]);
});
