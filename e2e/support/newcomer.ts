import assert from "node:assert/strict";
import { setInterval } from "node:timers/promises";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { Page } from "playwright-core";
import { apiOf } from "@sonde/testing/api";

// What a person reads, to the letter, in both languages.
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

/** After `checkOften` a check runs every few seconds, its retry two seconds later; a busy machine takes its time. */
const nextCheckMs = 75_000;
/** The first result is promised within two seconds; the rest is the browser's on a busy machine. */
const atOnceMs = 10_000;

export interface Newcomer {
  /** Of the product. */
  url: string;
  locale: keyof typeof words;
  username: string;
  /** What their monitor asks, and how it is made to fail and to be well again. */
  target: { url: string; break(): unknown; heal(): unknown };
  /** Where the first account needs one. */
  setupCode?: string;
  /** Between checks once the monitor exists: 6 by default. */
  intervalSeconds?: number;
  /** Approves them where new accounts wait for that, which the screen says. Without it theirs is the first account. */
  approve?: () => Promise<void>;
}

export const password = "correct horse battery";

/**
 * A person who has never seen Sonde registers, logs in, adds a monitor, sees it break and heal without a reload, and
 * its incident. Answers the monitor's id. One login is refused on the way. @throws Error that says what was not seen
 */
export async function newcomerStory(page: Page, newcomer: Newcomer): Promise<number> {
  const { url, locale, username, target, setupCode, approve } = newcomer;
  const say = words[locale];
  const field = (label: string) => page.getByRole("textbox", { name: new RegExp(`^${label}\\b|^${label}`) }).first();
  const secret = (label: string) => page.locator("label", { hasText: new RegExp(`^${label}`) }).first();

  // A visitor who asks for a logged-in page is sent to log in, and finds the way to register; on a fresh Sonde to the setup.
  const isFirst = approve === undefined;
  await page.goto(`${url}/monitors`);
  await page.waitForURL(isFirst ? /\/register/ : /\/login/);
  if (!isFirst) await page.getByRole("main").getByRole("link", { name: say.register }).click();
  await field(say.username).fill(username);
  if (setupCode !== undefined) await field(say.setupCode).fill(setupCode);
  await secret(say.password).click();
  await page.keyboard.type(password);
  await secret(say.confirmation).click();
  await page.keyboard.type(password.slice(0, -" battery".length));
  await page.getByRole("button", { name: say.register }).click();
  await page.getByText(say.mismatch).waitFor();
  await page.keyboard.press("End");
  await page.keyboard.type(" battery");
  await page.getByRole("button", { name: say.register }).click();
  if (isFirst) {
    // The setup logs its administrator in, and leads on to the page that was asked for.
    await page.waitForURL(/\/monitors$/);
    await page.getByRole("banner").getByRole("button", { name: username }).click();
    await page.getByRole("menuitem", { name: say.logout }).click();
    await page.waitForURL(/\/login/);
  } else {
    await page.getByText(say.mustBeApproved).waitFor();
    await approve();
  }

  // A refused login stays in place and says why.
  await field(say.username).fill(username);
  await secret(say.password).click();
  await page.keyboard.type("wrong");
  await page.keyboard.press("Enter");
  await page.getByText(say.refused).waitFor();
  await secret(say.password).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/(dashboard|monitors)/);
  await page.goto(`${url}/dashboard`);
  await page.getByText(say.welcome).waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), locale);

  // Name and URL alone; a wrong address is said beside the field and nothing typed is lost.
  await page.getByRole("link", { name: say.addFirst }).click();
  await field(say.name).fill("Checkout");
  await field(say.url).fill("ftp://checkout.example.com");
  await page.getByRole("button", { name: say.create }).click();
  await page.getByText(say.badUrl).waitFor();
  assert.equal(await field(say.name).inputValue(), "Checkout");
  await field(say.url).fill(target.url);
  await page.getByRole("button", { name: say.create }).click();
  await page.waitForURL(/\/monitors\/\d+$/);
  const id = Number(/\d+$/.exec(page.url())?.[0]);
  await waitForText(page, say.normal, atOnceMs);

  await checkOften(page, newcomer, id);

  // It breaks: the page says so without a reload.
  await target.break();
  await waitForText(page, say.failure, nextCheckMs);
  await page.getByRole("tab", { name: say.incidents }).click();
  await waitForText(page, say.ongoing, atOnceMs);
  await page.getByRole("navigation").getByRole("link", { name: say.list }).click();
  // Each row holds its state twice, for wide and for narrow screens; one of them is shown.
  const row = page.getByRole("row", { name: /Checkout/ });
  await row.locator("[data-state]:visible", { hasText: say.down }).waitFor();

  // It heals: the list turns by itself, and the incident is closed.
  await target.heal();
  await row.locator("[data-state]:visible", { hasText: say.up }).waitFor({ timeout: nextCheckMs });
  await page.getByRole("link", { name: "Checkout" }).first().click();
  await page.getByRole("tab", { name: say.incidents }).click();
  await waitForText(page, say.recovered, atOnceMs);
  return id;
}

/** Errors of the page itself and requests that a strict policy refused. */
export function watchFaults(page: Page): () => string[] {
  const seen: string[] = [];
  page.on("pageerror", (error) => seen.push(error.message));
  page.on("console", (message) => {
    // The refused login and the address that is not there are answers, not faults.
    if (message.type() === "error" && !/status of (401|404)/.test(message.text())) seen.push(message.text());
  });
  return () => seen;
}

/** Shortens the default interval of one minute, and waits for the check that follows. */
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
