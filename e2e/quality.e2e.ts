import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  addressesOf,
  focusIsVisible,
  type Ids,
  keysOn,
  overflowOf,
  settled,
  tabTo,
  turnTo,
  violationsOf,
  watchErrors,
} from "./support/quality.ts";
import { rotation } from "./support/victims.ts";
import { type Reporting, startReporting } from "./support/reporting-agent.ts";
import { type Installation, openPage, useInstallation } from "./support/shared.ts";
import { startTarget, type Target } from "@sonde/testing/target";
import { notFound as english } from "../web/src/locales/en-US/layout.ts";
import { notFound as chinese } from "../web/src/locales/zh-CN/layout.ts";

let sonde: Installation;
let target: Target;
let agent: Reporting | undefined;
let ids: Ids;

beforeAll(async () => {
  target = await startTarget();
  sonde = await useInstallation("signIn");
  ids = await fill();
});

afterAll(async () => {
  agent?.stop();
  await target?.stop();
});

/** Adds a monitor that is up with all options set, an unreachable monitor, and a reporting agent. */
async function fill(): Promise<Ids> {
  const { url, api } = sonde;
  const add = async (monitor: object) =>
    (await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", monitor)).monitor.id;
  const long = "a-name-without-a-single-space-that-goes-on-and-on-".repeat(2);
  const headers = [{ name: "Authorization", value: "Bearer an-example" }];
  const monitor = await add({ name: "Checkout", url: target.url, tags: ["shop"], headers });
  const unreachable = await add({ name: long.slice(0, 90), url: "http://127.0.0.1:9/health", retries: 0 });
  const text = `${long}\n\n- **first**`;
  const title = long.slice(0, 90);
  const { announcement } = await api.send<{ announcement: { id: number } }>("POST", "/api/announcements", {
    title,
    impact: "major",
    monitors: [monitor],
    text,
  });
  const [start, end] = [1, 2].map((day) => new Date(Date.now() + day * 86_400_000).toISOString());
  const monitors = [monitor, unreachable];
  const window = { name: title, monitors, start, end, timeZone: "Asia/Tokyo", rrule: "FREQ=WEEKLY", note: text };
  const { maintenance } = await api.send<{ maintenance: { id: number } }>("POST", "/api/maintenance", window);
  agent = await startReporting(url, api, title);
  const { agents } = await api.get<{ agents: { id: number }[] }>(`/api/agents?search=${title}`);
  const [{ id: agentId }] = agents as [{ id: number }];
  const groups = [{ name: long.slice(0, 60), monitors: [unreachable], agents: [agentId] }];
  await api.send("PUT", "/api/status/config", { title, monitors, agents: [agentId], groups });
  await api.send("POST", "/api/on-call/schedules", { name: title, ...rotation });
  const incident = await vi.waitFor(async () => {
    const path = `/api/incidents?target=monitor:${unreachable}`;
    const [found] = (await api.get<{ incidents: { id: string }[] }>(path)).incidents;
    expect(found).toBeDefined();
    return found!.id;
  }, 60_000);
  return { monitor, agent: agentId, incident, announcement: announcement.id, maintenance: maintenance.id };
}

const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };

/** Layout problems that axe does not detect: overflow and untranslated keys. */
async function layoutProblemsOf(page: Page): Promise<string[]> {
  // Script-drawn content follows the window size slightly later. The page's policy forbids `waitForFunction`.
  const isFitting = await vi
    .waitFor(async () => expect(await overflowOf(page)).toBeLessThanOrEqual(0), { timeout: 10_000, interval: 100 })
    .then(
      () => true,
      () => false,
    );
  const keys = await keysOn(page);
  return isFitting ? keys : [...keys, `${await overflowOf(page)} pixels wider than the window`];
}

// Two run concurrently (maxConcurrency): while one page renders, the other waits for responses.
describe.concurrent.each(["en-US", "zh-CN"] as const)("every screen in %s", (locale) => {
  const addresses = addressesOf();
  const parts = Array.from({ length: 4 }, (_part, nth) => addresses.session.filter((_, at) => at % 4 === nth));
  test.for([
    ["for visitors", addresses.visitor, false] as const,
    ...parts.map((paths, at) => [`for users, part ${at + 1}`, paths, true] as const),
  ])("passes axe, fits the window, is translated and logs no error: %s", async ([, paths, loggedIn], { expect }) => {
    const page = await openPage({ ...narrow, locale }, loggedIn ? sonde.session : undefined);
    const errors = watchErrors(page);
    const problems: string[] = [];
    await page.goto(`${sonde.url}/nowhere`);
    await settled(page);
    for (const [at, path] of paths.entries()) {
      const look = async (view: string, withAxe: boolean) => {
        const found = [...(withAxe ? await violationsOf(page) : []), ...(await layoutProblemsOf(page)), ...errors()];
        problems.push(...found.map((problem) => `${path(ids)}, ${view}: ${problem}`));
      };
      // At 390 pixels, both languages must fit. axe looks at that size in one language, at 1440 pixels in the other.
      const isWide = (at % 2 === 0) === (locale === "zh-CN");
      const themes = at % 2 === 0 ? (["light", "dark"] as const) : (["dark", "light"] as const);
      await turnTo(page, { ...narrow, colorScheme: themes[0] });
      await follow(page, path(ids));
      await settled(page);
      const title = await page.locator("h1").first().innerText();
      if (loggedIn) expect([english.title, chinese.title]).not.toContain(title);
      await look(`390 pixels, ${themes[0]}`, !isWide);
      if (!isWide) continue;
      await turnTo(page, { ...wide, colorScheme: themes[1] });
      await settled(page);
      await look(`1440 pixels, ${themes[1]}`, true);
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });
});

/** Opens another screen as a link does, which is faster than loading the app again. */
async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(address)}), dispatchEvent(new PopStateEvent("popstate"))`,
  );
}

describe.concurrent.each([
  { ...wide, colorScheme: "light", locale: "en-US" },
  { ...narrow, colorScheme: "dark", locale: "zh-CN" },
] as const)("at $width pixels, $colorScheme, $locale", (view) => {
  test("dialogs and menus pass axe and fit the window", async ({ expect }) => {
    const page = await openPage(view, sonde.session);
    const problems: string[] = [];
    await page.goto(`${sonde.url}/monitors`);
    const look = async (what: string, open: () => Promise<void>, role: "dialog" | "menu") => {
      await open();
      await page.getByRole(role).waitFor();
      await settled(page);
      const overflow = await overflowOf(page);
      const found = [...(await violationsOf(page)), ...(overflow > 0 ? [`${overflow} pixels too wide`] : [])];
      problems.push(...found.map((problem) => `${what}: ${problem}`));
    };
    const close = async () => {
      await page.keyboard.press("Escape");
      await page.locator("[role=dialog], [role=menu]").first().waitFor({ state: "detached" });
    };
    await settled(page);
    const main = page.getByRole("main");
    const openPalette = async () => {
      await page.keyboard.press("Control+K");
      // A plain text field stands in until the palette's code has loaded.
      await page.getByRole("dialog").getByRole("combobox").waitFor();
    };
    await look("palette", openPalette, "dialog");
    const search = async () => {
      await page.getByRole("dialog").getByRole("combobox").fill("checkout");
      await page.getByRole("option", { name: /Checkout/ }).waitFor();
    };
    await look("palette with a result", search, "dialog");
    await close();
    await look("shortcuts", () => page.keyboard.press("?"), "dialog");
    await close();
    const openActions = () =>
      main
        .getByRole("button", { name: /^(Actions|操作): / })
        .first()
        .click();
    await look("actions of a row", openActions, "menu");
    const askToDelete = () => page.getByRole("menuitem", { name: /^(Delete|删除)$/ }).click();
    await look("deletion", askToDelete, "dialog");
    await close();
    const edit = async () => {
      await main
        .getByRole("checkbox", { name: /^(Select all on this page|选择本页全部)$/ })
        .first()
        .click();
      await main.getByRole("button", { name: /^(Edit|编辑)$/ }).click();
    };
    await look("change of many", edit, "dialog");
    await close();
    await look("user menu", () => page.getByRole("button", { name: /ada/ }).click(), "menu");
    expect(problems).toEqual([]);
    await page.context().close();
  });
});

test("a monitor is created, found, renamed and deleted using only the keyboard", async () => {
  const page = await openPage({}, sonde.session);
  await page.goto(`${sonde.url}/dashboard`);
  await settled(page);
  const press = (...keys: string[]) =>
    keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
  // Create: the palette opens the form, whose first field has the focus.
  await press("Control+K");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.type("add monitor");
  await press("Enter");
  await page.waitForURL(/\/monitors\/create$/);
  await page.locator("input[name=address]:focus").waitFor();
  await page.keyboard.type(target.url);
  // Typing replaces the suggested name, two fields on: the kind is between them.
  await press("Tab", "Tab", "Control+A");
  await page.locator("input[name=name]:focus").waitFor();
  await page.keyboard.type("By keyboard");
  await press("Enter");
  await page.waitForURL(/\/monitors\/\d+$/);
  await page.getByRole("heading", { level: 1, name: "By keyboard" }).waitFor();

  // Find: `/` focuses the list's search, arrow keys select a row, and Enter opens its page.
  await press("Control+K");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.type("api monitors");
  await press("Enter");
  await page.waitForURL(/\/monitors$/);
  await page.getByRole("link", { name: "Checkout", exact: true }).waitFor();
  await press("/");
  await page.keyboard.type("keyboard");
  await page.waitForURL(/search=keyboard/);
  await page.getByRole("link", { name: "Checkout", exact: true }).waitFor({ state: "detached" });
  await tabTo(page, "main button:has-text('Group by tag')");
  await press("ArrowDown");
  await page.locator("tbody a:focus", { hasText: "By keyboard" }).waitFor();
  expect(await focusIsVisible(page)).toBe(true);
  await press("Enter");
  await page.waitForURL(/\/monitors\/\d+$/);
  await page.getByRole("heading", { level: 1, name: "By keyboard" }).waitFor();

  await tabTo(page, "main a:text-is('Edit')");
  await press("Enter");
  await page.waitForURL(/\/monitors\/edit\/\d+$/);
  await page.locator("input[name=name]").waitFor();
  await tabTo(page, "input[name=name]");
  await press("Control+A");
  await page.keyboard.type("Renamed by keyboard");
  await press("Enter");
  await page.getByRole("heading", { level: 1, name: "Renamed by keyboard" }).waitFor();

  // Delete: the dialog takes the focus and returns it when closed.
  await tabTo(page, "main button:text-is('Delete')");
  await press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.locator("main button:focus", { hasText: "Delete" }).waitFor();
  await press("Enter");
  await dialog.waitFor();
  await tabTo(page, "[role=dialog] button:text-is('Delete')");
  await press("Enter");
  await page.waitForURL(/\/monitors$/);
  await page.getByText("Monitor successfully deleted").waitFor();
  await page.getByRole("link", { name: "Renamed by keyboard" }).waitFor({ state: "detached" });
});

test("agents are shown as a table without clipping at 1440 and 768 pixels, and as cards at 390", async () => {
  const page = await openPage({}, sonde.session);
  const main = page.getByRole("main");
  for (const width of [1440, 768]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${sonde.url}/agents`);
    await settled(page);
    const table = main.getByRole("region");
    await table.getByRole("row").nth(1).waitFor();
    const cutOff = await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect([width, cutOff]).toEqual([width, 0]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    for (const head of ["CPU", "Memory", "Disk", "Network", "Load"]) {
      const cell = main.getByRole("columnheader", { name: head });
      await cell.getByRole("button").click();
      await main.locator("th[aria-sort=descending]", { hasText: head }).waitFor();
    }
    await page.waitForURL(/sort=-load/);
    expect(await violationsOf(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${sonde.url}/agents`);
  await main.getByText("Active", { exact: true }).first().waitFor();
  expect(await main.getByRole("table").count()).toBe(0);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});

test("changing an agent's thresholds on its page updates its meters, its charts and the list", async () => {
  const page = await openPage({}, sonde.session);
  const main = page.getByRole("main");
  const card = main.locator("section", { has: page.getByRole("heading", { name: /^Thresholds/ }) });
  const dottedLines = () => main.locator("svg line[style*='stroke-dasharray: 1.5']").count();
  /** Text of the agent's row in the reloaded list. A failure shows it, with the agent's status. */
  const rowText = async () => {
    await page.goto(`${sonde.url}/agents`);
    return main.getByRole("row").filter({ hasText: "a-name-without-a-single-space" }).innerText();
  };
  const isAbove = "above the threshold of 10%";

  await page.goto(`${sonde.url}/agents/${ids.agent}`);
  await card.getByText("Global", { exact: true }).waitFor();
  await expect.poll(dottedLines, { timeout: 60_000 }).toBe(3);
  await card.getByRole("button", { name: "Edit thresholds" }).click();
  // The reporting agent's CPU usage is never below 20 %.
  await card.getByLabel("CPU").fill("10");
  await card.getByLabel("Memory").fill("");
  expect(await violationsOf(page)).toEqual([]);
  await card.getByRole("button", { name: "Save thresholds" }).click();
  await card.getByText("Custom", { exact: true }).waitFor();
  await expect.poll(dottedLines, { timeout: 60_000 }).toBe(2);
  await expect.poll(rowText, { timeout: 60_000 }).toContain(isAbove);

  await page.goto(`${sonde.url}/agents/${ids.agent}`);
  await card.getByRole("button", { name: "Use global" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Use global" }).click();
  await card.getByText("Global", { exact: true }).waitFor();
  await expect.poll(rowText, { timeout: 60_000 }).not.toContain(isAbove);
});
