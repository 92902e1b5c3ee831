import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { freePort } from "@sonde/embedded/free-port";
import { findDebianProgram } from "@sonde/kit/testing/debian";
import { startListening } from "@sonde/kit/testing/debian-server";
import { firstAdmin, type Api } from "@sonde/testing/api";
import { type Product, startProduct } from "@sonde/testing/product";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPage, sessionOf, type Session } from "./support/shared.ts";

// PUBLIC_URL has a path, so these tests need an installation of their own, behind the proxies of docs/installing.md.
const base = "/uptime";
const proxies = [
  { proxy: "nginx", style: "keeps" },
  { proxy: "nginx", style: "strips" },
  { proxy: "caddy", style: "keeps" },
  { proxy: "caddy", style: "strips" },
] as const;
type Proxy = (typeof proxies)[number];
const nameOf = ({ proxy, style }: Proxy) => `${proxy}-${style}`;

let product: Product;
let folder: string;
let api: Api;
let session: Session;
const ports = new Map<string, number>();
const stops: (() => Promise<void>)[] = [];

/** An example of the documentation, with this gateway's address. */
async function example(start: string, gatewayPort: number): Promise<string> {
  const page = await readFile(join(import.meta.dirname, "../docs/installing.md"), "utf8");
  const [, text = ""] = new RegExp(`\`\`\`${start}\n([^]*?)\`\`\``).exec(page)!;
  return text.replaceAll("127.0.0.1:8080", `127.0.0.1:${gatewayPort}`);
}

async function nginxArgs({ style }: Proxy, file: string, port: number, gatewayPort: number) {
  const kept = await example("nginx", gatewayPort);
  const location = style === "keeps" ? kept : kept.replace(/(proxy_pass .*);/, "$1/;");
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${file}-${name};`,
  );
  const server = `server { listen 127.0.0.1:${port}; ${location} }`;
  await writeFile(file, `daemon off; pid ${file}.pid; events {} http { access_log off; ${paths.join(" ")} ${server} }`);
  return ["-c", file, "-e", `${file}.log`];
}

async function caddyArgs({ style }: Proxy, file: string, port: number, gatewayPort: number) {
  const kept = (await example("\n# Caddy", gatewayPort)).replace("example.com", `http://127.0.0.1:${port}`);
  const site =
    style === "keeps" ? kept : kept.replace(/reverse_proxy (\S+) (\S+)/, "handle_path $1 {\n\t\treverse_proxy $2\n\t}");
  await writeFile(file, `{\n\tadmin off\n}\n${site}`);
  return ["run", "--adapter", "caddyfile", "--config", file];
}

async function startProxy(given: Proxy, gatewayPort: number): Promise<void> {
  const [port, file] = [await freePort(), join(folder, nameOf(given))];
  const isNginx = given.proxy === "nginx";
  const source = isNginx ? { package: "nginx", path: "usr/sbin/nginx" } : { package: "caddy", path: "usr/bin/caddy" };
  const { program, libraries } = await findDebianProgram(given.proxy, source);
  const args = await (isNginx ? nginxArgs : caddyArgs)(given, file, port, gatewayPort);
  const environment = { LD_LIBRARY_PATH: libraries.join(delimiter), XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  stops.push(await startListening(program, args, port, environment));
  ports.set(nameOf(given), port);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-proxies-"));
  const port = await freePort();
  // One after the other, because the two of a kind may have to unpack the same program.
  for (const each of proxies) await startProxy(each, port);
  const publicUrl = `http://127.0.0.1:${ports.get("nginx-keeps")}${base}`;
  product = await startProduct({ PORT: String(port), PUBLIC_URL: publicUrl, TRUSTED_PROXIES: "127.0.0.1" });
  const admin = await firstAdmin(publicUrl);
  ({ api } = admin);
  session = await sessionOf(api, admin.token);
}, 300_000);
afterAll(async () => {
  await product?.remove();
  for (const stop of stops) await stop();
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

describe.each(proxies)("behind $proxy, which $style the prefix", (given) => {
  const at = (path: string) => `http://127.0.0.1:${ports.get(nameOf(given))}${base}${path}`;

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
    const heartbeat = { type: "heartbeat", name: `job ${nameOf(given)}`, every: 60 };
    const { monitor } = await api.send<{ monitor: Monitor }>("POST", "/api/monitors", heartbeat);
    const { pingUrl } = monitor as Extract<Monitor, { type: "heartbeat" }>;
    const { origin, pathname } = new URL(pingUrl);
    expect([origin, pathname]).toEqual([
      `http://127.0.0.1:${ports.get("nginx-keeps")}`,
      expect.stringMatching(`^${base}/ping/`),
    ]);
    expect((await fetch(at(pathname.slice(base.length)))).status).toBe(200);
    const agent = await fetch(at("/agent/v1/register"), { method: "POST", body: "{}" });
    expect([400, 401, 403, 415]).toContain(agent.status);
    const moved = await fetch(at("/status/"), { redirect: "manual" });
    expect([moved.status, moved.headers.get("location")]).toEqual([301, `${base}/status`]);
    const manifest = await fetch(at("/manifest.webmanifest"));
    expect(new URL(((await manifest.json()) as { start_url: string }).start_url, manifest.url).pathname).toBe(
      `${base}/dashboard`,
    );
  });

  test("a remote runner installs itself and connects", async ({ onTestFinished }) => {
    const location = nameOf(given);
    const { token } = await api.send<{ token: string }>("POST", "/api/locations", { name: location });
    const script = await (await fetch(at("/downloads/runner.sh"))).text();
    const cwd = await mkdtemp(join(folder, "runner-"));
    const runner = spawn("sh", ["-c", script, "sh", "--server", at("")], {
      cwd,
      env: { PATH: process.env.PATH, SONDE_TOKEN: token },
      stdio: "ignore",
    });
    onTestFinished(() => void runner.kill());
    type Location = { name: string; remote?: { runners: { connected: boolean }[] } };
    const isConnected = async () => {
      const { locations } = await api.get<{ locations: Location[] }>("/api/locations");
      return locations.find(({ name }) => name === location)?.remote?.runners[0]?.connected;
    };
    await expect.poll(isConnected, { timeout: 60_000, interval: 500 }).toBe(true);
  });

  // Slow, and the same behind every proxy that passes the requests above.
  test.runIf(given.proxy === "nginx")("the documentation and the API reference stay below the prefix", async () => {
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
