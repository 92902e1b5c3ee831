import { channelOf } from "@sonde/notifier/channels";
import { message } from "@sonde/notifier/testing/messages";
import { type StandIn, startStandIn } from "@sonde/notifier/testing/stand-ins";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Installation, openContext, useInstallation } from "./support/shared.ts";

const patience = { timeout: 60_000, interval: 250 };

let sonde: Installation;
let slack: StandIn<"slack">;
let context: BrowserContext;
let page: Page;
let incident: { id: string; acknowledgeUrl: string };

beforeAll(async () => {
  [sonde, slack] = await Promise.all([useInstallation("public"), startStandIn("slack")]);
  context = await openContext({}, sonde.session);
  await context.grantPermissions(["notifications"], { origin: sonde.url });
  page = await context.newPage();
  incident = await openIncident();
});
afterAll(() => slack?.stop());

/** Opens an incident, and reads its signed link from the message. */
async function openIncident() {
  const { api } = sonde;
  const channel = { name: "push: ops", type: "slack", config: slack.config };
  const made = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", channel);
  const down = { name: "push: down", type: "tcp", host: "127.0.0.1", port: 1, retries: 0, paused: true };
  const { monitor } = await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", down);
  const settings = { channels: [made.channel.id] };
  await api.send("PUT", `/api/notifications/settings/monitor/${monitor.id}`, settings);
  await api.send("POST", `/api/monitors/${monitor.id}/resume`);
  return vi.waitFor(async () => {
    const path = `/api/incidents?target=monitor:${monitor.id}`;
    const [opened] = (await api.get<{ incidents: Incident[] }>(path)).incidents;
    const [acknowledgeUrl] = slack.accepted.flatMap(
      ({ text }) => /https?:[^"|>\s]*acknowledge\?token=[\w.-]+/.exec(text) ?? [],
    );
    if (opened === undefined || acknowledgeUrl === undefined) throw new Error("No incident message has arrived yet");
    return { id: opened.id, acknowledgeUrl };
  }, patience);
}

/** Delivers what the notifier sends to this browser, as its push service would after decryption. */
async function push(data: string): Promise<void> {
  const session = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) =>
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(sonde.url));
      if (own !== undefined) resolve(own.registrationId);
    }),
  );
  await session.send("ServiceWorker.enable");
  await session.send("ServiceWorker.deliverPushMessage", { origin: sonde.url, registrationId: await registered, data });
}

const shown = (): Promise<unknown> =>
  page.evaluate(`navigator.serviceWorker.ready
    .then((registration) => registration.getNotifications())
    .then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))`);

/** No tool can press a notification's button. */
const press = (action: string) => `registration.getNotifications().then(([notification]) => {
  dispatchEvent(new NotificationEvent("notificationclick", { notification, action: "${action}" }));
})`;

test("a notification's button acknowledges the incident, without opening Sonde", async () => {
  await page.goto(`${sonde.url}/profile`);
  expect(context.serviceWorkers()).toHaveLength(0);
  // As "Enable on this device" does, which also needs the internet for a subscription.
  await page.evaluate(
    `navigator.serviceWorker.register("/push-worker.js").then(() => navigator.serviceWorker.ready.then(() => null))`,
  );
  const alert = { ...message(), acknowledgeUrl: incident.acknowledgeUrl, openIncidents: 1 };
  await push(channelOf("web-push").compose(alert, {} as never, undefined));
  await expect.poll(shown).toEqual([{ title: "Shop API is down", body: "The connection was refused", tag: "m42" }]);

  const [worker] = context.serviceWorkers();
  await worker!.evaluate(press("acknowledge"));
  const read = async () => (await sonde.api.get<{ incident: Incident }>(`/api/incidents/${incident.id}`)).incident;
  await expect.poll(async () => (await read()).acknowledgedBy).toBe("push: ops");
  await expect.poll(shown).toEqual([{ title: "Acknowledged", body: "Shop API is down", tag: "m42" }]);
});
