import { afterAll, beforeAll, expect, test } from "vitest";
import { admin } from "@sonde/testing/api";
import { newcomerStory, watchPageErrors } from "./support/newcomer.ts";
import { type Product, startProduct } from "@sonde/testing/product";
import { violationsOf } from "./support/quality.ts";
import { openPage } from "./support/shared.ts";
import { startTarget, type Target } from "@sonde/testing/target";

// The newcomer's dashboard must be empty, so this needs an installation of its own.
let product: Product;
let target: Target;
beforeAll(async () => {
  target = await startTarget();
  product = await startProduct({ MONITOR_MIN_INTERVAL_SECONDS: "2" });
});
afterAll(async () => {
  await product?.remove();
  await target?.stop();
});

test("the first user registers, adds a monitor, and sees it fail and recover without a reload, in Chinese", async () => {
  const page = await openPage({ locale: "zh-CN" });
  const errors = watchPageErrors(page);
  const story = { url: product.url, locale: "zh-CN", username: admin.username, target, intervalSeconds: 2 } as const;
  expect(await newcomerStory(page, story)).toBe(1);
  expect(target.hits()).toBeGreaterThan(0);
  for (const path of ["/", "/nowhere"]) {
    await page.goto(product.url + path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    expect(await violationsOf(page), path).toEqual([]);
  }
  // The refused login is logged with its label; there are no other errors.
  expect(errors()).toEqual(["Login failed 401"]);
  await page.context().close();
});
