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

/** Debian's Chromium without a window, on a profile of its own that `close` deletes. */
export async function openBrowser({
  locale = "en-US",
  width = 1440,
  height = 900,
  colorScheme = "light",
  javaScriptEnabled = true,
}: View & { javaScriptEnabled?: boolean } = {}): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), "sonde-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
    headless: true,
    locale,
    colorScheme,
    javaScriptEnabled,
    viewport: { width, height },
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  // The default language is zh-CN; a person who chose another keeps it under this key.
  await context.addInitScript((language) => {
    if (localStorage.getItem("language") === null) localStorage.setItem("language", language);
  }, locale);
  return {
    context,
    close: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** On the page of the login, as a person does. */
export async function logIn(page: Page, { username, password }: { username: string; password: string }): Promise<void> {
  await page.getByRole("textbox", { name: "Username" }).fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
}
