import type { Monitor } from "@sonde/proto/http/monitors";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { apiOf } from "./support/api.ts";
import { openBrowser } from "./support/browser.ts";
import { startProduct } from "./support/product.ts";
import { violationsOf } from "./support/quality.ts";
import { startTarget } from "./support/target.ts";

// What a person reads, to the letter, in both languages.
const words = {
  "en-US": {
    login: "Login",
    register: "Register",
    username: "Username",
    password: "Password",
    confirmation: "Confirm password",
    mismatch: "Passwords do not match",
    registered: "Registration successful, please login",
    refused: "Incorrect username or password",
    welcome: "Welcome to Sonde",
    addFirst: "Add a monitor",
    name: "Name",
    url: "URL",
    create: "Create monitor",
    badUrl: "Please enter a full http or https address",
    normal: "Normal",
    failure: "Failure",
    list: "API Monitors",
    up: "Up",
    down: "Down",
    incidents: "Incidents",
    ongoing: "Ongoing",
    recovered: "Recovered",
  },
  "zh-CN": {
    login: "登录",
    register: "注册",
    username: "用户名",
    password: "密码",
    confirmation: "确认密码",
    mismatch: "两次输入的密码不一致",
    registered: "注册成功，请登录",
    refused: "用户名或密码错误",
    welcome: "欢迎使用 Sonde",
    addFirst: "添加监控",
    name: "名称",
    url: "URL",
    create: "创建监控",
    badUrl: "请输入完整的 http 或 https 地址",
    normal: "正常",
    failure: "故障",
    list: "API 监控",
    up: "在线",
    down: "离线",
    incidents: "事件",
    ongoing: "进行中",
    recovered: "已恢复",
  },
} as const;

/** After `checkOften` a check comes within six seconds, its re-check two seconds later; a busy machine takes its time. */
const nextCheckMs = 75_000;
/** The first result is promised within two seconds; the rest is the browser's on a busy machine. */
const atOnceMs = 10_000;

// Most of a story is waiting for the next check: both languages wait at once.
test.concurrent.for(["en-US", "zh-CN"] as const)(
  "a newcomer registers, adds a monitor, sees it break and heal without a reload (%s)",
  { timeout: 360_000 },
  async (locale, { onTestFinished }) => {
    const say = words[locale];
    const target = await startTarget();
    onTestFinished(() => target.stop());
    const product = await startProduct({ MONITOR_MIN_INTERVAL_SECONDS: "5" });
    onTestFinished(() => product.remove());
    const browser = await openBrowser({ locale });
    onTestFinished(() => browser.close());
    const page = browser.context.pages()[0] ?? (await browser.context.newPage());
    const faults = watchFaults(page);
    const field = (label: string) => page.getByRole("textbox", { name: new RegExp(`^${label}\\b|^${label}`) }).first();
    const secret = (label: string) => page.locator("label", { hasText: new RegExp(`^${label}`) }).first();

    // A visitor who asks for a logged-in page is sent to log in, and finds the way to register.
    await page.goto(`${product.url}/monitors`);
    await page.waitForURL(/\/login/);
    await page.getByRole("main").getByRole("link", { name: say.register }).click();
    await field(say.username).fill("ada");
    await secret(say.password).click();
    await page.keyboard.type("correct horse battery");
    await secret(say.confirmation).click();
    await page.keyboard.type("correct horse");
    await page.getByRole("button", { name: say.register }).click();
    await page.getByText(say.mismatch).waitFor();
    await page.keyboard.press("End");
    await page.keyboard.type(" battery");
    await page.getByRole("button", { name: say.register }).click();
    await page.getByText(say.registered).waitFor();

    // A refused login stays in place and says why.
    await field(say.username).fill("ada");
    await secret(say.password).click();
    await page.keyboard.type("wrong");
    await page.keyboard.press("Enter");
    await page.getByText(say.refused).waitFor();
    await secret(say.password).click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("correct horse battery");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/(dashboard|monitors)/);
    await page.goto(`${product.url}/dashboard`);
    await page.getByText(say.welcome).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe(locale);

    // Name and URL alone; a wrong address is said beside the field and nothing typed is lost.
    await page.getByRole("link", { name: say.addFirst }).click();
    await field(say.name).fill("Checkout");
    await field(say.url).fill("checkout.example.com");
    await page.getByRole("button", { name: say.create }).click();
    await page.getByText(say.badUrl).waitFor();
    expect(await field(say.name).inputValue()).toBe("Checkout");
    await field(say.url).fill(target.url);
    await page.getByRole("button", { name: say.create }).click();
    await page.waitForURL(/\/monitors\/1$/);
    await waitForText(page, say.normal, atOnceMs);
    expect(target.hits()).toBeGreaterThan(0);

    await checkOften(page, product.url);

    // It breaks: the page says so without a reload.
    target.break();
    await waitForText(page, say.failure, nextCheckMs);
    await page.getByRole("tab", { name: say.incidents }).click();
    await waitForText(page, say.ongoing, atOnceMs);
    await page.getByRole("navigation").getByRole("link", { name: say.list }).click();
    // Each row holds its state twice, for wide and for narrow screens; one of them is shown.
    const row = page.getByRole("row", { name: /Checkout/ });
    await row.locator("[data-state]:visible", { hasText: say.down }).waitFor();

    // It heals: the list turns by itself, and the incident is closed.
    target.heal();
    await row.locator("[data-state]:visible", { hasText: say.up }).waitFor({ timeout: nextCheckMs });
    await page.getByRole("link", { name: "Checkout" }).first().click();
    await page.getByRole("tab", { name: say.incidents }).click();
    await waitForText(page, say.recovered, atOnceMs);

    for (const path of [
      "/",
      "/dashboard",
      "/monitors",
      "/monitors/1",
      "/monitors/create",
      "/monitors/edit/1",
      "/nowhere",
    ]) {
      await page.goto(product.url + path);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      expect(await violationsOf(page), path).toEqual([]);
    }
    // The refused login is logged under its label; nothing else went wrong.
    expect(faults()).toEqual(["Login failed 401"]);
  },
);

/** A newcomer's monitor is checked once a minute; this one from now on every six seconds, so that nobody waits for minutes. */
async function checkOften(page: Page, url: string): Promise<void> {
  const api = apiOf(url, await page.evaluate<string>("localStorage.getItem('token')"));
  const read = async () => (await api.get<{ monitor: Monitor }>("/api/monitors/1")).monitor;
  expect((await read()).interval).toBe(1);
  await api.send("PUT", "/api/monitors/1", { interval: 0.1, timeout: 4 });
  await expect.poll(async () => (await read()).status, { timeout: nextCheckMs }).toBe("up");
}

/** Errors of the page itself and requests that a strict policy refused. */
function watchFaults(page: Page): () => string[] {
  const seen: string[] = [];
  page.on("pageerror", (error) => seen.push(error.message));
  page.on("console", (message) => {
    // The refused login and the address that is not there are answers, not faults.
    if (message.type() === "error" && !/status of (401|404)/.test(message.text())) seen.push(message.text());
  });
  return () => seen;
}

async function waitForText(page: Page, text: string, timeout: number): Promise<void> {
  await page.getByRole("main").getByText(text, { exact: true }).first().waitFor({ timeout });
}
