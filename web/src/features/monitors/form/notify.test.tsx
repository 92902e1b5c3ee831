import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, expect, it } from "vitest";
import { admin, historyPeriod, monitor } from "../../../testing/fixtures.ts";
import {
  brokenSlack,
  monitorSettings,
  serveChannels,
  serveSettings,
  telegram,
} from "../../../testing/notifications.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";

let saved: string[];

beforeEach(() => {
  saved = [];
  on("get", "/monitors/7", () => ok({ monitor }));
  on("get", "/monitors/7/history", () => ok({ range: "24h", step: 300, buckets: [], ...historyPeriod }));
  on("post", "/monitors", () => {
    saved.push("created");
    return ok({ monitor }, "Monitor created");
  });
  on("put", "/monitors/7", () => {
    saved.push("updated");
    return ok({ monitor }, "Monitor updated");
  });
  serveChannels([telegram, brokenSlack]);
});

async function open(address: string) {
  const app = await renderScreen(address, { as: admin });
  const heading = await screen.findByRole("heading", { level: 2, name: "Who is notified" });
  const card = within(heading.closest("section") as HTMLElement);
  await card.findByRole("radio", { name: "Use global" });
  const save = async () =>
    app.user.click(await screen.findByRole("button", { name: /^(Create monitor|Save changes)$/ }));
  return { ...app, card, save };
}
const isOn = (box: HTMLElement) => (box as HTMLInputElement).checked;

it("a new monitor uses the global settings, which are listed, without another request", async () => {
  const settings = serveSettings();
  const { card, user, path, save } = await open("/monitors/create");
  expect(isOn(card.getByRole("radio", { name: "Use global" }))).toBe(true);
  expect(await card.findByText("On call")).toBeTruthy();
  await user.type(screen.getByLabelText(/^URL/), "shop.example");
  await save();
  await waitFor(() => expect(path()).toBe("/monitors/7"));
  expect(settings).toEqual([]);
});

it("reports that nobody would be notified", async () => {
  serveSettings({ globalMonitor: { ...monitorSettings, channels: [] } });
  const { card } = await open("/monitors/create");
  expect(await card.findByText(/No channel: no alerts are sent/)).toBeTruthy();
});

it("own channels start from the global ones and are saved with the monitor", async () => {
  const settings = serveSettings();
  const { card, user, path, save } = await open("/monitors/create");
  await user.type(screen.getByLabelText(/^URL/), "shop.example");
  await user.click(card.getByRole("radio", { name: "Custom channels" }));
  expect(isOn(await card.findByRole("checkbox", { name: /On call/ }))).toBe(true);
  await user.click(card.getByRole("checkbox", { name: /Ops room/ }));
  await save();
  await waitFor(() => expect(path()).toBe("/monitors/7"));
  expect(settings).toEqual([{ path: "monitor/7", body: { ...monitorSettings, channels: [1, 2] } }]);
});

it("reports that only the monitor was saved, keeps the choice, and creates no second monitor", async () => {
  serveSettings();
  on("put", "/notifications/settings/*", () => new HttpResponse(null, { status: 500 }));
  const { card, user, path, save } = await open("/monitors/create");
  await user.type(screen.getByLabelText(/^URL/), "shop.example");
  await user.click(card.getByRole("radio", { name: "Custom channels" }));
  await save();
  expect(await screen.findByText(/^The monitor was saved, but its notification settings weren't:/)).toBeTruthy();
  expect(path()).toBe("/monitors/create");
  expect(isOn(card.getByRole("radio", { name: "Custom channels" }))).toBe(true);
  const settings = serveSettings();
  await save();
  await waitFor(() => expect(path()).toBe("/monitors/7"));
  expect(saved).toEqual(["created", "updated"]);
  expect(settings).toMatchObject([{ path: "monitor/7", body: { channels: [1] } }]);
});

it("an override is shown, keeps its other settings, and is removed when the global ones are selected", async () => {
  const own = { ...monitorSettings, channels: [2], cooldownMinutes: 0 };
  const settings = serveSettings({ monitors: { 7: own } });
  const { card, user, path, save, unmount } = await open("/monitors/edit/7");
  await waitFor(() => expect(isOn(card.getByRole("radio", { name: "Custom channels" }))).toBe(true));
  expect(isOn(await card.findByRole("checkbox", { name: /Ops room/ }))).toBe(true);
  await user.click(card.getByRole("checkbox", { name: /On call/ }));
  await save();
  await waitFor(() => expect(path()).toBe("/monitors/7"));
  expect(settings).toEqual([{ path: "monitor/7", body: { ...own, channels: [2, 1] } }]);
  unmount();
  const again = await open("/monitors/edit/7");
  await waitFor(() => expect(isOn(again.card.getByRole("radio", { name: "Custom channels" }))).toBe(true));
  await again.user.click(again.card.getByRole("radio", { name: "Use global" }));
  await again.save();
  await waitFor(() => expect(settings.at(-1)).toEqual({ path: "monitor/7", body: null }));
});

it("a clone has the channels of its original", async () => {
  const settings = serveSettings({ monitors: { 7: { ...monitorSettings, channels: [2] } } });
  on("get", "/monitors/8", () => ok({ monitor: { ...monitor, id: 8 } }));
  on("post", "/monitors", () => ok({ monitor: { ...monitor, id: 8 } }, "Monitor created"));
  const { card, path, save } = await open("/monitors/create?clone=7");
  await waitFor(() => expect(isOn(card.getByRole("radio", { name: "Custom channels" }))).toBe(true));
  await save();
  await waitFor(() => expect(path()).toBe("/monitors/8"));
  expect(settings).toEqual([{ path: "monitor/8", body: { ...monitorSettings, channels: [2] } }]);
});

it("the monitor can be saved while notifications are unavailable", async () => {
  on("get", "/notifications/settings", () => new HttpResponse(null, { status: 503 }));
  const { user, path } = await renderScreen("/monitors/create", { as: admin });
  await user.type(await screen.findByLabelText(/^URL/), "shop.example");
  await user.click(screen.getByRole("button", { name: "Create monitor" }));
  await waitFor(() => expect(path()).toBe("/monitors/7"));
});
