import { startStandIn } from "@sonde/notifier/testing/stand-ins";
import type { Incident, TimelineEntry } from "@sonde/proto/http/incidents/incidents";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { admin } from "@sonde/testing/api";
import { logIn } from "@sonde/testing/browser";
import { publicUrl } from "./support/installations.ts";
import { overflowOf, settled, violationsOf, watchErrors } from "./support/quality.ts";
import { openPage, useInstallation } from "./support/shared.ts";
import { startTarget } from "@sonde/testing/target";

const patienceMs = 60_000;
const view = { width: 390, height: 844 };

type Message = { title: string; click: string };
type Channel = { channel: { id: number } };

test("at night: an incident is acknowledged by a message's link, inspected after login, and silenced from a phone in two taps", async ({
  onTestFinished,
}) => {
  const [target, ntfy] = await Promise.all([startTarget(), startStandIn("ntfy")]);
  onTestFinished(async () => void (await Promise.all([target.stop(), ntfy.stop()])));
  const { url: origin, api } = await useInstallation("public");
  const onCall = { name: "On call", type: "ntfy", config: ntfy.config };
  const { channel } = await api.send<Channel>("POST", "/api/notifications/channels", onCall);
  const settings = { channels: [channel.id], language: "en-US" };
  const shop = { name: "Night shop", url: target.url, interval: 2 / 60, timeout: 1, retries: 0 };
  const runbook = "Restart the **till** first.";
  const { monitor } = await api.send<{ monitor: Monitor }>("POST", "/api/monitors", { ...shop, note: runbook });
  await api.send("PUT", `/api/notifications/settings/monitor/${monitor.id}`, settings);
  const messages = () => ntfy.accepted.map(({ json }) => json as Message);
  const openIncidents = async () =>
    (await api.get<{ incidents: Incident[] }>(`/api/incidents?open=true&target=monitor:${monitor.id}`)).incidents;
  const silences = async () =>
    (await api.get<{ silences: { target: { id: number } }[] }>("/api/silences")).silences.filter(
      ({ target: { id } }) => id === monitor.id,
    );
  const statusOfShop = async () => (await api.get<{ monitor: Monitor }>(`/api/monitors/${monitor.id}`)).monitor.status;
  await expect.poll(statusOfShop, { timeout: patienceMs }).toBe("up");

  target.break();
  await expect.poll(() => messages().length, { timeout: patienceMs }).toBe(1);
  const link = messages()[0]?.click ?? "no link";

  // Without a login, its link shows the problem and the runbook, and asks for a name.
  const page = await openPage(view);
  const errors = watchErrors(page);
  const main = page.getByRole("main");
  const isSound = async () => {
    expect(await violationsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  };
  await page.goto(link.replace(publicUrl, origin));
  await main.getByText("Ongoing").waitFor();
  await main.getByText(/500/).first().waitFor();
  expect(await main.getByText("till", { exact: true }).innerText()).toBe("till");
  await isSound();
  expect(await openIncidents()).toMatchObject([{ target: { name: "Night shop" } }]);
  await main.getByText("Add your name or a note").click();
  await main.getByRole("textbox", { name: /^Your name/ }).fill("Grace");
  await main.getByRole("button", { name: "I've got it" }).click();
  await main.getByText("Acknowledged. No more reminders will be sent.").waitFor();
  const [incident] = await openIncidents();
  expect(incident).toMatchObject({ acknowledgedBy: "Grace (On call)" });

  // The link to the incident goes through the login.
  await main.getByRole("link", { name: "Log in to view incident" }).click();
  await page.waitForURL(/\/login$/);
  await logIn(page, admin);
  await page.waitForURL(`**/incidents/${incident?.id}`);
  await page.getByRole("heading", { name: "Night shop is down" }).waitFor();
  await main.getByText("Acknowledged by Grace (On call)").first().waitFor();

  // The evidence shows the response to the check.
  const evidence = main.locator("section").filter({ has: page.getByRole("heading", { name: "Evidence" }) });
  await evidence.getByText(/\b500 Internal Server Error$/).waitFor({ timeout: patienceMs });
  await evidence.getByText('{"ok":false}').waitFor();
  await settled(page);
  await isSound();

  // Two taps on visible controls silence the monitor for an hour.
  let taps = 0;
  async function tap(what: Locator) {
    await what.waitFor();
    const box = await what.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect((box?.y ?? Infinity) + (box?.height ?? Infinity)).toBeLessThanOrEqual(view.height);
    taps += 1;
    await what.click();
  }
  await tap(main.getByRole("button", { name: "Silence" }));
  await tap(page.getByRole("menuitem", { name: "1 hour" }));
  await page.getByText("Night shop is silenced for 1 hour").waitFor();
  expect(taps).toBe(2);
  await main.getByText(/^Silenced until/).waitFor();
  expect(await silences()).toMatchObject([{ target: { type: "monitor", id: monitor.id }, createdBy: admin.username }]);
  await isSound();

  // The recovery ends the incident. While silenced, another failure sends no message.
  target.heal();
  await main.getByText("Recovered").first().waitFor({ timeout: patienceMs });
  await expect.poll(() => messages().length, { timeout: patienceMs }).toBe(2);
  target.break();
  await expect.poll(async () => (await openIncidents()).length, { timeout: patienceMs }).toBe(1);
  const [again] = await openIncidents();
  const reasons = async () =>
    (await api.get<{ timeline: TimelineEntry[] }>(`/api/incidents/${again?.id}`)).timeline.map(({ reason }) => reason);
  await expect.poll(reasons, { timeout: patienceMs }).toContain("silenced");
  expect(messages()).toHaveLength(2);

  // The monitor's page ends the silence, and the deferred alert is sent.
  await main.getByRole("link", { name: "Night shop", exact: true }).click();
  await page.waitForURL(`**/monitors/${monitor.id}`);
  await main.getByRole("button", { name: "End silence" }).click();
  await page.getByText("Silence ended").waitFor();
  await main.getByText(/^Silenced until/).waitFor({ state: "detached" });
  expect(await silences()).toEqual([]);
  await expect.poll(() => messages().length, { timeout: patienceMs }).toBe(3);
  expect(messages()[2]?.title).toContain("Night shop");
  expect(errors()).toEqual([]);
});
