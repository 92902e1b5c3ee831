import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Api } from "@sonde/testing/api";
import { ask as askAs, type Sent } from "./support/ask.ts";
import { publicUrl } from "./support/installations.ts";
import { overflowOf, violationsOf, watchErrors } from "./support/quality.ts";
import { type Installation, openContext, useInstallation } from "./support/shared.ts";
import { startTarget, type Target } from "@sonde/testing/target";

const password = "open sesame, please";
/** Title, host and access of each page, and a service that only this page shows. */
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

let sonde: Installation;
let target: Target;
let api: Api;
let plain: BrowserContext;

beforeAll(async () => {
  [sonde, target] = await Promise.all([useInstallation("public"), startTarget()]);
  ({ api } = sonde);
  plain = await openContext({ javaScriptEnabled: false });
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
  await target?.stop();
});

const ask = (path: string, sent?: Sent) => askAs(sonde.url, path, sent);
const published = async () => {
  await expect.poll(async () => (await ask("/", { host: pages.beta.host })).status, { timeout: 60_000 }).toBe(200);
};

test("each page is served only at its own host, and unknown hosts are rejected", async () => {
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

test("a locked page looks like a missing one, and pages do not leak each other's data", async () => {
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

test("a password opens only its page, and works without JavaScript", async () => {
  const reader = await plain.newPage();
  await reader.goto(`${sonde.url}/status/acme`);
  await reader.locator("input[type=password]").fill("a guess of mine");
  await reader.locator("input[type=password]").press("Enter");
  await reader.getByText("Incorrect page password").waitFor();
  await reader.locator("input[type=password]").fill(password);
  await reader.locator("input[type=password]").press("Enter");
  await reader.getByRole("heading", { name: pages.acme.title }).waitFor();
  await reader.getByText(pages.acme.service).first().waitFor();
  await reader.close();

  const opened = await ask("/status/acme", { form: { password } });
  expect([opened.status, opened.location]).toEqual([303, "/status/acme"]);
  const { cookie } = opened;
  expect((await ask("/status/acme", { cookie })).status).toBe(200);
  const renamed = cookie.replace("page-acme", "page-team");
  for (const sent of [cookie, renamed]) expect((await ask("/status/team", { cookie: sent })).status).toBe(404);
  expect((await ask("/status/acme", { cookie: cookie.replace(/\.p\./, ".m.") })).status).toBe(404);
});

test("a member opens a page from the settings with their session", async () => {
  const desk = await openContext({}, sonde.session);
  const page = await desk.newPage();
  const errors = watchErrors(page);
  // The page's host does not resolve here, so the host check would fail.
  await page.route("**/api/monitors/test*", (route) =>
    route.fulfill({ json: { success: true, result: { status: "up" } } }),
  );
  await page.goto(`${sonde.url}/status/config?slug=team&tab=access`);
  await page.getByRole("radio", { name: "Members" }).waitFor();
  await page.getByText("Points here, certificate valid").first().waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  await page.getByRole("button", { name: "Open the page" }).click();
  await page.getByRole("heading", { name: pages.team.title }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/status/team");
  expect(errors()).toEqual([]);
  // For other visitors it is locked, with an accessible document.
  await desk.clearCookies();
  await page.goto(`${sonde.url}/status/team`);
  expect(await violationsOf(page)).toEqual([]);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  const members = page.getByRole("link", { name: "Members: open it in Sonde" });
  expect(await members.getAttribute("href")).toBe("?members");
  await desk.close();
});

test("an access link opens a page through a button until it is deleted", async () => {
  const link = { name: "auditor" };
  const made = await api.send<{ link: { id: number }; url: string }>("POST", "/api/pages/team/links", link);
  const { pathname, search } = new URL(made.url, publicUrl);
  const reader = await plain.newPage();
  await reader.goto(sonde.url + pathname + search);
  expect(await plain.cookies(sonde.url)).not.toContainEqual(expect.objectContaining({ name: "sonde-page-team" }));
  await reader.getByRole("button").click();
  await reader.getByRole("heading", { name: pages.team.title }).waitFor();
  await api.send("DELETE", `/api/pages/team/links/${made.link.id}`);
  await expect.poll(async () => (await reader.reload())?.status(), { timeout: 10_000 }).toBe(404);
  await reader.close();
});
