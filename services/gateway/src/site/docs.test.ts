import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { hash } from "node:crypto";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { fakePublicPage, fakeView } from "../testing/fake-public-page.ts";
import { startTestApp, type TestApp } from "../testing/test-app.ts";
import { loadSite } from "./site.ts";

const script = "document.documentElement.classList.add('dark')";
const html = (title: string) =>
  `<!doctype html><title>${title}</title><script id="theme">${script}</script><script src="/docs/assets/app.0a1b2c3d.js"></script>`;

const pageHost = "status.acme.example";

let folder: string;
let app: TestApp;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-docs-"));
  for (const name of ["assets", "zh-CN"]) await mkdir(join(folder, name));
  for (const name of ["index", "agents", "404", "zh-CN/index"])
    await writeFile(join(folder, `${name}.html`), html(name));
  await writeFile(join(folder, "assets/app.0a1b2c3d.js"), "start()");
  const acme = fakeView({ slug: "acme" });
  acme.allow({ mode: "public", hosts: [pageHost] });
  app = await startTestApp({ docs: await loadSite(folder), status: await fakePublicPage({ others: { acme } }) });
});
afterAll(async () => {
  await app.stop();
  await rm(folder, { recursive: true });
});

const asBrowser = { headers: { accept: "text/html,*/*;q=0.8" } };

test.each([
  ["/docs/", "index"],
  ["/docs/agents", "agents"],
  ["/docs/agents.html", "agents"],
  ["/docs/zh-CN/", "zh-CN/index"],
])("%s is a page, without a session", async (path, title) => {
  const answer = await app.ask("GET", path, asBrowser);
  expect([answer.status, answer.text]).toEqual([200, html(title)]);
  expect(answer.headers.get("cache-control")).toBe("no-cache");
});

test.each(["/docs", "/docs/zh-CN"])("%s redirects to its folder", async (path) => {
  const answer = await fetch(app.url + path, { redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([302, `${path}/`]);
});

test("a page may run the generator's own scripts, by hash, and no others", async () => {
  const { headers } = await app.ask("GET", "/docs/agents", asBrowser);
  const policy = headers.get("content-security-policy")!;
  expect(policy).toContain(`script-src 'self' 'sha256-${hash("sha256", script, "base64")}';`);
  expect(policy).toContain("img-src 'self' data:;");
});

test("assets of a page are cached permanently", async () => {
  const { headers } = await app.ask("GET", "/docs/assets/app.0a1b2c3d.js");
  expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8");
});

test("a missing page is 404: HTML for browsers, an envelope for programs", async () => {
  const shown = await app.ask("GET", "/docs/nowhere", asBrowser);
  expect([shown.status, shown.text]).toEqual([404, html("404")]);
  const answer = await app.ask("GET", "/docs/assets/app.ffffffff.js", { headers: { accept: "application/json" } });
  expect([answer.status, answer.body]).toMatchObject([404, { success: false }]);
});

test("a page that a later build removed is 404", async () => {
  await writeFile(join(folder, "removed.html"), html("removed"));
  const own = await startTestApp({ docs: await loadSite(folder) });
  onTestFinished(own.stop);
  expect((await own.ask("GET", "/docs/removed", asBrowser)).text).toBe(html("removed"));
  await rm(join(folder, "removed.html"));
  expect((await own.ask("GET", "/docs/removed", asBrowser)).status).toBe(404);
});

test.each(["/docs", "/docs/", "/docs/agents", "/docs/assets/app.0a1b2c3d.js"])(
  "a page's own host does not serve %s",
  async (path) => {
    const statusAt = (host: string) =>
      new Promise((done, fail) => {
        const headers = { host, accept: "text/html" };
        get({ port: app.port, path, headers }, (answer) => done(answer.resume().statusCode)).on("error", fail);
      });
    expect([await statusAt(pageHost), await statusAt("localhost")]).toEqual([404, path === "/docs" ? 302 : 200]);
  },
);

test("without a build the response reports it", async () => {
  const bare = await startTestApp();
  const { status, body } = await bare.ask("GET", "/docs/", asBrowser);
  expect([status, JSON.stringify(body)]).toEqual([
    404,
    expect.stringContaining("The documentation is not included in this build"),
  ]);
  await bare.stop();
});
