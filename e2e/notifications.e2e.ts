import { type StandIn, startStandIn } from "@sonde/notifier/testing/stand-ins";
import { type ChannelTypeName, channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { type Browser, openBrowser } from "@sonde/testing/browser";
import { addChannel, say, useEverywhere } from "./support/notifications.ts";
import { type Product, startProduct } from "@sonde/testing/product";
import { violationsOf } from "./support/quality.ts";
import { type Reporting, startReporting } from "./support/reporting-agent.ts";
import { startTarget, type Target } from "@sonde/testing/target";

/** A check comes every two seconds, and an alert within ten of the one before waits for them. */
const toldMs = 60_000;

let product: Product;
let browser: Browser;
let page: Page;
let api: Api;
let target: Target;
let agent: Reporting;
const providers = new Map<ChannelTypeName, StandIn>();

beforeAll(async () => {
  for (const type of channelTypeNames) providers.set(type, await startStandIn(type));
  [product, browser, target] = await Promise.all([
    startProduct({ MONITOR_MIN_INTERVAL_SECONDS: "2" }),
    openBrowser(),
    startTarget(),
  ]);
  const { api: hers, token } = await firstAdmin(product.url);
  api = hers;
  const { user } = await api.get<{ user: unknown }>("/api/auth/me");
  await browser.context.addInitScript(
    (entries) => {
      for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
    },
    { token, user: JSON.stringify(user) },
  );
  page = await browser.context.newPage();
});

afterAll(async () => {
  agent?.stop();
  await browser?.close();
  await product?.remove();
  await Promise.all([target?.stop(), ...[...providers.values()].map((provider) => provider.stop())]);
});

/** How many messages each provider took since the counting began. */
function counting() {
  const before = new Map([...providers].map(([type, { accepted }]) => [type, accepted.length]));
  return () =>
    Object.fromEntries([...providers].map(([type, { accepted }]) => [type, accepted.length - (before.get(type) ?? 0)]));
}
const each = (count: number) => Object.fromEntries(channelTypeNames.map((type) => [type, count]));
const incidents = async () => (await api.get<{ incidents: Incident[] }>("/api/incidents?pageSize=200")).incidents;
const deliveries = async (query = "") =>
  (await api.get<{ deliveries: Delivery[] }>(`/api/notifications/deliveries?pageSize=200${query}`)).deliveries;
async function nothingWaits(): Promise<void> {
  await expect.poll(async () => (await deliveries("&status=pending")).length, { timeout: toldMs }).toBe(0);
}

describe("alerts, set up in the browser alone", () => {
  test("each type of channel is added by its form, and its test is delivered", { timeout: 300_000 }, async () => {
    const tested = counting();
    for (const type of channelTypeNames) await addChannel(page, product.url, type, providers.get(type)!.config);
    // An alert that a test opens at PagerDuty is resolved at once.
    expect(tested()).toEqual({ ...each(1), pagerduty: 2 });
    expect(await violationsOf(page)).toEqual([]);
    await useEverywhere(page, product.url);
    const { globalMonitor, globalAgent } =
      await api.get<Record<string, { channels: number[] }>>("/api/notifications/settings");
    expect(globalMonitor?.channels).toHaveLength(channelTypeNames.length);
    expect(globalAgent?.channels).toHaveLength(channelTypeNames.length);
  });

  test(
    "an endpoint that goes down and comes back makes exactly one message each, whatever is killed in between",
    {
      timeout: 300_000,
    },
    async () => {
      const { monitor } = await api.send<{ monitor: Monitor }>("POST", "/api/monitors", {
        name: "Shop",
        url: target.url,
        interval: 2 / 60,
        timeout: 1,
      });
      const told = counting();
      target.break();
      await expect.poll(told, { timeout: toldMs }).toEqual(each(1));

      // Between its down and its recovery everything dies at once.
      await product.killAndStart();
      target.heal();
      await expect.poll(told, { timeout: toldMs }).toEqual(each(2));
      await nothingWaits();
      expect(told()).toEqual(each(2));

      // The page of the incident says so of every channel.
      const [incident] = await incidents();
      expect(incident).toMatchObject({ target: { id: monitor.id }, kind: "down", resolution: "recovered" });
      await page.goto(`${product.url}/incidents/${incident?.id}`);
      await page.getByRole("heading", { name: /Shop/ }).first().waitFor();
      for (const type of channelTypeNames) await page.getByText(say.nameOf(type)).first().waitFor();
      expect(await violationsOf(page)).toEqual([]);
    },
  );

  test("an agent whose disk fills does the same", { timeout: 300_000 }, async () => {
    agent = await startReporting(product.url, api, "db-1", 60);
    const told = counting();
    agent.fillDisk(97);
    await expect.poll(told, { timeout: toldMs }).toEqual(each(1));
    await product.killAndStart();
    agent.fillDisk(60);
    await expect.poll(told, { timeout: toldMs }).toEqual(each(2));
    await nothingWaits();
    expect(told()).toEqual(each(2));
    expect((await deliveries()).filter(({ status }) => status !== "delivered")).toEqual([]);
  });

  test(
    "a provider that refuses for good breaks its own channel, visibly, and no other",
    { timeout: 180_000 },
    async () => {
      const slack = providers.get("slack")!;
      slack.answerNext({ status: 404, body: "no_service" });
      const told = counting();
      target.break();
      await expect.poll(told, { timeout: toldMs }).toEqual({ ...each(1), slack: 0 });
      await page.goto(`${product.url}/notifications`);
      await page.getByText("no_service").first().waitFor();
      await page.getByText(say.broken).first().waitFor();
      target.heal();
      await expect.poll(told, { timeout: toldMs }).toEqual({ ...each(2), slack: 0 });
    },
  );
});
