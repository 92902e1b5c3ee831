import { afterAll, beforeAll, expect, test } from "vitest";
import { admin, apiOf, firstAdmin } from "@sonde/testing/api";
import { type Browser, logIn, openBrowser } from "@sonde/testing/browser";
import { type Product, startProduct } from "@sonde/testing/product";
import { overflowOf, violationsOf } from "./support/quality.ts";

let product: Product;
let browser: Browser;

beforeAll(async () => {
  product = await startProduct();
  await firstAdmin(product.url);
  browser = await openBrowser({ width: 390 });
});
afterAll(async () => {
  await browser?.close();
  await product?.remove();
});

test("a key is made on a phone, does what its scope says and no more, and ends everywhere when it is revoked", async () => {
  const page = browser.context.pages()[0] ?? (await browser.context.newPage());
  await page.goto(`${product.url}/login`);
  await logIn(page, admin);
  await page.waitForURL(/\/dashboard/);
  await page.goto(`${product.url}/profile`);
  await page.getByRole("button", { name: "Add key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Name/).fill("CI");
  await dialog.getByRole("checkbox", { name: /^monitors/ }).check();
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("Shown only once").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  const secret = await dialog.getByText(/^sonde_\w+$/).textContent();
  await dialog.getByRole("button", { name: "Done" }).click();

  const key = apiOf(product.url, secret!);
  await key.send("POST", "/api/monitors", { name: "by a key", url: "https://example.com" });
  expect(await key.get("/api/monitors")).toMatchObject({ total: 1 });
  await expect(key.send("POST", "/api/silences", { minutes: 5 })).rejects.toThrow(/403.*lacks the scope incidents/);
  await expect(key.get("/api/users")).rejects.toThrow(/403.*cannot be done with an API key/);
  const headers = { authorization: `Bearer ${secret}` };
  const stream = await fetch(`${product.url}/api/events`, { headers });
  expect(stream.status).toBe(200);

  await page.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("No API keys yet.").waitFor();
  await expect(key.get("/api/monitors")).rejects.toThrow(/401/);
  // It ends the open stream, too.
  for await (const _ of stream.body!) void 0;
  expect(await violationsOf(page)).toEqual([]);
});
