import { fakeSite } from "@sonde/gateway/testing/fake-site";
import { startTestApp, type TestApp } from "@sonde/gateway/testing/test-app";
import { afterAll, beforeAll, expect, test } from "vitest";
import { overflowOf, violationsOf, watchErrors } from "../support/quality.ts";
import { openPage } from "../support/shared.ts";

const site = await fakeSite();
// The page depends only on the gateway's routes, so fakes suffice.
let app: TestApp;
beforeAll(async () => void (app = await startTestApp({ site })));
afterAll(() => app?.stop());

/** Violations of Swagger UI: it skips a heading level, nests buttons and puts its title outside main. */
const ofSwaggerUi = /^(?:heading-order|nested-interactive): .*class="opblock|^region: <h1 class="title"/;

test("the API reference works on a phone in dark mode", async () => {
  const page = await openPage({ locale: "zh-CN", colorScheme: "dark", width: 390 });
  const errors = watchErrors(page);
  await page.goto(`${app.url}/api/docs`);
  // The header is a row only if the style sheets loaded.
  await page.getByRole("heading", { name: "Sonde" }).waitFor();
  expect(await page.evaluate('getComputedStyle(document.querySelector("header")).display')).toBe("flex");
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect((await violationsOf(page)).filter((violation) => !ofSwaggerUi.test(violation))).toEqual([]);
  // Collapse a group, then find an operation by part of its path and expand it.
  await page.locator("#operations-tag-monitors").getByRole("button").click();
  await page.getByPlaceholder("Filter by tag or path").fill("monitors/bulk");
  await page.locator("#operations-monitors-getMonitors").waitFor({ state: "detached" });
  await page.locator("#operations-monitors-postMonitorsBulk").getByRole("button", { expanded: false }).first().click();
  await page.getByRole("button", { name: "Execute" }).waitFor();
  expect(new URL(page.url()).hash).toBe("#/monitors/postMonitorsBulk");
  await page.getByRole("button", { name: "Copy as curl" }).click();
  const command = await page.getByRole("textbox", { name: "Copied to the clipboard" }).inputValue();
  expect(command).toContain(`'POST'`);
  expect(command).toContain(`${app.url}/api/monitors/bulk`);
  expect(command).toContain("Authorization: Bearer TOKEN");
  expect(command).toContain('"action"');
  expect(app.fakes.calls.map(({ method }) => method)).not.toContain("bulkMonitors");
  expect(errors()).toEqual([]);
  await page.context().close();
});
