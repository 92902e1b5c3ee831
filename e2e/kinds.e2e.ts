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

/** Checks run every 2 to 60 seconds; a busy machine takes its time. */
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
  // Most of a story is waiting for the next check: two wait at once.
  test.concurrent.for<[string, Language, () => Promise<Story>]>([
    ["tcp", "en-US", tcpStory],
    ["tls", "en-US", tlsStory],
    ["dns", "zh-CN", dnsStory],
  ])("%s is made, judged, shown and changed on screen (%s)", async ([, locale, begin], { expect }) => {
    const say = words[locale];
    const story = await begin();
    const { type, healthy, target, shown, phases, tested, saved } = story;
    const page = await openPage({ locale }, sonde.session);
    const main = page.getByRole("main");
    const result = page.getByRole("region", { name: say.result });

    // Made in the form of its kind, and checked at once.
    await page.goto(`${sonde.url}/monitors/create`);
    await page.getByRole("radio", { name: type, exact: true }).check();
    await fillIn(page, say, { name: `Kind ${type} ${locale}`, ...healthy });
    await page.getByRole("button", { name: say.create }).click();
    await page.waitForURL(/\/monitors\/\d+$/);
    await main.getByText(say.normal, { exact: true }).first().waitFor({ timeout: nextCheckMs });
    await main.getByText(target, { exact: true }).waitFor();
    expect(await monitorAt(page)).toMatchObject({ type: type.toLowerCase(), target, status: "up" });

    // Shown: what was set, and for a certificate who issued it and when it ends.
    const expected = Object.entries({ kind: type, ...shown }).map(([field, text]) => [say[field as keyof Words], text]);
    await expect.poll(() => configurationOf(page, say)).toMatchObject(Object.fromEntries(expected));
    const end = page.locator(`time[datetime="${certificateEnd.toISOString()}"]`);
    expect((await end.count()) > 0).toBe(type === "TLS");
    expect(await violationsOf(page)).toEqual([]);

    // Checked by hand: the result has the phases of its kind alone.
    await page.getByRole("button", { name: say.checkNow }).click();
    await result.getByText(say.succeeded).waitFor();
    await expect.poll(() => result.getByRole("term").allTextContents()).toEqual(phases.map((phase) => say[phase]));

    // Changed: its kind stays. A test in the form fails for one reason, the check that was saved for another.
    await main.getByRole("link", { name: say.edit, exact: true }).click();
    await page.getByText(say.fixed).waitFor();
    expect(await page.getByRole("radio", { name: type, exact: true }).count()).toBe(0);
    await fillIn(page, say, tested.typed);
    await page.getByRole("button", { name: say.test, exact: true }).click();
    await result.getByText(explain(tested.reason, locale)).waitFor();
    await page.getByText(say.advanced, { exact: true }).click();
    await fillIn(page, say, { ...healthy, ...saved.typed, interval: "2s", timeout: "1s" });
    await page.getByRole("button", { name: say.save }).click();
    await page.waitForURL(/\/monitors\/\d+$/);
    await main.getByText(say.failure, { exact: true }).first().waitFor({ timeout: nextCheckMs });
    await main.getByText(explain(saved.reason, locale)).first().waitFor();
    expect(await monitorAt(page)).toMatchObject({ target, status: "down", lastError: saved.reason });
  });

  test("they stand in one list, in the order of their targets, and are deleted there and on their own page", async () => {
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

test("a flow of login, order and logout is made step by step; once one fails, its page and its evidence name it", async () => {
  const { origin, lose } = await serveShop();
  const page = await openPage({}, sonde.session);
  const main = page.getByRole("main");
  const stepAt = (number: number) => page.getByRole("listitem", { name: `Step ${number}`, exact: true });
  const type = (number: number, label: string, text: string) =>
    stepAt(number).getByRole("textbox", { name: label, exact: true }).fill(text);

  await page.goto(`${sonde.url}/monitors/create`);
  await page.getByRole("radio", { name: "HTTP flow", exact: true }).check();
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
  await page.getByText("Advanced", { exact: true }).click();
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
  const { id, lastError } = await monitorAt(page);
  expect(lastError).toBe(cause);
  const { incidents } = await api.get<{ incidents: { id: string }[] }>(`/api/monitors/${id}/incidents`);
  // Evidence comes with the next block of checks that is stored.
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

/** Fills fields by their labels. */
async function fillIn(page: Page, say: Words, typed: Partial<Record<keyof Words, string>>): Promise<void> {
  for (const [field, text] of Object.entries(typed))
    await page.getByRole("textbox", { name: say[field as keyof Words], exact: true }).fill(text);
}

/** The entries of the configuration on the detail page, by name. */
async function configurationOf(page: Page, say: Words): Promise<Record<string, string>> {
  const entries = page.locator("dl").filter({ hasText: say.kind }).locator(":scope > div");
  return Object.fromEntries(
    await entries.evaluateAll((all) =>
      all.map((entry) => [
        entry.querySelector("dt")?.textContent ?? "",
        (entry.querySelector("dd")?.textContent ?? "").trim(),
      ]),
    ),
  );
}
