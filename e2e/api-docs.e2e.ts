import AxeBuilder from "@axe-core/playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "./support/browser.ts";
import { type Product, startProduct } from "./support/product.ts";

let product: Product;
beforeAll(async () => void (product = await startProduct()));
afterAll(() => product?.remove());

test.each([
  { locale: "en-US", colorScheme: "light", width: 1440 },
  { locale: "zh-CN", colorScheme: "dark", width: 390 },
  { locale: "en-US", colorScheme: "dark", width: 390 },
  { locale: "zh-CN", colorScheme: "light", width: 1440 },
] as const)("the API reference reads well: $locale, $colorScheme, $width px", async (view) => {
  const browser = await openBrowser(view);
  try {
    const page = browser.context.pages()[0] ?? (await browser.context.newPage());
    const faults: string[] = [];
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    await page.goto(`${product.url}/api/docs`);
    expect(await page.locator("html").getAttribute("lang")).toBe(view.locale);
    // The style sheet came: the header is a row.
    const isStyled = await page.evaluate('getComputedStyle(document.querySelector(".top")).display');
    expect(isStyled).toBe("flex");
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    await page.getByRole("navigation").getByRole("link", { name: "POST /monitors/bulk" }).click();
    expect(new URL(page.url()).hash).toBe("#postMonitorsBulk");
    expect(faults).toEqual([]);
  } finally {
    await browser.close();
  }
});
