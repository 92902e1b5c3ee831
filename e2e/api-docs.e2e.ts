import { fakeSite } from "@sonde/gateway/testing/fake-site";
import { startTestApp, type TestApp } from "@sonde/gateway/testing/test-app";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "./support/browser.ts";
import { overflowOf, violationsOf, watchErrors } from "./support/quality.ts";

// The gateway over fakes is enough: the page is made of its routes alone.
let app: TestApp;
beforeAll(async () => void (app = await startTestApp({ site: await fakeSite() })));
afterAll(() => app?.stop());

test.each([
  { locale: "en-US", colorScheme: "light", width: 1440 },
  { locale: "zh-CN", colorScheme: "dark", width: 390 },
  { locale: "en-US", colorScheme: "dark", width: 390 },
  { locale: "zh-CN", colorScheme: "light", width: 1440 },
] as const)("the API reference reads well: $locale, $colorScheme, $width px", async (view) => {
  const browser = await openBrowser(view);
  try {
    const page = browser.context.pages()[0] ?? (await browser.context.newPage());
    const errors = watchErrors(page);
    await page.goto(`${app.url}/api/docs`);
    expect(await page.locator("html").getAttribute("lang")).toBe(view.locale);
    // The style sheet came: the header is a row.
    const isStyled = await page.evaluate('getComputedStyle(document.querySelector(".top")).display');
    expect(isStyled).toBe("flex");
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("navigation").getByRole("link", { name: "POST /monitors/bulk" }).click();
    expect(new URL(page.url()).hash).toBe("#postMonitorsBulk");
    expect(errors()).toEqual([]);
  } finally {
    await browser.close();
  }
});
