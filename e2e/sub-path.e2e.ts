import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { freePort } from "@sonde/embedded/free-port";
import { firstAdmin, type Api } from "@sonde/testing/api";
import { type Product, startProduct } from "@sonde/testing/product";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPage, sessionOf, type Session } from "./support/shared.ts";

// PUBLIC_URL has a path, so these tests need an installation of their own, behind a real nginx.
let product: Product;
let nginx: ChildProcess;
let folder: string;
let api: Api;
let session: Session;
const ports = { keeps: 0, strips: 0 };
const base = "/uptime";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-nginx-"));
  const port = await freePort();
  [ports.keeps, ports.strips] = [await freePort(), await freePort()];
  const server = (listen: number, target: string) => `server {
    listen 127.0.0.1:${listen};
    location ${base}/ {
      proxy_pass ${target};
      proxy_http_version 1.1;
      proxy_buffering off;
      proxy_set_header Host $http_host;
    }
  }`;
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const gateway = `http://127.0.0.1:${port}`;
  await writeFile(
    join(folder, "nginx.conf"),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
    http { access_log off; ${paths.join(" ")} ${server(ports.keeps, gateway)} ${server(ports.strips, `${gateway}/`)} }`,
  );
  nginx = spawn("nginx", ["-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")], { stdio: "inherit" });
  product = await startProduct({ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${ports.keeps}${base}` });
  const admin = await firstAdmin(`http://127.0.0.1:${ports.keeps}${base}`);
  ({ api } = admin);
  session = await sessionOf(api, admin.token);
}, 240_000);
afterAll(async () => {
  await product?.remove();
  nginx?.kill();
  await rm(folder, { recursive: true, force: true });
});

/** Opens an empty tab, and records requests that left the base path or failed. */
async function openTab() {
  const page = await openPage({}, session);
  const wrong: string[] = [];
  page.on("request", (request) => {
    const { pathname, protocol } = new URL(request.url());
    if (protocol === "http:" && pathname !== base && !pathname.startsWith(`${base}/`)) wrong.push(pathname);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) wrong.push(`${response.status()} ${response.url()}`);
  });
  page.on("pageerror", (error) => wrong.push(error.message));
  return { page, wrong };
}

describe.each(["keeps", "strips"] as const)("behind a proxy that %s the prefix", (style) => {
  const at = (path: string) => `http://127.0.0.1:${ports[style]}${base}${path}`;

  test("the app starts, navigates, reloads deep addresses and receives events", async () => {
    const { page, wrong } = await openTab();
    const events = page.waitForResponse((response) => response.url() === at("/api/events"));
    await page.goto(at("/dashboard"));
    expect((await events).status()).toBe(200);
    await page.getByRole("link", { name: "API Monitors" }).first().click();
    await expect.poll(() => page.url()).toBe(at("/monitors"));
    await page.reload();
    await page.getByRole("heading", { name: "API Monitors" }).waitFor();
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  test("the status page has its style sheet, script, stream, badge and language link", async () => {
    const { page, wrong } = await openTab();
    const stream = page.waitForResponse((response) => response.url() === at("/api/status/events"));
    await page.goto(at("/status"));
    expect((await stream).status()).toBe(200);
    const ground = await page.evaluate<string>("getComputedStyle(document.body).getPropertyValue('--ground')");
    expect(ground).not.toBe("");
    await page.locator("a.language").click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`${base}/status`);
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  test("pings, agents, downloads and redirects work below the prefix", async () => {
    const heartbeat = { type: "heartbeat", name: `job ${style}`, every: 60 };
    const { monitor } = await api.send<{ monitor: Monitor }>("POST", "/api/monitors", heartbeat);
    const { pingUrl } = monitor as Extract<Monitor, { type: "heartbeat" }>;
    expect(pingUrl).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${ports.keeps}${base}/ping/`));
    expect((await fetch(pingUrl.replace(String(ports.keeps), String(ports[style])))).status).toBe(200);
    const agent = await fetch(at("/agent/v1/register"), { method: "POST", body: "{}" });
    expect([400, 401, 403, 415]).toContain(agent.status);
    const moved = await fetch(at("/status/"), { redirect: "manual" });
    expect([moved.status, moved.headers.get("location")]).toEqual([301, `${base}/status`]);
    const manifest = await fetch(at("/manifest.webmanifest"));
    expect(new URL(((await manifest.json()) as { start_url: string }).start_url, manifest.url).pathname).toBe(
      `${base}/dashboard`,
    );
  });

  test("the documentation and the API reference stay below the prefix", async () => {
    const { page, wrong } = await openTab();
    await page.goto(at("/docs/"));
    await page.getByRole("link", { name: "Status pages" }).first().click();
    await page.getByRole("heading", { name: "Status pages" }).first().waitFor();
    expect(page.url()).toBe(at("/docs/status-pages"));
    await page.goto(at("/api/docs"));
    await page.locator(".opblock").first().waitFor({ timeout: 180_000 });
    expect(wrong).toEqual([]);
    await page.context().close();
  });
});
