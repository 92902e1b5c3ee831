import assert from "node:assert/strict";
import { setInterval } from "node:timers/promises";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { Page } from "playwright-core";
import { apiOf } from "@sonde/testing/api";

// Exact screen texts in both languages.
const words = {
  "en-US": {
    login: "Log in",
    logout: "Log out",
    register: "Register",
    username: "Username",
    password: "Password",
    confirmation: "Confirm password",
    mismatch: "Passwords do not match",
    setupCode: "Setup code",
    mustBeApproved: "Registration successful; an administrator must approve your account",
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
    logout: "退出登录",
    register: "注册",
    username: "用户名",
    password: "密码",
    confirmation: "确认密码",
    mismatch: "两次输入的密码不一致",
    setupCode: "安装码",
    mustBeApproved: "注册成功，请等待管理员审核",
    refused: "用户名或密码错误",
    welcome: "欢迎使用 Sonde",
    addFirst: "添加监控项",
    name: "名称",
    url: "URL",
    create: "创建监控项",
    badUrl: "请输入完整的 http 或 https 地址",
    normal: "正常",
    failure: "故障",
    list: "API 监控",
    up: "正常",
    down: "故障",
    incidents: "事件",
    ongoing: "进行中",
    recovered: "已恢复",
  },
} as const;

/** After `checkOften`, checks run every few seconds with a retry after two; allow for a busy machine. */
const nextCheckMs = 75_000;
/** Sonde promises the first result within two seconds; allow for the browser on a busy machine. */
const atOnceMs = 10_000;

export interface Newcomer {
  url: string;
  locale: keyof typeof words;
  username: string;
  /** The monitor's target, and functions that make it fail and recover. */
  target: { url: string; break(): unknown; heal(): unknown };
  /** Set if the first account needs one. */
  setupCode?: string;
  /** Interval of the monitor after its creation, 6 by default. */
  intervalSeconds?: number;
  /** Approves the account. Without it, this is the first account, which needs no approval. */
  approve?: () => Promise<void>;
}

export const password = "correct horse battery";

/**
 * A new user registers, logs in after one refused attempt, adds a monitor, and sees it fail, recover and list the
 * incident, all without a reload. Returns the monitor's id. @throws Error about what did not appear
 */
export async function newcomerStory(page: Page, newcomer: Newcomer): Promise<number> {
  const { url, locale, username, target, setupCode, approve } = newcomer;
  const uiTexts = words[locale];
  const field = (label: string) => page.getByRole("textbox", { name: new RegExp(`^${label}\\b|^${label}`) }).first();
  const secret = (label: string) => page.locator("label", { hasText: new RegExp(`^${label}`) }).first();

  // A protected page redirects to the login, which links to registration, or on a new installation to the setup.
  const isFirst = approve === undefined;
  await page.goto(`${url}/monitors`);
  await page.waitForURL(isFirst ? /\/register/ : /\/login/);
  if (!isFirst) await page.getByRole("main").getByRole("link", { name: uiTexts.register }).click();
  await field(uiTexts.username).fill(username);
  if (setupCode !== undefined) await field(uiTexts.setupCode).fill(setupCode);
  await secret(uiTexts.password).click();
  await page.keyboard.type(password);
  await secret(uiTexts.confirmation).click();
  await page.keyboard.type(password.slice(0, -" battery".length));
  await page.getByRole("button", { name: uiTexts.register }).click();
  await page.getByText(uiTexts.mismatch).waitFor();
  await page.keyboard.press("End");
  await page.keyboard.type(" battery");
  await page.getByRole("button", { name: uiTexts.register }).click();
  if (isFirst) {
    // The setup logs the administrator in and opens the requested page.
    await page.waitForURL(/\/monitors$/);
    await page.getByRole("banner").getByRole("button", { name: username }).click();
    await page.getByRole("menuitem", { name: uiTexts.logout }).click();
    await page.waitForURL(/\/login/);
  } else {
    await page.getByText(uiTexts.mustBeApproved).waitFor();
    await approve();
  }

  // A refused login stays on the page and says why.
  await field(uiTexts.username).fill(username);
  await secret(uiTexts.password).click();
  await page.keyboard.type("wrong");
  await page.keyboard.press("Enter");
  await page.getByText(uiTexts.refused).waitFor();
  await secret(uiTexts.password).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/(dashboard|monitors)/);
  await page.goto(`${url}/dashboard`);
  await page.getByText(uiTexts.welcome).waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), locale);

  // Name and URL suffice. An invalid address is reported at its field, and the input is kept.
  await page.getByRole("link", { name: uiTexts.addFirst }).click();
  await field(uiTexts.name).fill("Checkout");
  await field(uiTexts.url).fill("ftp://checkout.example.com");
  await page.getByRole("button", { name: uiTexts.create }).click();
  await page.getByText(uiTexts.badUrl).waitFor();
  assert.equal(await field(uiTexts.name).inputValue(), "Checkout");
  await field(uiTexts.url).fill(target.url);
  await page.getByRole("button", { name: uiTexts.create }).click();
  await page.waitForURL(/\/monitors\/\d+$/);
  const id = Number(/\d+$/.exec(page.url())?.[0]);
  await waitForText(page, uiTexts.normal, atOnceMs);

  await checkOften(page, newcomer, id);

  await target.break();
  await waitForText(page, uiTexts.failure, nextCheckMs);
  await page.getByRole("tab", { name: uiTexts.incidents }).click();
  await waitForText(page, uiTexts.ongoing, atOnceMs);
  await page.getByRole("navigation").getByRole("link", { name: uiTexts.list }).click();
  // Each row contains its state for wide and for narrow screens; only one is visible.
  const row = page.getByRole("row", { name: /Checkout/ });
  await row.locator("[data-state]:visible", { hasText: uiTexts.down }).waitFor();

  // After the recovery, the list updates without a reload and the incident is closed.
  await target.heal();
  await row.locator("[data-state]:visible", { hasText: uiTexts.up }).waitFor({ timeout: nextCheckMs });
  await page.getByRole("link", { name: "Checkout" }).first().click();
  await page.getByRole("tab", { name: uiTexts.incidents }).click();
  await waitForText(page, uiTexts.recovered, atOnceMs);
  return id;
}

/** Collects page errors and requests that the content security policy blocked. */
export function watchPageErrors(page: Page): () => string[] {
  const seen: string[] = [];
  page.on("pageerror", (error) => seen.push(error.message));
  page.on("console", (message) => {
    // The refused login and the unknown address log expected errors.
    if (message.type() === "error" && !/status of (401|404)/.test(message.text())) seen.push(message.text());
  });
  return () => seen;
}

/** Shortens the default interval of one minute, and waits for the next check. */
async function checkOften(page: Page, { url, intervalSeconds = 6 }: Newcomer, id: number): Promise<void> {
  const api = apiOf(url, await page.evaluate<string>("localStorage.getItem('token')"));
  const read = async () => (await api.get<{ monitor: Monitor }>(`/api/monitors/${id}`)).monitor;
  assert.equal((await read()).interval, 1);
  await api.send("PUT", `/api/monitors/${id}`, { interval: intervalSeconds / 60, timeout: intervalSeconds / 2 });
  const deadlineMs = performance.now() + nextCheckMs;
  for await (const _ of setInterval(500)) {
    if ((await read()).status === "up") return;
    if (performance.now() > deadlineMs) throw new Error(`monitor ${id} timed out before it was up`);
  }
}

async function waitForText(page: Page, text: string, timeout: number): Promise<void> {
  await page.getByRole("main").getByText(text, { exact: true }).first().waitFor({ timeout });
}
