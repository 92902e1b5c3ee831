import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, agent, historyPeriod, monitor, viewer } from "../../../testing/fixtures.ts";
import { notificationSettings } from "../../../testing/settings.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const mailer = { ...monitor, id: 8, name: "Mailer" };
let sent: { dependsOn?: unknown; note?: unknown } | undefined;
let searched: (string | null)[];

beforeEach(() => {
  sent = undefined;
  searched = [];
  on("get", "/monitors/7", () => ok({ monitor }));
  on("get", "/monitors/8", () => ok({ monitor: mailer }));
  on("get", "/agents/3", () => ok({ agent: agent as never }));
  on("get", "/monitors/7/history", () => ok({ range: "24h", step: 300, buckets: [], ...historyPeriod }));
  on("get", "/monitors", ({ request }) => {
    searched.push(new URL(request.url).searchParams.get("search"));
    return ok({ monitors: [monitor, mailer], total: 2 });
  });
  on("get", "/agents", () => ok({ agents: [agent as never], total: 1 }));
  on("put", "/monitors/7", async ({ request }) => {
    sent = (await request.json()) as typeof sent;
    return ok({ monitor }, "Monitor updated");
  });
});

const stored = (change: Partial<Monitor>) => on("get", "/monitors/7", () => ok({ monitor: { ...monitor, ...change } }));

async function openForm() {
  const app = await renderScreen("/monitors/edit/7", { as: admin });
  await screen.findByRole("heading", { name: "Edit monitor" });
  const details = (await screen.findByText("Advanced")).closest("details");
  if (details?.open !== true) await app.user.click(screen.getByText("Advanced"));
  const field = await screen.findByRole<HTMLInputElement>("combobox", { name: "Depends on" });
  const save = async () => app.user.click(await screen.findByRole("button", { name: "Save changes" }));
  return { ...app, field, save };
}
const optionNames = () =>
  within(screen.getByRole("listbox"))
    .queryAllByRole("option")
    .map(({ textContent }) => textContent);

describe("dependencies in the monitor form", () => {
  it("are found by keyboard among monitors and agents, without the monitor itself", async () => {
    const { user, field, save } = await openForm();
    await user.type(field, "web");
    await waitFor(() => expect(searched.at(-1)).toBe("web"));
    // The mock server returns both for any search.
    await waitFor(() =>
      expect(optionNames()).toEqual([expect.stringMatching(/^Mailer/), expect.stringMatching(/^web-1/)]),
    );
    const list = within(screen.getByRole("listbox"));
    expect(field.getAttribute("aria-activedescendant")).toBe(list.getByRole("option", { selected: true }).id);
    await user.keyboard("{ArrowDown}{Enter}");
    expect(await screen.findByRole("button", { name: "Remove web-1" })).toBeTruthy();
    expect(screen.queryByRole("listbox")).toBeNull();
    await user.type(field, "mail");
    await waitFor(() => expect(optionNames()).toEqual([expect.stringContaining("Mailer")]));
    await user.keyboard("{Enter}");
    await save();
    await waitFor(() =>
      expect(sent?.dependsOn).toEqual([
        { type: "agent", id: 3 },
        { type: "monitor", id: 8 },
      ]),
    );
  });

  it("are shown by name and can be removed", async () => {
    stored({
      dependsOn: [
        { type: "agent", id: 3 },
        { type: "monitor", id: 8 },
      ],
    });
    const { user, field, save } = await openForm();
    await user.click(await screen.findByRole("button", { name: "Remove web-1" }));
    await waitFor(() => expect(document.activeElement).toBe(field));
    await save();
    await waitFor(() => expect(sent?.dependsOn).toEqual([{ type: "monitor", id: 8 }]));
  });

  it("expand the section if there are any; Escape closes only the list", async () => {
    stored({ dependsOn: [{ type: "monitor", id: 8 }] });
    const { user, field } = await openForm();
    expect(field.closest("details")?.open).toBe(true);
    await user.click(field);
    expect(await screen.findByRole("option", { name: /web-1/ })).toBeTruthy();
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("listbox")).toBeNull();
    expect(field.getAttribute("aria-expanded")).toBe("false");
  });

  it("offer agents while monitors cannot be searched, and report if neither can", async () => {
    on("get", "/monitors", () => fail(503, "unavailable", "The monitors service is currently unavailable"));
    const { user, field } = await openForm();
    await user.click(field);
    expect(await screen.findByRole("option", { name: /web-1/ })).toBeTruthy();
    on("get", "/agents", () => fail(503, "unavailable"));
    await user.type(field, "x");
    expect((await screen.findAllByText("The monitors service is currently unavailable")).length).toBeGreaterThan(0);
  });

  it.each([
    ["dependsOn", "They would form a circle: Shop API, Mailer"],
    ["dependsOn.0", "Agent does not exist"],
  ])("show the server's error of %s next to it", async (path, message) => {
    stored({ dependsOn: [{ type: "monitor", id: 8 }] });
    on("put", "/monitors/7", () => fail(400, "invalid", "The request is not valid", [{ path, message }]));
    const { field, save } = await openForm();
    await save();
    const note = await screen.findByText(message);
    expect(field.getAttribute("aria-describedby")).toBe(note.id);
    expect(field.getAttribute("aria-invalid")).toBe("true");
  });

  it("are next to the note", async () => {
    stored({ note: "Call ops" });
    const { user, save } = await openForm();
    const note = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Note" });
    expect(note.value).toBe("Call ops");
    await user.type(note, " now");
    await save();
    await waitFor(() => expect(sent?.note).toBe("Call ops now"));
  });
});

describe("notifications on the monitor page", () => {
  async function open(as = admin) {
    await renderScreen("/monitors/7", { as });
    const heading = await screen.findByRole("heading", { level: 2, name: "Notifications" });
    return within(heading.closest("section") as HTMLElement);
  }

  it("describe the global ones unless the monitor has its own", async () => {
    on("get", "/notifications/settings", () =>
      ok({ ...notificationSettings, globalMonitor: { ...notificationSettings.globalMonitor, channels: [1, 2] } }),
    );
    on("get", "/notifications/channels", () =>
      ok({
        channels: [
          { id: 1, name: "On-call", enabled: true, healthy: true },
          { id: 2, name: "Mail", enabled: true, healthy: false, refusal: { at: "2026-01-02T10:00:00Z", answer: "no" } },
        ],
      }),
    );
    const card = await open();
    expect(await card.findByText("Uses the settings for all monitors.")).toBeTruthy();
    expect(await card.findByText("On-call")).toBeTruthy();
    expect(card.getByText(/rejected by its provider/).closest("li")?.textContent).toContain("Mail");
    expect(card.getByText("down, recovery, external alerts, error budgets")).toBeTruthy();
    expect(card.getByText("Every 30 min until it ends or is acknowledged")).toBeTruthy();
    expect(card.getByRole("link", { name: "Override" }).getAttribute("href")).toBe("/notifications/settings/monitor/7");
  });

  it("describe the monitor's own, and state plainly if nobody is notified", async () => {
    const own = { enabled: true, channels: [], events: { down: true, recovery: false }, cooldownMinutes: 0 };
    const quietHours = { start: "22:00", end: "07:00", timeZone: "Europe/Berlin" };
    on("get", "/notifications/settings", () =>
      ok({ ...notificationSettings, monitors: { "7": { ...own, quietHours } } }),
    );
    const card = await open();
    expect(await card.findByText("Uses an override.")).toBeTruthy();
    const nobody = card.getByText("Nobody is notified.").closest("p") as HTMLElement;
    expect(within(nobody).getByRole("link").getAttribute("href")).toBe("/notifications/settings/monitor/7");
    expect(card.getByText("No channel: no alerts are sent")).toBeTruthy();
    expect(card.getByText("22:00–07:00 (Europe/Berlin)")).toBeTruthy();
    expect(card.getByRole("link", { name: "Edit override" })).toBeTruthy();
  });

  it("report that they are disabled, and are read-only for viewers", async () => {
    on("get", "/auth/me", () => ok({ user: viewer }));
    on("get", "/notifications/settings", () =>
      ok({ ...notificationSettings, globalMonitor: { ...notificationSettings.globalMonitor, enabled: false } }),
    );
    const card = await open(viewer);
    expect(await card.findByText(/Off: no alerts are sent\./)).toBeTruthy();
    expect(card.getByText("Nobody is notified.")).toBeTruthy();
    expect(card.getAllByRole("link", { name: "View settings" }).map((link) => link.getAttribute("href"))).toEqual([
      "/notifications/settings/monitor/7",
      "/notifications/settings",
    ]);
  });

  it("list dependencies with their state, including deleted ones, while notifications are unavailable", async () => {
    stored({
      dependsOn: [
        { type: "agent", id: 3 },
        { type: "monitor", id: 99 },
      ],
    });
    on("get", "/monitors/99", () => fail(404, "not_found", "Monitor does not exist"));
    on("get", "/notifications/settings", () =>
      fail(503, "unavailable", "The notifier service is currently unavailable"),
    );
    const card = await open();
    expect((await card.findByRole("link", { name: "web-1" })).getAttribute("href")).toBe("/agents/3");
    expect(card.getByText("Online")).toBeTruthy();
    expect(await card.findByText("Monitor 99 (deleted)")).toBeTruthy();
    expect(card.getByText("The notifier service is currently unavailable")).toBeTruthy();
  });

  it("are below the note, whose Markdown is rendered without images and HTML", async () => {
    stored({
      note: "# Runbook\n- see [wiki](https://wiki.example/)\n- <b>no</b> ![x](https://evil.example/x.png)\n- [bad](javascript:alert(1))",
    });
    await open();
    const heading = await screen.findByRole("heading", { level: 2, name: "Note" });
    const note = within(heading.closest("section") as HTMLElement);
    const link = await note.findByRole("link", { name: "wiki" });
    expect([link.getAttribute("href"), link.getAttribute("rel")]).toEqual([
      "https://wiki.example/",
      "noopener noreferrer nofollow",
    ]);
    expect(note.queryByRole("img")).toBeNull();
    expect(heading.closest("section")?.querySelector("b, img, script")).toBeNull();
    expect(note.getByText(/bad/).closest("a")).toBeNull();
    expect(note.queryByRole("heading", { name: "Runbook" })).toBeNull();
  });
});
