import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { admin, monitor, monitors } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { telegram } from "../../../testing/notifications.ts";
import { notificationSettings } from "../../../testing/settings.ts";
import { fail, ok, on } from "../../../testing/server.ts";

let sent: unknown[];
let settings: Record<string, unknown>;
/** Edits that undo another, as returned by the server. */
let undo: { ids: number[]; changes: object }[];

beforeEach(() => {
  undo = [];
  sent = [];
  settings = {};
  on("get", "/monitors", () => ok({ monitors: [monitor, { ...monitors.tls, id: 8, name: "Mailer" }], total: 2 }));
  on("get", "/notifications/channels", () => ok({ channels: [telegram] }));
  on("get", "/locations", () => ok({ locations: ["eu", "us"].map((name) => ({ name, runners: 1, monitors: 1 })) }));
  on("post", "/monitors/bulk", async ({ request }) => {
    const body = (await request.json()) as { ids: number[] };
    sent.push(body);
    return ok({ done: body.ids, failed: [], undo });
  });
  on("delete", "/notifications/settings/monitor/:id", ({ params }) => {
    delete settings[String(params["id"])];
    return ok({}, "Settings removed");
  });
  on("put", "/notifications/settings/monitor/:id", async ({ request, params }) => {
    settings[String(params["id"])] = await request.json();
    return ok({ settings: notificationSettings.globalMonitor });
  });
});

async function open() {
  const { user } = await renderScreen("/monitors", { as: admin });
  await screen.findByRole("link", { name: "Shop API" });
  await user.click(screen.getByRole("checkbox", { name: "Select all on this page" }));
  await user.click(await screen.findByRole("button", { name: "Edit" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Edit 2 monitors" }));
  return { user, dialog, save: () => user.click(dialog.getByRole("button", { name: "Save changes" })) };
}

it("changes tags, interval and locations of the selection, and ignores empty fields", async () => {
  const { user, dialog, save } = await open();
  expect(document.activeElement).toBe(dialog.getByLabelText("Interval"));
  expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Save changes" }).disabled).toBe(true);
  await user.type(dialog.getByLabelText("Add tags"), "eu, tier-1");
  await user.type(dialog.getByLabelText("Interval"), "90s");
  await user.click(dialog.getByRole("checkbox", { name: "us" }));
  await save();
  expect(await screen.findByText("2 monitors changed")).toBeTruthy();
  const changes = { addTags: ["eu", "tier-1"], interval: 1.5, locations: ["us"] };
  expect(sent).toEqual([{ ids: [7, 8], action: "edit", changes }]);
  expect(settings).toEqual({});
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("sets the selected channels of each monitor, with the global settings otherwise", async () => {
  const { user, dialog, save } = await open();
  await user.click(await dialog.findByRole("checkbox", { name: telegram.name }));
  await save();
  await screen.findByText("2 monitors changed");
  const wanted = { ...notificationSettings.globalMonitor, channels: [telegram.id] };
  expect(settings).toEqual({ 7: wanted, 8: wanted });
  expect(sent).toEqual([]);
});

it("is undone in the toast: each monitor gets back its values and channels", async () => {
  undo = [
    { ids: [7], changes: { removeTags: ["eu"], interval: 1 } },
    { ids: [8], changes: { interval: 60 } },
  ];
  const { user, dialog, save } = await open();
  await user.type(dialog.getByLabelText("Add tags"), "eu");
  await user.click(await dialog.findByRole("checkbox", { name: telegram.name }));
  await save();
  await screen.findByText("2 monitors changed");
  expect(Object.keys(settings)).toEqual(["7", "8"]);
  sent = [];
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect(await screen.findByText("Undone")).toBeTruthy();
  expect(sent).toEqual(undo.map((each) => ({ ...each, action: "edit" })));
  expect(settings).toEqual({});
});

it("does not send an unreadable interval, and shows the server's errors", async () => {
  const { user, dialog, save } = await open();
  await user.type(dialog.getByLabelText("Interval"), "often");
  expect(dialog.getByText("Enter a duration such as 5, 90s or 2h")).toBeTruthy();
  await save();
  expect(sent).toEqual([]);
  await user.clear(dialog.getByLabelText("Interval"));
  await user.type(dialog.getByLabelText("Remove tags"), "shop");
  on("post", "/monitors/bulk", () => fail(503, "unavailable", "The monitors service is currently unavailable"));
  await save();
  await waitFor(() => expect(dialog.getByRole("alert").textContent).toMatch(/currently unavailable/));
});
