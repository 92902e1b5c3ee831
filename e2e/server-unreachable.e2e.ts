import { expect, test } from "vitest";
import { startForwarder } from "@sonde/testing/forwarder";
import { settled, violationsOf } from "./support/quality.ts";
import { openPage, useInstallation } from "./support/shared.ts";
import { startTarget } from "@sonde/testing/target";

const patienceMs = 60_000;
const count = 5;
const unreachable = "Can't reach the Sonde server";

test("while the server is unreachable the list keeps its rows and says so, and it updates again afterwards", async ({
  onTestFinished,
}) => {
  const target = await startTarget();
  onTestFinished(() => target.stop());
  const { url, api, session } = await useInstallation("default");
  // The browser reaches Sonde only through this forwarder, so stopping it does not affect other tests.
  const server = await startForwarder(url);
  onTestFinished(() => server.stop());
  for (let index = 1; index <= count; index++) {
    const monitor = { name: `Away ${index}`, url: target.url, interval: 2 / 60, timeout: 1, retries: 0 };
    await api.send("POST", "/api/monitors", monitor);
  }
  const page = await openPage({}, session);
  const main = page.getByRole("main");
  const rows = main.getByRole("row", { name: /Away \d/ });
  const inState = (state: string) => rows.filter({ has: page.locator("[data-state]:visible", { hasText: state }) });
  const lost = page.getByRole("status").filter({ hasText: "Connection lost" });
  const menu = page.getByRole("navigation", { name: "Main" });
  await page.goto(`${server.url}/monitors?search=Away`);
  await settled(page);
  await expect.poll(() => inState("Up").count(), { timeout: patienceMs }).toBe(count);
  await page.evaluate("window.isFirstPage = true");

  // The server is unreachable: the rows stay, even after a failed refetch, and the page explains why.
  await server.stop();
  await lost.waitFor({ timeout: patienceMs });
  expect(await rows.count()).toBe(count);
  await main.getByText(unreachable).first().waitFor({ timeout: patienceMs });
  expect(await rows.count()).toBe(count);
  expect(await page.getByText(/offline/i).count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);

  // A page that was not opened before explains it too, and the list is unchanged.
  await menu.getByRole("link", { name: "Agent Monitors" }).click();
  await page.waitForURL(/\/agents$/);
  await main.getByText(unreachable).first().waitFor({ timeout: patienceMs });
  expect(await page.getByText("You're offline").count()).toBe(0);
  await page.goBack();
  await page.waitForURL(/\/monitors\?search=Away$/);
  await expect.poll(() => rows.count()).toBe(count);

  // The server is reachable again: the notices disappear and updates appear without a reload.
  await server.start();
  await lost.waitFor({ state: "detached", timeout: patienceMs });
  await main.getByText(unreachable).first().waitFor({ state: "detached", timeout: patienceMs });
  target.break();
  await expect.poll(() => inState("Down").count(), { timeout: patienceMs }).toBe(count);
  expect(await page.evaluate("window.isFirstPage")).toBe(true);
});
