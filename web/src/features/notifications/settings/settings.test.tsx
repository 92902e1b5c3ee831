import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { changeLanguage } from "../../../app/i18n.ts";
import { formatTime } from "../../../lib/format.ts";
import { admin, agent, monitor, viewer } from "../../../testing/fixtures.ts";
import {
  brokenSlack,
  monitorSettings,
  serveChannels,
  serveSettings,
  telegram,
  template,
} from "../../../testing/notifications.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

beforeEach(() => {
  serveChannels([telegram, brokenSlack]);
  on("get", "/notifications/templates", () => ok({ templates: [template] } as never));
  on("get", "/monitors/7", () => ok({ monitor } as never));
  on("get", "/agents/3", () => ok({ agent } as never));
});
const formOf = async (name: string) => within(await screen.findByRole("form", { name }));
async function open(as = admin) {
  const app = await renderScreen("/notifications/settings", { as });
  const monitors = await formOf("All monitors");
  const agents = await formOf("All agents");
  await monitors.findAllByRole("checkbox", { name: /On call/ });
  return { ...app, monitors, agents };
}

describe("the global settings", () => {
  it("show channels, events, thresholds and the reminder", async () => {
    serveSettings();
    const { monitors, agents } = await open();
    expect(monitors.getByRole<HTMLInputElement>("checkbox", { name: /On call/ }).checked).toBe(true);
    expect(monitors.getByRole("checkbox", { name: /Ops room.*rejected by its provider/ })).toBeTruthy();
    expect(monitors.getByText(/^Sent every 30 min until the incident ends or is acknowledged\.$/)).toBeTruthy();
    expect(agents.getByLabelText<HTMLInputElement>("Memory threshold in percent").value).toBe("85");
    expect(agents.getByRole<HTMLInputElement>("checkbox", { name: "Notify about Disk" }).checked).toBe(false);
    expect(agents.getByText("off")).toBeTruthy();
    expect(agents.getByText("No channel selected, so no alerts are sent.")).toBeTruthy();
  });

  it("show when the next reminder is due, and for what", async () => {
    const at = new Date(Date.now() + 1000).toISOString();
    serveSettings({ nextReminder: { incidentId: "m3", target: { type: "monitor", id: 7, name: "Shop API" }, at } });
    const { monitors, agents } = await open();
    expect(monitors.getByText(/^Next at/).textContent).toContain(formatTime(at, "en-US"));
    expect(monitors.getByRole("link", { name: "Shop API" }).getAttribute("href")).toBe("/incidents/m3");
    expect(agents.queryByText(/^Next at/)).toBeNull();
  });

  it("are saved completely, and accept durations in common notations", async () => {
    const sent = serveSettings();
    const { agents, user } = await open();
    await user.click(agents.getByRole("checkbox", { name: /On call/ }));
    await user.click(agents.getByRole("checkbox", { name: "Agent comes back online" }));
    await user.click(agents.getByRole("checkbox", { name: "Notify about Disk" }));
    const disk = agents.getByLabelText("Disk threshold in percent");
    await user.clear(disk);
    await user.type(disk, "95.5");
    const interval = agents.getByLabelText("Reminder interval");
    await user.clear(interval);
    await user.type(interval, "2h");
    expect(agents.getByText(/^Sent every 2 hr until/)).toBeTruthy();
    await user.selectOptions(agents.getByLabelText("Message language"), "zh-CN");
    await user.click(agents.getByRole("button", { name: "Save settings" }));
    expect(await agents.findByText("Notification settings saved")).toBeTruthy();
    expect(sent).toEqual([
      {
        path: "global-agent",
        body: {
          enabled: true,
          channels: [1],
          events: { offline: true, online: false },
          thresholds: { cpu: 90, memory: 85, disk: 95.5 },
          cooldownMinutes: 120,
          quietHours: null,
          language: "zh-CN",
          templateId: null,
          policyId: null,
        },
      },
    ]);
  });

  it("propose the user's language unless messages are already sent in another", async () => {
    const sent = serveSettings();
    const { monitors, agents, user } = await open();
    const languageIn = (form: typeof agents) => form.getByLabelText<HTMLSelectElement>("Message language");
    expect([languageIn(monitors).value, languageIn(agents).value]).toEqual(["zh-CN", "en-US"]);
    await user.click(agents.getByRole("checkbox", { name: /On call/ }));
    await user.click(agents.getByRole("button", { name: "Save settings" }));
    await waitFor(() => expect(sent[0]?.body).toMatchObject({ channels: [1], language: "en-US" }));
  });

  it("use the browser's time zone for quiet hours by default", async () => {
    const sent = serveSettings();
    const { monitors, user } = await open();
    await user.click(monitors.getByRole("checkbox", { name: /^Defer messages/ }));
    const zone = monitors.getByLabelText<HTMLInputElement>("Time zone");
    expect(zone.value).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(monitors.getByText("Until 07:00 of the next day")).toBeTruthy();
    await user.clear(zone);
    await user.type(zone, "nowhere");
    await user.tab();
    expect(zone.value).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
    await user.clear(zone);
    await user.type(zone, "asia/tokyo");
    await user.click(monitors.getByRole("button", { name: "Save settings" }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]?.body).toMatchObject({ quietHours: { start: "22:00", end: "07:00", timeZone: "Asia/Tokyo" } });
  });

  it("have rules by tag, in an order that can be changed, and name the one that applies to a monitor", async () => {
    const rules = [{ tags: ["shop"], channels: [telegram.id] }];
    on("get", "/on-call/policies", () =>
      ok({ policies: [{ id: 3, name: "Night", steps: [], repeat: 0 }], total: 1 } as never),
    );
    const sent = serveSettings({ globalMonitor: { ...monitorSettings, rules } });
    const tagged = { ...monitor, tags: ["critical", "shop"] };
    on("get", "/monitors/7", () => ok({ monitor: tagged } as never));
    on("get", "/monitors", () => ok({ monitors: [tagged], total: 1 } as never));
    const { monitors, user } = await open();
    await user.click(monitors.getByLabelText("Who is notified?"));
    await user.click(await monitors.findByRole("option", { name: /Shop API/ }));
    expect(await monitors.findByText("Uses rule 1 (shop) of the settings for all monitors.")).toBeTruthy();
    await user.click(monitors.getByRole("button", { name: "Add rule" }));
    const second = within(monitors.getByRole("listitem", { name: "Rule 2" }));
    await user.type(second.getByLabelText("Tags"), "critical，prod");
    await user.click(monitors.getByRole("button", { name: "Move rule 2 up" }));
    expect(await monitors.findByText("Nobody is notified.")).toBeTruthy();
    await user.click(monitors.getByRole("button", { name: "Save settings" }));
    expect((await monitors.findAllByRole("alert")).length).toBeGreaterThan(0);
    expect(sent).toEqual([]);
    const first = within(monitors.getByRole("listitem", { name: "Rule 1" }));
    await user.click(first.getByRole("checkbox", { name: /Ops room/ }));
    await user.selectOptions(first.getByRole("combobox", { name: "If nobody acknowledges" }), "Night");
    expect(await monitors.findByText("Uses rule 1 (critical, prod) of the settings for all monitors.")).toBeTruthy();
    await user.click(monitors.getByRole("button", { name: "Save settings" }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]?.body).toMatchObject({
      rules: [{ tags: ["critical", "prod"], channels: [brokenSlack.id], policyId: 3 }, rules[0]],
    });
    await user.click(monitors.getByRole("button", { name: "Remove rule 2" }));
    await user.click(monitors.getByRole("button", { name: "Remove rule 1" }));
    await user.click(monitors.getByRole("button", { name: "Save settings" }));
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]?.body).not.toHaveProperty("rules");
  }, 30_000);

  it("offer only templates of their own kinds", async () => {
    const sent = serveSettings();
    const { monitors, agents, user } = await open();
    await monitors.findByRole("option", { name: "Short · Down" });
    await user.selectOptions(monitors.getByLabelText("Template"), "Short · Down");
    expect(within(agents.getByLabelText("Template")).queryByText("Short · Down")).toBeNull();
    await user.click(monitors.getByRole("button", { name: "Save settings" }));
    await waitFor(() => expect(sent[0]?.body).toMatchObject({ templateId: 5 }));
  });

  it.each([
    ["a threshold above 100", "CPU threshold in percent", "101", "The number is too large (maximum 100)"],
    [
      "a reminder that is not a duration",
      "Reminder interval",
      "often",
      "Enter minutes or a duration such as 45m or 2h",
    ],
    ["a monthly reminder", "Reminder interval", "30d", "The number is too large (maximum 10080)"],
  ])("reject %s next to its field", async (_what, label, text, words) => {
    const sent = serveSettings();
    const { agents, user } = await open();
    const field = agents.getByLabelText(label);
    await user.clear(field);
    await user.type(field, text);
    await user.click(agents.getByRole("button", { name: "Save settings" }));
    const note = await agents.findByText(words);
    expect(field.getAttribute("aria-describedby")).toBe(note.id);
    expect(sent).toEqual([]);
  });

  it.each([
    ["the fallback", () => new HttpResponse(null, { status: 500 }), "Failed to save notification settings"],
    [
      "the server's error of a field",
      () =>
        fail(422, "impossible", "The request is not valid", [
          { path: "channels", message: "Notification channel does not exist" },
        ]),
      "Notification channel does not exist",
    ],
  ])("show %s and keep the input", async (_what, answer, words) => {
    serveSettings();
    on("put", "/notifications/settings/*", answer);
    const { monitors, user } = await open();
    await user.click(monitors.getByRole("checkbox", { name: "Monitor recovers" }));
    await user.click(monitors.getByRole("button", { name: "Save settings" }));
    expect(await monitors.findByText(words)).toBeTruthy();
    expect(monitors.getByRole<HTMLInputElement>("checkbox", { name: "Monitor recovers" }).checked).toBe(false);
  });

  it("warn before another tab discards unsaved changes", async () => {
    serveSettings();
    const { monitors, user, path } = await open();
    await user.click(monitors.getByRole("checkbox", { name: "Monitor recovers" }));
    await user.click(screen.getByRole("tab", { name: "Templates" }));
    expect((await screen.findByRole("dialog")).textContent).toContain("Leave without saving?");
    await user.click(screen.getByRole("button", { name: "Stay" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(path()).toBe("/notifications/settings");
    expect(screen.getByRole("tab", { name: "Settings" }).getAttribute("aria-selected")).toBe("true");
  });

  it("offer a retry if they cannot be loaded", async () => {
    on("get", "/notifications/settings", () => new HttpResponse(null, { status: 500 }));
    const { user } = await renderScreen("/notifications/settings", { as: admin });
    expect(await screen.findByText("Failed to fetch data")).toBeTruthy();
    serveSettings();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await formOf("All monitors")).toBeTruthy();
  });

  it("translate their errors when the language changes", async () => {
    serveSettings();
    const { monitors, user } = await open();
    const interval = monitors.getByLabelText("Reminder interval");
    await user.clear(interval);
    await user.type(interval, "often");
    await user.click(monitors.getByRole("button", { name: "Save settings" }));
    await monitors.findByText("Enter minutes or a duration such as 45m or 2h");
    await act(() => changeLanguage("zh-CN"));
    expect(await screen.findByText("请填写分钟数，或 45m、2h 这样的时长")).toBeTruthy();
  });

  it("are read-only for viewers", async () => {
    serveSettings();
    const { monitors } = await open(viewer);
    expect(monitors.getByRole<HTMLInputElement>("checkbox", { name: /^Send notifications/ }).matches(":disabled")).toBe(
      true,
    );
    expect(monitors.queryByRole("button", { name: "Save settings" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Add override" })).toBeNull();
  });
});

describe("own settings", () => {
  const own = { ...monitorSettings, channels: [1, 2], cooldownMinutes: 0 };

  it("are listed with names and a summary, also for deleted targets", async () => {
    on("get", "/monitors/12", () => fail(404, "not_found", "Monitor does not exist"));
    serveSettings({ monitors: { 7: own, 12: own } });
    await open();
    const row = (await screen.findByRole("link", { name: "Shop API" })).closest("li") as HTMLElement;
    expect(row.textContent).toContain("2 channels · no reminders");
    expect(await screen.findByRole("link", { name: "Monitor 12 (not found)" })).toBeTruthy();
  });

  it("are added for a target selected by name", async () => {
    serveSettings();
    const asked: (string | null)[] = [];
    on("get", "/monitors", ({ request }) => {
      asked.push(new URL(request.url).searchParams.get("search"));
      return ok({ monitors: [monitor], total: 1 } as never);
    });
    on("get", "/agents", () => ok({ agents: [agent], total: 1 } as never));
    const { user, path } = await open();
    await user.click(screen.getByRole("button", { name: "Add override" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.type(dialog.getByLabelText("Monitor or agent"), "web");
    await waitFor(() => expect(asked).toContain("web"));
    await user.click(await dialog.findByRole("option", { name: /^web-1/ }));
    await waitFor(() => expect(path()).toBe("/notifications/settings/agent/3"));
  });

  it("start with the global ones, and are created by saving, changed or not", async () => {
    const sent = serveSettings();
    const { user } = await renderScreen("/notifications/settings/monitor/7", { as: admin });
    const form = await formOf("Shop API");
    expect(form.getByText(/^Currently uses the global settings/)).toBeTruthy();
    await form.findByRole("checkbox", { name: /On call/ });
    await user.click(form.getByRole("button", { name: "Save override" }));
    expect(await form.findByText(/^Uses an override/)).toBeTruthy();
    expect(sent).toMatchObject([{ path: "monitor/7", body: { channels: [1], cooldownMinutes: 30 } }]);
  });

  it("of an agent include thresholds", async () => {
    serveSettings();
    await renderScreen("/notifications/settings/agent/3", { as: admin });
    const form = await formOf("web-1");
    expect(form.getByLabelText<HTMLInputElement>("CPU threshold in percent").value).toBe("90");
  });

  it("are removed after a confirmation", async () => {
    const sent = serveSettings({ monitors: { 7: own } });
    const { user } = await renderScreen("/notifications/settings/monitor/7", { as: admin });
    const form = await formOf("Shop API");
    await user.click(form.getByRole("button", { name: "Remove override" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Remove override" }));
    expect(await screen.findByText("Override removed")).toBeTruthy();
    expect(await screen.findByText(/^Currently uses the global settings/)).toBeTruthy();
    expect(sent).toEqual([{ path: "monitor/7", body: null }]);
  });

  it.each([
    ["monitor", "Monitor does not exist"],
    ["agent", "Agent not found"],
  ])("of a deleted %s report that", async (type, words) => {
    serveSettings();
    on("get", `/${type}s/9`, () => fail(404, "not_found", "Agent with ID 9 not found"));
    await renderScreen(`/notifications/settings/${type}/9`, { as: admin });
    expect((await screen.findByRole("alert")).textContent).toBe(words);
  });
});
