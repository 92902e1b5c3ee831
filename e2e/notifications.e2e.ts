import { type StandIn, startStandIn } from "@sonde/notifier/testing/stand-ins";
import { type ChannelTypeName, channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Api } from "@sonde/testing/api";
import { addChannel, uiTexts, useAllChannels } from "./support/notifications.ts";
import { violationsOf } from "./support/quality.ts";
import { type Reporting, startReporting } from "./support/reporting-agent.ts";
import { type Installation, openPage, useInstallation } from "./support/shared.ts";
import { startTarget, type Target } from "@sonde/testing/target";

/** Checks run every two seconds, and an alert may be delayed by ten seconds to be grouped. */
const notifiedMs = 60_000;

let sonde: Installation;
let api: Api;
let page: Page;
let target: Target;
let agent: Reporting | undefined;
let channels: number[];
const providers = new Map<ChannelTypeName, StandIn>();

beforeAll(async () => {
  for (const type of channelTypeNames) providers.set(type, await startStandIn(type));
  [sonde, target] = await Promise.all([useInstallation("default"), startTarget()]);
  ({ api } = sonde);
  page = await openPage({}, sonde.session);
});

afterAll(async () => {
  agent?.stop();
  await Promise.all([target?.stop(), ...[...providers.values()].map((provider) => provider.stop())]);
});

/** Returns a function that returns the number of messages per provider since this call. */
function counting() {
  const before = new Map([...providers].map(([type, { accepted }]) => [type, accepted.length]));
  return () =>
    Object.fromEntries([...providers].map(([type, { accepted }]) => [type, accepted.length - (before.get(type) ?? 0)]));
}
const each = (count: number) => Object.fromEntries(channelTypeNames.map((type) => [type, count]));
const incidentsOf = async (monitor: number) =>
  (await api.get<{ incidents: Incident[] }>(`/api/incidents?target=monitor:${monitor}`)).incidents;
const deliveries = async () =>
  (await api.get<{ deliveries: Delivery[] }>("/api/notifications/deliveries?pageSize=200")).deliveries.filter(
    ({ channelId }) => channels.includes(channelId),
  );
async function addChannelByApi(type: ChannelTypeName, config: object): Promise<void> {
  const { channel } = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", {
    name: uiTexts.nameOf(type),
    type,
    config,
  });
  await api.send("POST", `/api/notifications/channels/${channel.id}/test`);
}

const pending = async () => (await deliveries()).filter(({ status }) => status === "pending");

/** Added with their forms, which have different kinds of fields. Unit tests of the web app cover every form. */
const byForm: readonly ChannelTypeName[] = ["pagerduty", "smtp", "telegram", "webhook"];

test("a channel of each type is added, and its test is delivered", async () => {
  const tested = counting();
  for (const type of channelTypeNames) {
    const { config } = providers.get(type)!;
    if (byForm.includes(type)) await addChannel(page, sonde.url, type, config);
    else await addChannelByApi(type, config);
  }
  // A test opens an alert at PagerDuty and resolves it at once.
  expect(tested()).toEqual({ ...each(1), pagerduty: 2 });
  expect(await violationsOf(page)).toEqual([]);
  const names = new Set<string>(channelTypeNames.map(uiTexts.nameOf));
  const { channels: all } = await api.get<{ channels: { id: number; name: string }[] }>("/api/notifications/channels");
  channels = all.filter(({ name }) => names.has(name)).map(({ id }) => id);
  expect(channels).toHaveLength(channelTypeNames.length);
});

test("a monitor that goes down and up sends exactly one message each", async () => {
  const { monitor } = await api.send<{ monitor: Monitor }>("POST", "/api/monitors", {
    name: "Notified shop",
    url: target.url,
    interval: 2 / 60,
    timeout: 1,
  });
  await useAllChannels(page, sonde.url, `monitor/${monitor.id}`);
  const notified = counting();
  target.break();
  await expect.poll(notified, { timeout: notifiedMs }).toEqual(each(1));
  target.heal();
  await expect.poll(notified, { timeout: notifiedMs }).toEqual(each(2));
  await expect.poll(pending, { timeout: notifiedMs }).toEqual([]);
  expect(notified()).toEqual(each(2));

  // The incident's page lists every channel.
  const [incident] = await incidentsOf(monitor.id);
  expect(incident).toMatchObject({ kind: "down", resolution: "recovered" });
  await page.goto(`${sonde.url}/incidents/${incident?.id}`);
  await page
    .getByRole("heading", { name: /Notified shop/ })
    .first()
    .waitFor();
  for (const type of channelTypeNames) await page.getByText(uiTexts.nameOf(type)).first().waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

test("an agent whose disk fills and empties sends exactly one message each", async () => {
  agent = await startReporting(sonde.url, api, "notified-db-1", 60);
  const { agents } = await api.get<{ agents: { id: number; name: string }[] }>("/api/agents?search=notified-db-1");
  await useAllChannels(page, sonde.url, `agent/${agents[0]?.id}`);
  const notified = counting();
  agent.fillDisk(97);
  await expect.poll(notified, { timeout: notifiedMs }).toEqual(each(1));
  agent.fillDisk(60);
  await expect.poll(notified, { timeout: notifiedMs }).toEqual(each(2));
  await expect.poll(pending, { timeout: notifiedMs }).toEqual([]);
  expect(notified()).toEqual(each(2));
  expect((await deliveries()).filter(({ status }) => status !== "delivered")).toEqual([]);
});

test("a provider that rejects messages permanently breaks only its own channel, visibly", async () => {
  const slack = providers.get("slack")!;
  slack.answerNext({ status: 404, body: "no_service" });
  const notified = counting();
  target.break();
  await expect.poll(notified, { timeout: notifiedMs }).toEqual({ ...each(1), slack: 0 });
  await page.goto(`${sonde.url}/notifications`);
  await page.getByText("no_service").first().waitFor();
  await page.getByText(uiTexts.broken).first().waitFor();
  target.heal();
  await expect.poll(notified, { timeout: notifiedMs }).toEqual({ ...each(2), slack: 0 });
});
