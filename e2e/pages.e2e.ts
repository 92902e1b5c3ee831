import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { request } from "node:http";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { type Browser, openBrowser } from "@sonde/testing/browser";
import { type Product, startProduct } from "@sonde/testing/product";
import { overflowOf, violationsOf, watchErrors } from "./support/quality.ts";
import { startTarget, type Target } from "@sonde/testing/target";

const publicUrl = "http://sonde.example.com";
const password = "open sesame, please";
/** Of each page: its title, who may read it, and a service that it alone shows. */
const pages = {
  acme: {
    title: "Status of Acme",
    host: "status.acme.example",
    service: "acme-shop",
    access: { mode: "password", password },
  },
  team: { title: "Status of the team", host: "status.team.example", service: "team-wiki", access: { mode: "members" } },
  beta: { title: "Status of Beta", host: "status.beta.example", service: "beta-api", access: { mode: "public" } },
} as const;
type Slug = keyof typeof pages;
const slugs = Object.keys(pages) as Slug[];

let product: Product;
let browser: Browser;
let target: Target;
let api: Api;
let token: string;
let user: unknown;
/** Without a script, as some read. */
let plain: BrowserContext;
/** Of a visitor who entered Acme's password. */
let cookie = "";

beforeAll(async () => {
  const environment = { MONITOR_MIN_INTERVAL_SECONDS: "2", PUBLIC_URL: publicUrl };
  [product, browser, target] = await Promise.all([startProduct(environment), openBrowser(), startTarget()]);
  ({ api, token } = await firstAdmin(product.url));
  ({ user } = await api.get<{ user: unknown }>("/api/auth/me"));
  plain = await browser.context.browser()!.newContext({ javaScriptEnabled: false, locale: "en-US" });
  for (const slug of slugs) {
    const { title, host, service, access } = pages[slug];
    const added = { name: service, url: target.url, interval: 2 / 60, timeout: 1 };
    const { monitor } = await api.send<{ monitor: Monitor }>("POST", "/api/monitors", added);
    const page = { slug, title, monitors: [monitor.id], hosts: [host], access };
    await api.send("POST", "/api/pages", page);
  }
});
afterAll(async () => {
  await plain?.close();
  await browser?.close();
  await product?.remove();
  await target?.stop();
});

type Sent = { host?: string; cookie?: string; form?: Record<string, string> };

/** Asks the product under any host name, as a proxy in front of it would. */
function ask(path: string, { host = "127.0.0.1", cookie: sent, form }: Sent = {}) {
  const body = form === undefined ? undefined : new URLSearchParams(form).toString();
  const headers = {
    host,
    accept: "text/html",
    "accept-language": "en",
    ...(sent !== undefined && { cookie: sent }),
    ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
  };
  const method = body === undefined ? "GET" : "POST";
  return new Promise<{ status: number; text: string; cookie: string; location: string }>((resolve, reject) => {
    request(product.url + path, { method, headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => {
        const set = response.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
        resolve({ status: response.statusCode!, text, cookie: set, location: response.headers.location ?? "" });
      });
    })
      .on("error", reject)
      .end(body);
  });
}
const published = async () => {
  await expect.poll(async () => (await ask("/", { host: pages.beta.host })).status, { timeout: 60_000 }).toBe(200);
};

test("each page answers at its own host alone, and no other name is answered", async () => {
  await published();
  const shown = await ask("/", { host: pages.beta.host });
  expect(shown.text).toContain(pages.beta.title);
  for (const slug of ["acme", "team"] as const) {
    const locked = await ask("/", { host: pages[slug].host });
    expect([slug, locked.status]).toEqual([slug, 404]);
    for (const { title, service } of Object.values(pages)) {
      expect(locked.text).not.toContain(title);
      expect(locked.text).not.toContain(service);
    }
  }
  for (const path of ["/api/config", "/api/monitors", "/login", "/status", "/status/acme", "/ping/x", "/agent/v1/x"]) {
    expect([path, (await ask(path, { host: pages.beta.host })).status]).toEqual([path, 404]);
  }
  for (const host of ["beta.example", "status.beta.example.evil.example", "evil.example"]) {
    expect([host, (await ask("/", { host })).status]).toEqual([host, 421]);
  }
  expect((await ask(`/api/hosts/ask?domain=${pages.acme.host}`, { host: "sonde:8080" })).status).toBe(200);
  for (const domain of ["evil.example", "sonde.example.com", "localhost"]) {
    expect([domain, (await ask(`/api/hosts/ask?domain=${domain}`)).status]).toEqual([domain, 404]);
  }
});

test("a page that is locked is as one that does not exist, and nothing of one is in another", async () => {
  for (const rest of ["", "/history", "/data.json", "/feed.atom", "/events", "/embed"]) {
    const [locked, missing] = await Promise.all([ask(`/status/acme${rest}`), ask(`/status/nothing${rest}`)]);
    expect([rest, locked.status, locked.text]).toEqual([rest, 404, missing.text]);
  }
  for (const rest of ["", "/history", "/data.json", "/feed.atom"]) {
    const { status, text } = await ask(`/status/beta${rest}`);
    expect([rest, status]).toEqual([rest, 200]);
    for (const slug of ["acme", "team"] as const) {
      for (const its of [pages[slug].title, pages[slug].service]) expect(text).not.toContain(its);
    }
  }
});

test("a password opens a page without a script, and that page alone", async () => {
  const reader = await plain.newPage();
  await reader.goto(`${product.url}/status/acme`);
  await reader.locator("input[type=password]").fill("a guess of mine");
  await reader.locator("input[type=password]").press("Enter");
  await reader.getByText("This is not the password of the page").waitFor();
  await reader.locator("input[type=password]").fill(password);
  await reader.locator("input[type=password]").press("Enter");
  await reader.getByRole("heading", { name: pages.acme.title }).waitFor();
  await reader.getByText(pages.acme.service).first().waitFor();
  await reader.close();

  const opened = await ask("/status/acme", { form: { password } });
  expect([opened.status, opened.location]).toEqual([303, "/status/acme"]);
  cookie = opened.cookie;
  expect((await ask("/status/acme", { cookie })).status).toBe(200);
  const renamed = cookie.replace("page-acme", "page-team");
  for (const sent of [cookie, renamed]) expect((await ask("/status/team", { cookie: sent })).status).toBe(404);
  expect((await ask("/status/acme", { cookie: cookie.replace(/\.p\./, ".m.") })).status).toBe(404);
});

test("a member opens a page by the session, from the settings", async () => {
  const desk = await browser.context.browser()!.newContext({ locale: "en-US" });
  await desk.addInitScript(
    (entries) => {
      for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
    },
    { token, user: JSON.stringify(user), language: "en-US" },
  );
  const page = await desk.newPage();
  const errors = watchErrors(page);
  // Its host does not resolve here: that the check says so is no fault of the page.
  await page.route("**/api/monitors/test*", (route) =>
    route.fulfill({ json: { success: true, result: { status: "up" } } }),
  );
  await page.goto(`${product.url}/status/config?slug=team&tab=access`);
  await page.getByRole("radio", { name: "Members" }).waitFor();
  await page.getByText("leads here, with a valid certificate").first().waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  await page.getByRole("button", { name: "Open the page" }).click();
  await page.getByRole("heading", { name: pages.team.title }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/status/team");
  expect(errors()).toEqual([]);
  // To others it is locked, in a document that all can use.
  await desk.clearCookies();
  await page.goto(`${product.url}/status/team`);
  expect(await violationsOf(page)).toEqual([]);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  const members = page.getByRole("link", { name: "Members open it in Sonde" });
  expect(await members.getAttribute("href")).toBe("?members");
  await desk.close();
});

test("a link opens a page by its button until it is deleted", async () => {
  const link = { name: "auditor" };
  const made = await api.send<{ link: { id: number }; url: string }>("POST", "/api/pages/team/links", link);
  const { pathname, search } = new URL(made.url, publicUrl);
  const reader = await plain.newPage();
  await reader.goto(product.url + pathname + search);
  expect(await plain.cookies(product.url)).not.toContainEqual(expect.objectContaining({ name: "sonde-page-team" }));
  await reader.getByRole("button").click();
  await reader.getByRole("heading", { name: pages.team.title }).waitFor();
  await api.send("DELETE", `/api/pages/team/links/${made.link.id}`);
  await expect.poll(async () => (await reader.reload())?.status(), { timeout: 10_000 }).toBe(404);
  await reader.close();
});

test("a private page is there while everything but the gateway is down", { timeout: 60_000 }, async () => {
  const stream = await fetch(`${product.url}/status/acme/events`, { headers: { cookie } });
  expect(stream.status).toBe(200);
  await product.leaveGatewayAlone();
  for (const rest of ["", "/history", "/data.json"]) {
    const { status, text } = await ask(`/status/acme${rest}`, { cookie });
    expect([rest, status]).toEqual([rest, 200]);
    if (rest !== "/history") expect(text).toContain(pages.acme.service);
  }
  expect((await ask("/", { host: pages.acme.host, cookie })).status).toBe(200);
  expect((await ask("/status/acme")).status).toBe(404);
  expect((await ask("/status/acme", { form: { password } })).status).toBe(503);
  await stream.body?.cancel();
});
