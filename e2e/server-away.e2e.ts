import { expect, test } from "vitest";
import { startForwarder } from "./support/forwarder.ts";
import { settled, violationsOf } from "./support/quality.ts";
import { openPage, useInstallation } from "./support/shared.ts";
import { startTarget } from "@sonde/testing/target";

const patienceMs = 60_000;
const count = 5;
const away = "Can't reach the Sonde server";

test("a server that is away takes no row off the list of monitors, is named, and is followed again once it is back", async ({
  onTestFinished,
}) => {
  const target = await startTarget();
  onTestFinished(() => target.stop());
  const { url, api, session } = await useInstallation("default");
  // To the browser it is the server: what it does is what a stop does, and others go on.
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

  // It is away: the rows stay, also once asking for them again has failed, and the server is named.
  await server.stop();
  await lost.waitFor({ timeout: patienceMs });
  expect(await rows.count()).toBe(count);
  await main.getByText(away).first().waitFor({ timeout: patienceMs });
  expect(await rows.count()).toBe(count);
  expect(await page.getByText(/offline/i).count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);

  // So it is on a page that was not opened before, and the list is as it was.
  await menu.getByRole("link", { name: "Agent Monitors" }).click();
  await page.waitForURL(/\/agents$/);
  await main.getByText(away).first().waitFor({ timeout: patienceMs });
  expect(await page.getByText("You're offline").count()).toBe(0);
  await page.goBack();
  await page.waitForURL(/\/monitors\?search=Away$/);
  await expect.poll(() => rows.count()).toBe(count);

  // It is back: the notices go, and what happens is on screen, all without a reload.
  await server.start();
  await lost.waitFor({ state: "detached", timeout: patienceMs });
  await main.getByText(away).first().waitFor({ state: "detached", timeout: patienceMs });
  target.break();
  await expect.poll(() => inState("Down").count(), { timeout: patienceMs }).toBe(count);
  expect(await page.evaluate("window.isFirstPage")).toBe(true);
});
