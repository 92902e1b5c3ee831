import { expect, test } from "vitest";
import { openBrowser } from "@sonde/testing/browser";
import { newcomerStory, watchFaults } from "./support/newcomer.ts";
import { startProduct } from "@sonde/testing/product";
import { violationsOf } from "./support/quality.ts";
import { startTarget } from "@sonde/testing/target";

// Most of a story is waiting for the next check: both languages wait at once.
test.concurrent.for(["en-US", "zh-CN"] as const)(
  "a newcomer registers, adds a monitor, sees it break and heal without a reload (%s)",
  { timeout: 360_000 },
  async (locale, { onTestFinished }) => {
    const target = await startTarget();
    onTestFinished(() => target.stop());
    const product = await startProduct({ MONITOR_MIN_INTERVAL_SECONDS: "5" });
    onTestFinished(() => product.remove());
    const browser = await openBrowser({ locale });
    onTestFinished(() => browser.close());
    const page = browser.context.pages()[0] ?? (await browser.context.newPage());
    const faults = watchFaults(page);

    expect(await newcomerStory(page, { url: product.url, locale, username: "ada", target })).toBe(1);
    expect(target.hits()).toBeGreaterThan(0);

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
