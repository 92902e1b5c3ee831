import { startStandIn, type StandIn } from "@sonde/notifier/testing/stand-ins";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { PublicStatus } from "@sonde/proto/http/status/status";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { announcements as announce } from "../web/src/locales/en-US/status/announcements.ts";
import { maintenance as plan } from "../web/src/locales/en-US/status/maintenance.ts";
import { statusPage as config } from "../web/src/locales/en-US/status/status-page.ts";
import { type Api, apiOf } from "@sonde/testing/api";
import { publicUrl } from "./support/installations.ts";
import { overflowOf, violationsOf, watchErrors } from "./support/quality.ts";
import { type Installation, openContext, openPage, useInstallation } from "./support/shared.ts";
import { startTarget, type Target } from "@sonde/testing/target";

/** Checks run every two seconds and are repeated after two seconds; allow for a busy machine. */
const soonMs = 60_000;

let sonde: Installation;
let api: Api;
let target: Target;
let mailServer: StandIn<"smtp">;
let shop: Monitor;
let hidden: Monitor;
let desk: Page;
/** Page of a reader without an account. It is never reloaded. */
let reader: Page;
let visitor: BrowserContext;

beforeAll(async () => {
  [sonde, target, mailServer] = await Promise.all([useInstallation("public"), startTarget(), startStandIn("smtp")]);
  ({ api } = sonde);
  const add = async (name: string) =>
    (
      await api.send<{ monitor: Monitor }>("POST", "/api/monitors", {
        name,
        url: target.url,
        interval: 2 / 60,
        timeout: 1,
      })
    ).monitor;
  shop = await add("shop-internal-7");
  hidden = await add("hidden-internal-8");
  await api.send("POST", "/api/notifications/channels", {
    name: "Status mail",
    type: "smtp",
    enabled: true,
    config: mailServer.config,
  });
  visitor = await openContext();
  desk = await openPage({}, sonde.session);
});

afterAll(async () => {
  await Promise.all([target?.stop(), mailServer?.stop()]);
});

const status = async () => (await apiOf(sonde.url).get<{ status: PublicStatus }>("/api/status")).status;
const openIncidents = async () =>
  (await api.get<{ incidents: Incident[] }>(`/api/incidents?open=true&target=monitor:${shop.id}`)).incidents;
const service = () => reader.locator(`#monitor-${shop.id}, #m${shop.id}`).first();

test("a page is configured in the browser", async () => {
  const statusOfShop = async () => (await api.get<{ monitor: Monitor }>(`/api/monitors/${shop.id}`)).monitor.status;
  await expect.poll(statusOfShop, { timeout: soonMs }).toBe("up");
  await desk.goto(`${sonde.url}/status/config`);
  await desk.getByLabel(config.fields.title.label, { exact: false }).first().fill("Example status");
  const openSection = (name: keyof typeof config.sections) =>
    desk.getByRole("radio", { name: config.sections[name] }).check({ force: true });
  await openSection("services");
  await desk.getByLabel(config.monitors.add).fill("shop");
  await desk.getByRole("option", { name: /shop-internal-7/ }).click();
  await desk.getByLabel(config.targets.displayName.replace("{{name}}", "shop-internal-7")).fill("Shop");
  await openSection("general");
  await desk.getByLabel(config.subscriptions.enabled).check();
  await desk.getByLabel(config.subscriptions.channel).selectOption({ index: 1 });
  // The preview shows unsaved changes.
  await desk.frameLocator("iframe").getByRole("heading", { name: "Example status" }).waitFor();
  expect(await violationsOf(desk)).toEqual([]);
  const saved = desk.waitForResponse((response) => response.request().method() === "PUT" && response.ok());
  await desk.getByRole("button", { name: config.save, exact: true }).click();
  await saved;
  await openSection("sharing");
  await desk.getByText(`${publicUrl}/status`).first().waitFor();
});

test("a visitor without an account sees the page, and no private data", async () => {
  await expect.poll(async () => (await status()).state, { timeout: 20_000 }).toBe("operational");
  reader = await visitor.newPage();
  const errors = watchErrors(reader);
  await reader.goto(`${sonde.url}/status?lang=en-US`);
  await reader.getByText("All systems operational").first().waitFor();
  await reader.getByRole("heading", { name: "Shop", exact: true }).waitFor();
  const source = await reader.content();
  for (const secret of [shop.name, hidden.name, target.url, new URL(target.url).host])
    expect(source).not.toContain(secret);
  expect(await violationsOf(reader)).toEqual([]);
  for (const width of [320, 390]) {
    await reader.setViewportSize({ width, height: 800 });
    expect(await overflowOf(reader)).toBe(0);
  }
  await reader.setViewportSize({ width: 1440, height: 900 });
  expect(errors()).toEqual([]);
});

test("the bars can be read by keyboard, with one tab stop per strip", async () => {
  const strip = reader.getByRole("slider").first();
  await strip.focus();
  const words = () => strip.getAttribute("aria-valuetext");
  // Compares only the day, because today's figures change during the test.
  const selectedDay = async () => /^\w+, \w+ \d+, \d{4}/.exec((await words()) ?? "")?.[0];
  await reader.keyboard.press("End");
  const today = await selectedDay();
  expect(today).toBeTruthy();
  expect(await words()).toMatch(/uptime/);
  await reader.keyboard.press("Home");
  await expect.poll(selectedDay).not.toBe(today);
  await reader.keyboard.press("End");
  await expect.poll(selectedDay).toBe(today);
});

test("an outage appears on the open page", async () => {
  target.break();
  await reader.getByText("No services are operational").first().waitFor({ timeout: soonMs });
  await expect.poll(() => service().innerText(), { timeout: soonMs }).toContain("Down");
  const plain = await openContext({ javaScriptEnabled: false, locale: "zh-CN" });
  try {
    const page = await plain.newPage();
    await page.goto(`${sonde.url}/status?lang=en-US`);
    // Documents are rendered shortly after states change, and this page only updates on reload.
    const shows = async (shown: Locator) => {
      await expect.poll(() => page.reload().then(() => shown.count()), { timeout: soonMs }).toBeGreaterThan(0);
    };
    await shows(page.locator("#headline", { hasText: /^No services are operational$/ }));
    await shows(page.getByText("Shop is down"));
    await page.getByRole("heading", { name: "Shop", exact: true }).waitFor();
    await page.goto(`${sonde.url}/status`);
    expect(await page.locator("html").getAttribute("lang")).toBe("zh-CN");
  } finally {
    await plain.close();
  }
});

test("a reader subscribes by mail and confirms the subscription", async () => {
  await reader.getByLabel(/email/i).fill("reader@example.com");
  await reader.locator("#subscribe").getByRole("button").click();
  await expect.poll(() => mailServer.accepted.length, { timeout: soonMs }).toBe(1);
  const page = await visitor.newPage();
  await page.goto(linkIn(mailServer.accepted[0]!.text, "/status/confirm"));
  await page.getByRole("main").getByRole("button").click();
  // Chromium may never close a page that is still loading the response.
  await page.getByRole("heading", { name: "You are subscribed" }).waitFor();
  await expect.poll(async () => (await subscribers())[0]?.status, { timeout: soonMs }).toBe("confirmed");
  await page.close();
});

const subscribers = async () =>
  (await api.get<{ subscribers: { status: string }[] }>("/api/status/subscribers")).subscribers;

test("an incident is announced from its own page, and subscribers are notified once", async () => {
  const [incident] = await openIncidents();
  await desk.goto(`${sonde.url}/incidents/${incident!.id}`);
  await desk.getByRole("link", { name: announce.announceIncident }).click();
  await desk.getByLabel(announce.fields.title, { exact: false }).first().fill("Orders cannot be placed");
  await desk.getByLabel(announce.text, { exact: false }).first().fill("We **know**. <script>alert(1)</script>");
  await desk.getByRole("button", { name: announce.publish }).click();
  await desk.getByText(announce.postUpdate).first().waitFor();
  expect(await violationsOf(desk)).toEqual([]);

  await reader.getByRole("link", { name: "Orders cannot be placed" }).first().waitFor({ timeout: soonMs });
  await reader.getByText("We know.").first().waitFor();
  await expect.poll(() => mailServer.accepted.length, { timeout: soonMs }).toBe(2);
  const mail = mailServer.accepted[1]!;
  expect(mail.path).toBe("reader@example.com");
  expect(mail.headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");
  for (const secret of [shop.name, hidden.name, target.url]) expect(mail.text).not.toContain(secret);

  // One-click unsubscription from the mail program: a POST without a page.
  const address = /<(http[^>]+)>/.exec(mail.headers["list-unsubscribe"] ?? "")?.[1] ?? "";
  const answer = await fetch(address.replace(publicUrl, sonde.url), {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
  });
  expect(answer.status).toBe(200);
  expect(await subscribers()).toEqual([]);
});

test("maintenance is planned in the browser and shown on the page", async () => {
  target.heal();
  await expect.poll(async () => (await status()).monitors[0]?.status, { timeout: soonMs }).toBe("up");
  await desk.goto(`${sonde.url}/maintenance`);
  await planNow(desk);
  await expect.poll(async () => (await status()).monitors[0]?.status, { timeout: soonMs }).toBe("maintenance");
  await expect.poll(() => service().innerText(), { timeout: soonMs }).toContain("Maintenance");
  await reader.getByText("Database upgrade").first().waitFor({ timeout: soonMs });
  // A failure during maintenance is not a public incident.
  target.break();
  await expect
    .poll(async () => (await openIncidents()).length, {
      timeout: soonMs,
    })
    .toBeGreaterThan(0);
  expect((await status()).monitors[0]?.status).toBe("maintenance");
});

async function planNow(page: Page): Promise<void> {
  await page
    .getByRole("link", { name: plan.add })
    .or(page.getByRole("button", { name: plan.add }))
    .first()
    .click();
  await page.getByLabel(plan.name, { exact: false }).first().fill("Database upgrade");
  await page.getByRole("combobox", { name: plan.covers }).fill("shop");
  await page.getByRole("option", { name: /shop-internal-7/ }).click();
  await page.getByRole("button", { name: plan.now }).click();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole("button", { name: plan.plan, exact: true }).click();
  await page.getByText(plan.running).first().waitFor();
}

/** Extracts a link from a quoted-printable mail and replaces the public address with the installation's. */
function linkIn(mail: string, path: string): string {
  const text = mail.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  const link = new RegExp(`${publicUrl}${path}\\?token=[\\w.~-]+`).exec(text)?.[0];
  if (link === undefined) throw new Error(`The mail has no link to ${path}:\n${text}`);
  return link.replace(publicUrl, sonde.url);
}
