import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { type Browser, openBrowser, type View } from "@sonde/testing/browser";
import { type Product, startProduct } from "@sonde/testing/product";
import {
  addresses,
  focusIsVisible,
  keysOn,
  overflowOf,
  settled,
  tabTo,
  violationsOf,
  watchErrors,
} from "./support/quality.ts";
import { startReporting } from "./support/reporting-agent.ts";
import { startTarget, type Target } from "@sonde/testing/target";

let product: Product;
let target: Target;
let agent: { stop(): void } | undefined;
let session: { token: string; user: string };
const browsers: Browser[] = [];

beforeAll(async () => {
  target = await startTarget();
  product = await startProduct();
  const { api, token } = await firstAdmin(product.url);
  session = { token, user: JSON.stringify((await api.get<{ user: unknown }>("/api/auth/me")).user) };
  await fill(api);
});

afterAll(async () => {
  agent?.stop();
  await Promise.all(browsers.map((browser) => browser.close()));
  await product?.remove();
  await target?.stop();
});

/** One monitor that is well, with everything set, one that cannot be reached, and an agent that reports. */
async function fill(api: Api): Promise<void> {
  const long = "a-name-without-a-single-space-that-goes-on-and-on-".repeat(2);
  const headers = [{ name: "Authorization", value: "Bearer an-example" }];
  await api.send("POST", "/api/monitors", { name: "Checkout", url: target.url, tags: ["shop"], headers });
  await api.send("POST", "/api/monitors", { name: long.slice(0, 90), url: "http://127.0.0.1:9/health", retries: 0 });
  const announcement = { title: long.slice(0, 90), impact: "major", monitors: [1], text: `${long}\n\n- **first**` };
  await api.send("POST", "/api/announcements", announcement);
  const [start, end] = [1, 2].map((day) => new Date(Date.now() + day * 86_400_000).toISOString());
  const window = {
    name: long.slice(0, 90),
    monitors: [1, 2],
    start,
    end,
    timeZone: "Asia/Tokyo",
    rrule: "FREQ=WEEKLY",
  };
  await api.send("POST", "/api/maintenance", { ...window, note: `${long}\n\n- **first**` });
  agent = await startReporting(product.url, api, long.slice(0, 90));
  const groups = [{ name: long.slice(0, 60), monitors: [2], agents: [1] }];
  await api.send("PUT", "/api/status/config", { title: long.slice(0, 90), monitors: [1, 2], agents: [1], groups });
}

async function openPage(view: View): Promise<Page> {
  const browser = await openBrowser(view);
  browsers.push(browser);
  const page = browser.context.pages()[0] ?? (await browser.context.newPage());
  // A page that is still fading in has colours of its own.
  await page.emulateMedia({ reducedMotion: "reduce" });
  return page;
}

async function logIn(page: Page): Promise<void> {
  await page.goto(`${product.url}/login`);
  await page.evaluate(
    `for (const [key, value] of Object.entries(${JSON.stringify(session)})) localStorage.setItem(key, value)`,
  );
}

const views = [
  { width: 1440, height: 900, colorScheme: "light", locale: "en-US" },
  { width: 1440, height: 900, colorScheme: "dark", locale: "zh-CN" },
  { width: 390, height: 844, colorScheme: "light", locale: "zh-CN" },
  { width: 390, height: 844, colorScheme: "dark", locale: "en-US" },
] as const satisfies View[];

async function turnTo(page: Page, { width, height, colorScheme }: (typeof views)[number]): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
}

/** What is wrong with a page as it is shown now. */
async function faultsOf(page: Page): Promise<string[]> {
  // What is drawn by script follows the window a moment later. `waitForFunction` would ask by a string, which the page forbids.
  const isFitting = await vi
    .waitFor(async () => expect(await overflowOf(page)).toBeLessThanOrEqual(0), { timeout: 10_000, interval: 100 })
    .then(
      () => true,
      () => false,
    );
  const found = [...(await violationsOf(page)), ...(await keysOn(page))];
  return isFitting ? found : [...found, `${await overflowOf(page)} pixels wider than the window`];
}

// Two at a time (maxConcurrency): while one page is drawn, the other waits for its answers.
describe.concurrent.each(["en-US", "zh-CN"] as const)("in %s", (locale) => {
  test(
    "no route breaks an axe rule, is wider than the window, shows a key or logs an error, wide and narrow, light and dark",
    { timeout: 900_000 },
    async () => {
      const [wide, narrow] = views.filter((view) => view.locale === locale).toSorted((a, b) => b.width - a.width);
      const page = await openPage(wide!);
      const errors = watchErrors(page);
      const faults: string[] = [];
      let visits = locale === "en-US" ? 0 : 1;
      // Each address is opened wide in one language and narrow in the other, and turned to the other view there.
      const visit = async (path: string) => {
        const inTurn = visits++ % 2 === 0 ? [wide!, narrow!] : [narrow!, wide!];
        await turnTo(page, inTurn[0]!);
        await page.goto(product.url + path);
        for (const view of inTurn) {
          await turnTo(page, view);
          await page.locator(`html[data-theme=${view.colorScheme}]`).waitFor({ state: "attached" });
          await settled(page);
          const found = [...(await faultsOf(page)), ...errors()];
          faults.push(...found.map((fault) => `${path}, ${view.width} pixels, ${view.colorScheme}: ${fault}`));
          expect(await page.locator("html").getAttribute("lang")).toBe(locale);
        }
      };
      for (const path of addresses.visitor) await visit(path);
      await logIn(page);
      for (const path of addresses.session) await visit(path);
      // The agent's pages are those of one that reports.
      await page.goto(`${product.url}/agents/1`);
      await page.locator("main [data-state=online]").first().waitFor();
      expect(faults).toEqual([]);
    },
  );
});

describe.concurrent.each(views)("at $width pixels, $colorScheme, $locale", (view) => {
  test(
    "nothing that opens above a page breaks an axe rule or is wider than the window",
    { timeout: 300_000 },
    async () => {
      const page = await openPage(view);
      await logIn(page);
      const faults: string[] = [];
      const look = async (what: string, open: () => Promise<void>, role: "dialog" | "menu") => {
        await page.goto(`${product.url}/monitors`);
        await settled(page);
        await open();
        await page.getByRole(role).waitFor();
        const overflow = await overflowOf(page);
        const found = [...(await violationsOf(page)), ...(overflow > 0 ? [`${overflow} pixels too wide`] : [])];
        faults.push(...found.map((fault) => `${what}: ${fault}`));
      };
      const main = page.getByRole("main");
      await look("palette", () => page.keyboard.press("Control+K"), "dialog");
      await page.keyboard.type("checkout");
      await page.getByRole("option", { name: /Checkout/ }).waitFor();
      faults.push(...(await violationsOf(page)).map((fault) => `palette with a result: ${fault}`));
      await look("shortcuts", () => page.keyboard.press("?"), "dialog");
      const openActions = () =>
        main
          .getByRole("button", { name: /^(Actions|操作): / })
          .first()
          .click();
      await look("actions of a row", openActions, "menu");
      const askToDelete = async () => {
        await openActions();
        await page.getByRole("menuitem", { name: /^(Delete|删除)$/ }).click();
      };
      await look("deletion", askToDelete, "dialog");
      const edit = async () => {
        await main
          .getByRole("checkbox", { name: /^(Select all on this page|选择本页全部)$/ })
          .first()
          .click();
        await main.getByRole("button", { name: /^(Edit|编辑)$/ }).click();
      };
      await look("change of many", edit, "dialog");
      await look("user menu", () => page.getByRole("button", { name: /ada/ }).click(), "menu");
      expect(faults).toEqual([]);
    },
  );
});

test("a monitor is made, found, renamed and deleted by keyboard alone", { timeout: 300_000 }, async () => {
  const page = await openPage({ locale: "en-US" });
  await logIn(page);
  await page.goto(`${product.url}/dashboard`);
  await settled(page);
  const press = (...keys: string[]) =>
    keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
  // Made: the palette leads to the form, whose first field has the focus.
  await press("Control+K");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.type("add monitor");
  await press("Enter");
  await page.waitForURL(/\/monitors\/create$/);
  await page.locator("input[name='http.url']:focus").waitFor();
  await page.keyboard.type(target.url);
  // A name is proposed; what is typed replaces it.
  await press("Tab", "Control+A");
  await page.locator("input[name=name]:focus").waitFor();
  await page.keyboard.type("By keyboard");
  await press("Enter");
  await page.waitForURL(/\/monitors\/\d+$/);
  await page.getByRole("heading", { level: 1, name: "By keyboard" }).waitFor();

  // Found: the list's search by `/`, its rows by arrow, its page by Enter.
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

  // Renamed.
  await tabTo(page, "main a:text-is('Edit')");
  await press("Enter");
  await page.waitForURL(/\/monitors\/edit\/\d+$/);
  await page.locator("input[name=name]").waitFor();
  await tabTo(page, "input[name=name]");
  await press("Control+A");
  await page.keyboard.type("Renamed by keyboard");
  await press("Enter");
  await page.getByRole("heading", { level: 1, name: "Renamed by keyboard" }).waitFor();

  // Deleted: the dialog takes the focus, and the page takes it back.
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

test(
  "agents are a table with nothing cut off at 1440 and 768 pixels, and cards at 390",
  { timeout: 300_000 },
  async () => {
    const page = await openPage({ locale: "en-US" });
    await logIn(page);
    const main = page.getByRole("main");
    for (const width of [1440, 768]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${product.url}/agents`);
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
    await page.goto(`${product.url}/agents`);
    await main.getByText("Active", { exact: true }).first().waitFor();
    expect(await main.getByRole("table").count()).toBe(0);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  },
);

test(
  "an agent's thresholds are changed on its page: its meters, its charts and the list follow",
  { timeout: 300_000 },
  async () => {
    const page = await openPage({ locale: "en-US" });
    await logIn(page);
    const main = page.getByRole("main");
    const card = main.locator("section", { has: page.getByRole("heading", { name: /^Thresholds/ }) });
    const dottedLines = () => main.locator("svg line[style*='stroke-dasharray: 1.5']").count();
    /** Reads the list again until it has that text, or no longer has it. */
    const listSays = async (words: string, wanted: boolean) => {
      const read = async () => {
        await page.goto(`${product.url}/agents`);
        await main.getByRole("row").nth(1).waitFor();
        return (await main.getByRole("row").nth(1).innerText()).includes(words);
      };
      await expect.poll(read, { timeout: 120_000 }).toBe(wanted);
    };

    await page.goto(`${product.url}/agents/1`);
    await card.getByText("Global", { exact: true }).waitFor();
    await expect.poll(dottedLines, { timeout: 60_000 }).toBe(3);
    await card.getByRole("button", { name: "Edit thresholds" }).click();
    // The reporting agent's processor is never below 20 %.
    await card.getByLabel("CPU").fill("10");
    await card.getByLabel("Memory").fill("");
    expect(await violationsOf(page)).toEqual([]);
    await card.getByRole("button", { name: "Save thresholds" }).click();
    await card.getByText("Own", { exact: true }).waitFor();
    await expect.poll(dottedLines, { timeout: 60_000 }).toBe(2);
    await listSays("above the threshold of 10%", true);

    await page.goto(`${product.url}/agents/1`);
    await card.getByRole("button", { name: "Use global" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use global" }).click();
    await card.getByText("Global", { exact: true }).waitFor();
    await listSays("above the threshold of 10%", false);
  },
);
