import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";

export type Browser = { context: BrowserContext; close(): Promise<void> };

export type View = {
  locale?: "zh-CN" | "en-US";
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
};

export type Visit = View & { javaScriptEnabled?: boolean };

/** Debian's Chromium, headless. */
export const launchOptions = {
  executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
  headless: true,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

export const contextOptions = ({
  locale = "en-US",
  width = 1440,
  height = 900,
  colorScheme = "light",
  javaScriptEnabled = true,
}: Visit = {}) => ({ locale, colorScheme, javaScriptEnabled, viewport: { width, height } });

/** Stores the user's language. The default is zh-CN. */
export const setLanguage = (context: BrowserContext, language: string) =>
  context.addInitScript((chosen) => {
    if (localStorage.getItem("language") === null) localStorage.setItem("language", chosen);
  }, language);

/** Starts Chromium with a new profile, which `close` deletes. */
export async function openBrowser(visit: Visit = {}): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), "sonde-chromium-"));
  const options = contextOptions(visit);
  const context = await chromium.launchPersistentContext(profile, { ...launchOptions, ...options });
  await setLanguage(context, options.locale);
  return {
    context,
    close: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Logs in through the login page. */
export async function logIn(page: Page, { username, password }: { username: string; password: string }): Promise<void> {
  await page.getByRole("textbox", { name: "Username" }).fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("main").getByRole("button", { name: "Log in", exact: true }).click();
}
