import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { explain } from "@sonde/proto/http/reasons/reasons";
import { closeServers } from "@sonde/probe-runner/testing/loopback";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Api } from "@sonde/testing/api";
import { certificateEnd, dnsStory, serveShop, type Story, tcpStory, tlsStory } from "./support/kinds.ts";
import { type Words, words } from "./support/kinds-words.ts";
import { violationsOf } from "./support/quality.ts";
import { type Installation, openPage, useInstallation } from "./support/shared.ts";

type Language = keyof typeof words;

/** Checks run every 2 to 60 seconds; allow for a busy machine. */
const nextCheckMs = 75_000;

let sonde: Installation;
let api: Api;

beforeAll(async () => {
  sonde = await useInstallation("default");
  ({ api } = sonde);
});
afterAll(closeServers);

const monitorAt = async (page: Page) =>
  (await api.get<{ monitor: Monitor }>(`/api/monitors/${/\d+$/.exec(page.url())?.[0]}`)).monitor;

describe("a check of each kind", () => {
  // Most of the time is spent waiting for the next check, so stories run concurrently.
  test.concurrent.for<[string, Language, () => Promise<Story>]>([
    ["tcp", "en-US", tcpStory],
    ["tls", "en-US", tlsStory],
    ["dns", "zh-CN", dnsStory],
  ])("a %s monitor is created, checked, shown and edited on screen (%s)", async ([, locale, begin], { expect }) => {
    const uiTexts = words[locale];
    const story = await begin();
    const { type, healthy, target, shown, phases, tested, saved } = story;
    const page = await openPage({ locale }, sonde.session);
    const main = page.getByRole("main");
    const result = page.getByRole("region", { name: uiTexts.result });

    await page.goto(`${sonde.url}/monitors/create`);
    await page.getByRole("combobox", { name: uiTexts.kind }).click();
    await page.getByRole("option", { name: type, exact: true }).click();
    await openAdvanced(page, uiTexts.advanced);
    await fillIn(page, uiTexts, { name: `Kind ${type} ${locale}`, ...healthy });
    await page.getByRole("button", { name: uiTexts.create }).click();
    await page.waitForURL(/\/monitors\/\d+$/);
    await main.getByText(uiTexts.normal, { exact: true }).first().waitFor({ timeout: nextCheckMs });
    await main.getByText(target, { exact: true }).waitFor();
    expect(await monitorAt(page)).toMatchObject({ type: type.toLowerCase(), target, status: "up" });

    // The page shows the configuration, and for a certificate its issuer and expiry.
    const expected = Object.entries({ kind: type, ...shown }).map(([field, text]) => [
      uiTexts[field as keyof Words],
      text,
    ]);
    await expect.poll(() => configurationOf(page, uiTexts)).toMatchObject(Object.fromEntries(expected));
    const end = page.locator(`time[datetime="${certificateEnd.toISOString()}"]`);
    expect((await end.count()) > 0).toBe(type === "TLS");
    expect(await violationsOf(page)).toEqual([]);

    // A manual check lists only the phases of its kind.
    await page.getByRole("button", { name: uiTexts.checkNow }).click();
    await result.getByText(uiTexts.succeeded).waitFor();
    await expect.poll(() => result.getByRole("term").allTextContents()).toEqual(phases.map((phase) => uiTexts[phase]));

    // The kind cannot be changed. The test in the form and the saved check fail for different reasons.
    await main.getByRole("link", { name: uiTexts.edit, exact: true }).click();
    await page.getByText(uiTexts.fixed).waitFor();
    expect(await page.getByRole("combobox", { name: uiTexts.kind }).count()).toBe(0);
    await fillIn(page, uiTexts, tested.typed);
    await page.getByRole("button", { name: uiTexts.test, exact: true }).click();
    await result.getByText(explain(tested.reason, locale)).waitFor();
    await openAdvanced(page, uiTexts.advanced);
    await fillIn(page, uiTexts, { ...healthy, ...saved.typed, interval: "2s", timeout: "1s" });
    await page.getByRole("button", { name: uiTexts.save }).click();
    await page.waitForURL(/\/monitors\/\d+$/);
    await main.getByText(uiTexts.failure, { exact: true }).first().waitFor({ timeout: nextCheckMs });
    await main.getByText(explain(saved.reason, locale)).first().waitFor();
    // The latest checks show a failure before the monitor is down.
    const isDown = { target, status: "down", lastError: saved.reason };
    await expect.poll(() => monitorAt(page), { timeout: nextCheckMs }).toMatchObject(isDown);
  });

  test("all kinds share one list, sorted by target, and can be deleted there and on their own page", async () => {
    const targetsBy = async (sort: string) =>
      (await api.get<{ monitors: Monitor[] }>(`/api/monitors?search=Kind&sort=${sort}`)).monitors.map(
        ({ target }) => target,
      );
    const upward = await targetsBy("target");
    expect(upward.map((target) => target.split(":")[0])).toEqual(["dns", "tcp", "tls"]);
    expect(await targetsBy("-target")).toEqual(upward.toReversed());

    const page = await openPage({}, sonde.session);
    await page.goto(`${sonde.url}/monitors?search=Kind&sort=target`);
    const shown = page.locator("tbody tr span[title*='://']:visible");
    await expect.poll(() => shown.allTextContents()).toEqual(upward);
    expect(await violationsOf(page)).toEqual([]);

    const confirm = async () => {
      const dialog = page.getByRole("alertdialog").or(page.getByRole("dialog"));
      await dialog.getByRole("button", { name: "Delete" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await page.getByRole("link", { name: "Kind TCP en-US", exact: true }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await confirm();
    await page.waitForURL(/\/monitors$/);
    await page.goto(`${sonde.url}/monitors?search=Kind`);
    for (const name of ["Kind TLS en-US", "Kind DNS zh-CN"]) {
      await page.getByRole("button", { name: `Actions: ${name}` }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await confirm();
      await page.getByRole("link", { name, exact: true }).waitFor({ state: "detached" });
    }
    expect(await targetsBy("target")).toEqual([]);
  });
});

test("a flow is created step by step, and its page and evidence name the step that failed", async () => {
  const { origin, lose } = await serveShop();
  const page = await openPage({}, sonde.session);
  const main = page.getByRole("main");
  const stepAt = (number: number) => page.getByRole("listitem", { name: `Step ${number}`, exact: true });
  const type = (number: number, label: string, text: string) =>
    stepAt(number).getByRole("textbox", { name: label, exact: true }).fill(text);

  await page.goto(`${sonde.url}/monitors/create`);
  await page.getByRole("combobox", { name: "Monitor type" }).click();
  await page.getByRole("option", { name: "HTTP flow", exact: true }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Order");
  const steps = [
    { url: `${origin}/login`, method: "POST", name: "login" },
    { url: `${origin}/orders/{{order}}`, method: "GET", name: "order" },
    { url: `${origin}/logout`, method: "POST", name: "logout" },
  ];
  for (const [at, { url, method, name }] of steps.entries()) {
    if (at > 0) await page.getByRole("button", { name: "Add step", exact: true }).click();
    await type(at + 1, "URL", url);
    await stepAt(at + 1)
      .getByRole("combobox", { name: "Method", exact: true })
      .selectOption(method);
    await type(at + 1, "Step name", name);
  }
  await stepAt(1).getByText("Headers, body, assertions, values").click();
  await stepAt(1).getByRole("button", { name: "Add value", exact: true }).click();
  await type(1, "Value name", "order");
  await type(1, "Path, pattern or name", "$.order");
  expect(await violationsOf(page)).toEqual([]);
  await openAdvanced(page, "Advanced");
  await page.getByRole("textbox", { name: "Interval", exact: true }).fill("2s");
  await page.getByRole("textbox", { name: "Timeout", exact: true }).fill("1s");
  await page.getByRole("button", { name: "Create monitor" }).click();
  await page.waitForURL(/\/monitors\/\d+$/);
  await main.getByText("Normal", { exact: true }).first().waitFor({ timeout: nextCheckMs });
  await main.getByText("order = JSON value $.order").waitFor();
  expect(await violationsOf(page)).toEqual([]);

  lose();
  await main.getByText("Failure", { exact: true }).first().waitFor({ timeout: nextCheckMs });
  const cause = "Step 2 (order): Expected status 200, got 404";
  // The latest checks show a failure before the monitor is down.
  await expect
    .poll(() => monitorAt(page), { timeout: nextCheckMs })
    .toMatchObject({ status: "down", lastError: cause });
  const { id } = await monitorAt(page);
  const { incidents } = await api.get<{ incidents: { id: string }[] }>(`/api/monitors/${id}/incidents`);
  // Evidence is stored with the next block of checks.
  await expect
    .poll(() => api.get(`/api/incidents/${incidents[0]?.id}`), { timeout: nextCheckMs })
    .toHaveProperty("evidence");
  await page.goto(`${sonde.url}/incidents/${incidents[0]?.id}`);
  const evidence = page
    .locator("section")
    .filter({ has: page.getByRole("heading", { name: "Evidence", exact: true }) });
  await expect
    .poll(() => evidence.getByRole("listitem").allTextContents())
    .toEqual([expect.stringMatching(/^1\. login 200 /), expect.stringMatching(/^2\. order 404 /)]);
  expect(await violationsOf(page)).toEqual([]);
  await api.send("DELETE", `/api/monitors/${id}`);
});

/** On the edit page, the section is open if one of its fields has a value. */
async function openAdvanced(page: Page, title: string): Promise<void> {
  const section = page.locator("details", { has: page.getByText(title, { exact: true }) }).first();
  if ((await section.getAttribute("open")) === null) await page.getByText(title, { exact: true }).click();
}

async function fillIn(page: Page, uiTexts: Words, typed: Partial<Record<keyof Words, string>>): Promise<void> {
  for (const [field, text] of Object.entries(typed))
    await page.getByRole("textbox", { name: uiTexts[field as keyof Words], exact: true }).fill(text);
}

async function configurationOf(page: Page, uiTexts: Words): Promise<Record<string, string>> {
  const entries = page.locator("dl").filter({ hasText: uiTexts.kind }).locator(":scope > div");
  return Object.fromEntries(
    await entries.evaluateAll((all) =>
      all.map((entry) => [
        entry.querySelector("dt")?.textContent ?? "",
        (entry.querySelector("dd")?.textContent ?? "").trim(),
      ]),
    ),
  );
}
