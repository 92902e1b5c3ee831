import type { ManagedBy } from "@sonde/proto/http/config/managed";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, historyPeriod, monitor, viewer } from "../../testing/fixtures.ts";
import { serveChannels, telegram, template } from "../../testing/notifications.ts";
import { notificationSettings } from "../../testing/settings.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";
import { statusConfig, serveTargets } from "../../testing/status-page.ts";

const by = (...fields: string[]): ManagedBy => ({ source: "prod-git", key: "shop", place: "sonde.yaml:12", fields });
const reason = "Managed by prod-git, at sonde.yaml:12";
const isLocked = (control: HTMLElement) => control.closest("fieldset[disabled]") !== null;
const locks = (...names: (string | RegExp)[]) =>
  names.map((name) => isLocked(screen.getAllByLabelText(name)[0] as HTMLElement));

const serveMonitor = (managed: ManagedBy | undefined) => {
  const owned = { ...monitor, managed };
  on("get", "/monitors/7", () => ok({ monitor: owned as never }));
  on("get", "/monitors/7/history", () => ok({ range: "24h", step: 300, buckets: [], ...historyPeriod }));
  on("get", "/monitors", () => ok({ monitors: [owned as never], total: 1 }));
};

async function openForm() {
  const app = await renderScreen("/monitors/edit/7", { as: admin });
  await screen.findByRole("heading", { name: "Edit monitor" });
  await screen.findByLabelText(/^URL/);
  const details = screen.getByText("Advanced").closest("details");
  if (details?.open !== true) await app.user.click(screen.getByText("Advanced"));
  return app;
}

describe("a managed monitor", () => {
  beforeEach(() => serveMonitor(by("url", "dependsOn", "tags", "headers", "followRedirects")));

  it("locks its managed fields with the reason and leaves others editable", async () => {
    await openForm();
    expect(locks(/^URL/, "Depends on", "Tags", "Header name 1", /^Follow redirects/)).toEqual(Array(5).fill(true));
    expect(locks(/^Name/, /^Interval/, "Retries before down", "Note", /^Verify/)).toEqual(Array(5).fill(false));
    const url = screen.getByLabelText(/^URL/).closest("fieldset");
    expect(within(url!).getByText(reason).tagName).toBe("LEGEND");
    expect(
      screen.getByText("Edit locked fields in the source's files and all others here.", { exact: false }),
    ).toBeTruthy();
  });

  it("saves its editable fields", async () => {
    let sent: unknown;
    on("put", "/monitors/7", async ({ request }) => {
      sent = await request.json();
      return ok({ monitor: monitor as never }, "Monitor updated");
    });
    const { user } = await openForm();
    await user.clear(screen.getByLabelText(/^Name/));
    await user.type(screen.getByLabelText(/^Name/), "Our shop");
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    await waitFor(() => expect(sent).toMatchObject({ name: "Our shop", url: monitor.url, tags: ["shop"] }));
  });

  it("is released after a confirmation; input stays, and all fields become editable", async () => {
    const released: string[] = [];
    on("delete", "/sources/:source/objects/:kind/:key", ({ request }) => {
      released.push(new URL(request.url).pathname);
      return ok({}, "Source released");
    });
    const { user } = await openForm();
    await user.type(screen.getByLabelText(/^Name/), " too");
    await user.click(screen.getByRole("button", { name: "Release" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Release this from prod-git?" }));
    expect(dialog.getByText(/fails with a conflict unless the entry has adopt: true/)).toBeTruthy();
    serveMonitor(undefined);
    await user.click(dialog.getByRole("button", { name: "Release" }));
    await waitFor(() => expect(locks(/^URL/, "Depends on", "Tags")).toEqual([false, false, false]));
    expect(released).toEqual(["/api/sources/prod-git/objects/monitor/shop"]);
    expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("Shop API too");
    expect(screen.queryByRole("button", { name: "Release" })).toBeNull();
  });

  it("shows in the dialog why it could not be released", async () => {
    on("delete", "/sources/:source/objects/:kind/:key", () => fail(503, "unavailable", "The monitors service is away"));
    const { user } = await openForm();
    await user.click(screen.getByRole("button", { name: "Release" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Release" }));
    expect(await dialog.findByText("The monitors service is away")).toBeTruthy();
    expect(locks(/^URL/)).toEqual([true]);
  });

  it("shows its source on its page, where it can be paused but not deleted", async () => {
    await renderScreen("/monitors/7", { as: admin });
    expect((await screen.findByText("from prod-git")).closest("[title]")?.getAttribute("title")).toBe(reason);
    expect(screen.getByText("sonde.yaml:12")).toBeTruthy();
    const remove = screen.getByRole<HTMLButtonElement>("button", { name: "Delete" });
    expect([remove.disabled, remove.title]).toEqual([true, reason]);
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Pause" }).disabled).toBe(false);
  });

  it("cannot be paused if the source manages that field", async () => {
    serveMonitor(by("paused"));
    await renderScreen("/monitors/7", { as: admin });
    const pause = await screen.findByRole<HTMLButtonElement>("button", { name: "Pause" });
    expect([pause.disabled, pause.title]).toEqual([true, reason]);
  });

  it("shows its source in the list, and in the disabled delete action", async () => {
    const { user } = await renderScreen("/monitors", { as: admin });
    const link = await screen.findByRole("link", { name: "Shop API" });
    expect(link.title).toBe(`Shop API\n${monitor.target}\n${reason}`);
    await user.click(screen.getByRole("button", { name: "Actions: Shop API" }));
    const remove = await screen.findByRole("menuitem", { name: `Delete${reason}` });
    expect(remove.getAttribute("aria-disabled")).toBe("true");
    expect(screen.getByRole("menuitem", { name: "Pause" }).getAttribute("aria-disabled")).toBeNull();
  });

  it("shows why a bulk deletion rejected it", async () => {
    const message = "Shop API is managed by prod-git";
    on("post", "/monitors/bulk", () => ok({ done: [], failed: [{ id: 7, message }] }));
    const { user } = await renderScreen("/monitors", { as: admin });
    await user.click(await screen.findByRole("checkbox", { name: "Select Shop API" }));
    await user.click(await screen.findByRole("button", { name: "Delete" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText(new RegExp(`1 couldn't be changed: ${message}`))).toBeTruthy();
  });
});

it("an unmanaged monitor shows no source", async () => {
  serveMonitor(undefined);
  await openForm();
  expect(locks(/^URL/, /^Name/)).toEqual([false, false]);
  expect(screen.queryByRole("button", { name: "Release" })).toBeNull();
});

describe("other managed objects", () => {
  beforeEach(() => {
    on("get", "/silences", () => ok({ silences: [] }));
    on("post", "/notifications/templates/preview", () => ok({ preview: { subject: "", content: "" } }));
  });

  it("lock a channel's card and form", async () => {
    serveChannels([{ ...telegram, managed: by("type", "botToken", "enabled") }]);
    const { router } = await renderScreen("/notifications", { as: admin });
    expect(await screen.findByText("from prod-git")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Delete: On call" }).title).toBe(reason);
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: /On call/ }).disabled).toBe(true);
    await router.navigate("/notifications/channels/edit/1");
    await screen.findByLabelText(/^Chat ID/);
    expect(locks(/^Bot token/, /^Enabled/, /^Chat ID/, /^Name/)).toEqual([true, true, false, false]);
  });

  it("lock a template's row and form, without variables for a locked text", async () => {
    on("get", "/notifications/templates", () =>
      ok({ templates: [{ ...template, managed: by("kind", "content") }] as never }),
    );
    const { router } = await renderScreen("/notifications/templates", { as: admin });
    expect(await screen.findByText("from prod-git")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Delete: Short" }).disabled).toBe(true);
    await router.navigate("/notifications/templates/edit/5");
    await screen.findByLabelText(/^Content/);
    expect(locks(/^Content/, /^Subject/, /^Name/)).toEqual([true, false, false]);
    expect(screen.queryByRole("group", { name: "Variables" })).toBeNull();
  });

  it("lock global and own notification settings by the documents' field names", async () => {
    const managed = { globalMonitor: by("template", "quietHours"), monitors: { "7": by("channels") } };
    const own = { ...notificationSettings.globalMonitor, channels: [1] };
    serveMonitor(by("url"));
    serveChannels([telegram]);
    on("get", "/notifications/templates", () => ok({ templates: [] }));
    on("get", "/notifications/settings", () => ok({ ...notificationSettings, monitors: { "7": own }, managed }));
    const { router } = await renderScreen("/notifications/settings", { as: admin });
    const ofMonitors = within(await screen.findByRole("form", { name: /monitors/i }));
    expect(isLocked(ofMonitors.getByLabelText(/^Defer messages during quiet hours/))).toBe(true);
    expect(isLocked(ofMonitors.getByLabelText(/^Template/))).toBe(true);
    expect(isLocked(ofMonitors.getByLabelText(/On call/))).toBe(false);
    expect(screen.getByRole<HTMLButtonElement>("button", { name: /^Delete: / }).disabled).toBe(true);
    await router.navigate("/notifications/settings/monitor/7");
    await screen.findByText(reason, { selector: "p span" });
    await waitFor(() => expect(isLocked(screen.getByLabelText(/On call/))).toBe(true));
    await router.navigate("/monitors/edit/7");
    await waitFor(() => expect(isLocked(screen.getByRole("radio", { name: "Custom channels" }))).toBe(true));
  });

  it("lock a maintenance window's row and form", async () => {
    const window = {
      id: 4,
      name: "Weekly",
      note: "",
      monitors: [7],
      agents: [],
      start: "2099-03-29T00:00:00.000Z",
      end: "2099-03-29T02:00:00.000Z",
      timeZone: "UTC",
      rrule: "FREQ=WEEKLY",
      public: true,
      status: "scheduled",
      tags: [],
      next: { start: "2099-03-29T00:00:00.000Z", end: "2099-03-29T02:00:00.000Z" },
      upcoming: [{ start: "2099-03-29T00:00:00.000Z", end: "2099-03-29T02:00:00.000Z" }],
      createdAt: "2026-01-02T09:00:00.000Z",
      updatedAt: "2026-01-02T09:00:00.000Z",
      managed: by("targets", "rrule", "start"),
    };
    serveMonitor(undefined);
    on("get", "/maintenance", ({ request }) =>
      ok({ maintenance: request.url.includes("scheduled") ? [window] : [], total: 1 }),
    );
    on("get", "/maintenance/4", () => ok({ maintenance: window }));
    on("get", "/monitors/tags", () => ok({ tags: [], more: false }));
    on("get", "/agents/tags", () => ok({ tags: [] }));
    const { router } = await renderScreen("/maintenance", { as: admin });
    expect(await screen.findByText("from prod-git")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Delete: Weekly" }).title).toBe(reason);
    await router.navigate("/maintenance?window=4");
    await screen.findByLabelText("Does not repeat");
    expect(locks(/^Does not repeat/, /^Start/, /^End/, /^Name/)).toEqual([true, true, false, false]);
    expect(isLocked(screen.getByRole("combobox", { name: /^Covers/ }))).toBe(true);
  });

  it("lock order and theme of the public page as a whole", async () => {
    serveTargets();
    const managed = by("monitors", "theme");
    on("get", "/status/config", () =>
      ok({ config: statusConfig, publicUrl: "https://up.example/status", managed } as never),
    );
    await renderScreen("/status/config", { as: admin });
    const form = within(await screen.findByRole("form", { name: "Status page configuration" }));
    await form.findByText("Shop API");
    expect(isLocked(form.getByRole("radio", { name: "Dark" }))).toBe(true);
    expect(isLocked(form.getByLabelText("Name on the page: pay-eu-1"))).toBe(true);
    expect(form.queryByRole("button", { name: /^Move Shop API/ })).toBeNull();
    expect(isLocked(form.getByRole("textbox", { name: "Title" }))).toBe(false);
    expect(screen.getByText(reason, { selector: "p span" })).toBeTruthy();
  });

  it("cannot be released by a viewer", async () => {
    on("get", "/auth/me", () => ok({ user: viewer }));
    on("get", "/notifications/templates", () => ok({ templates: [{ ...template, managed: by("kind") }] as never }));
    await renderScreen("/notifications/templates/edit/5", { as: viewer });
    expect(await screen.findByText(reason, { selector: "p span" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Release" })).toBeNull();
  });
});
