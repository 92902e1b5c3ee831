import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { rememberPage } from "../../app/keyboard/recent-pages.ts";
import { admin, agent, dashboard, incident, monitor, viewer } from "../../testing/fixtures.ts";
import { renderApp } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

const second = { ...monitor, id: 8, name: "Mailer" };
const grace = { ...admin, id: 4, username: "grace", role: "user" as const };
let asked: (string | null)[];
let asksUsers: boolean;

beforeEach(() => {
  // Opening a page as another user clears the recent pages of other tests.
  rememberPage(0, { name: "", to: "" });
  asked = [];
  asksUsers = false;
  on("get", "/agents/:id", () => ok({ agent: agent as never }));
  on("get", "/agents", ({ request }) => {
    const agents = [agent].filter(({ name }) => name.includes(new URL(request.url).searchParams.get("search") ?? ""));
    return ok({ agents: agents as never, total: agents.length });
  });
  on("get", "/users/:id", () => ok({ user: grace }));
  on("get", "/users", ({ request }) => {
    asksUsers = true;
    const search = new URL(request.url).searchParams.get("search") ?? "";
    const users = [grace].filter(({ username }) => username.includes(search));
    return ok({ users, total: users.length });
  });
  on("get", "/incidents", () => ok({ incidents: [], total: 0 }));
  on("get", "/monitors/tags", () => ok({ tags: [], more: false }));
  on("get", "/notifications/templates", () => ok({ templates: [] }));
  on("get", "/dashboard", () => ok({ ...dashboard }));
  on("get", "/monitors/:id", () => ok({ monitor }));
  on("get", "/monitors", ({ request }) => {
    const search = new URL(request.url).searchParams.get("search");
    asked.push(search);
    const monitors = [monitor, second].filter(({ name }) => name.toLowerCase().includes(search ?? ""));
    return ok({ monitors, total: monitors.length });
  });
});

const options = () => screen.getAllByRole("option").map((option) => option.textContent);
const chosen = () => screen.getByRole("option", { selected: true }).textContent;

describe("the command palette", () => {
  async function openPalette(as = admin, language: "en-US" | "zh-CN" = "en-US") {
    const app = await renderApp("/dashboard", { as, language });
    await screen.findAllByText("Shop API");
    await app.user.keyboard("{Control>}k{/Control}");
    const field = await screen.findByRole("combobox");
    await waitFor(() => expect(document.activeElement).toBe(field));
    return { ...app, field };
  }

  it("opens on Ctrl+K, announces the selection to screen readers, and navigates on Enter", async () => {
    const { user, field, path } = await openPalette();
    expect(field.getAttribute("aria-activedescendant")).toBe(screen.getByRole("option", { selected: true }).id);
    expect(document.getElementById(field.getAttribute("aria-controls") ?? "")?.role).toBe("listbox");
    expect(chosen()).toBe("Refresh");
    await user.keyboard("{ArrowDown}");
    expect(chosen()).toBe("Dashboard");
    await user.keyboard("{ArrowUp}{ArrowUp}");
    expect(chosen()).toBe("Log out");
    await user.keyboard("profile{Enter}");
    await waitFor(() => expect(path()).toBe("/profile"));
    expect(screen.queryByRole("combobox")).toBeNull();
  });

  it("searches monitors on the server", async () => {
    const { user, path } = await openPalette();
    await user.keyboard("mail");
    await waitFor(() => expect(options()[0]).toContain("Mailer"));
    expect(asked).toEqual(["mail"]);
    await user.keyboard("{Enter}");
    await waitFor(() => expect(path()).toBe("/monitors/8"));
  });

  it("finds agents and users", async () => {
    const { user, path } = await openPalette();
    await user.keyboard("web-");
    await waitFor(() => expect(options()).toEqual([expect.stringMatching(/web-1.*Online/)]));
    await user.keyboard("{Enter}");
    await waitFor(() => expect(path()).toBe("/agents/3"));
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByRole("combobox"), "grace");
    await waitFor(() => expect(options()).toEqual(["graceUser"]));
    await user.keyboard("{Enter}");
    await waitFor(() => expect(path()).toBe("/users/4"));
  });

  it("searches users only as an administrator", async () => {
    const { user } = await openPalette(viewer);
    await user.keyboard("web-");
    await waitFor(() => expect(options()).toHaveLength(1));
    expect(asksUsers).toBe(false);
  });

  it("offers the actions of the page's header and runs them", async () => {
    let refreshed = 0;
    on("get", "/dashboard", () => {
      refreshed += 1;
      return ok({ ...dashboard });
    });
    const { user } = await openPalette();
    const before = refreshed;
    await user.keyboard("refre");
    expect(options()).toEqual(["Refresh"]);
    expect(screen.getByRole("group", { name: "On this page" })).toBeTruthy();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(refreshed).toBe(before + 1));
    await waitFor(() => expect(document.activeElement?.textContent).toMatch(/^Refresh/));
  });

  it.each([
    ["edit status", "/status/config"],
    ["announce an", "/status/config?tab=incidents&announce=new"],
    ["plan maint", "/maintenance?plan=new"],
    ["deliver", "/notifications/deliveries"],
    ["notification set", "/notifications/settings"],
    ["import", "/monitors/import"],
  ])("opens “%s” at %s", async (typed, address) => {
    const { user } = await openPalette();
    await user.keyboard(typed);
    await user.keyboard("{Enter}");
    await waitFor(() => expect(location.pathname + location.search).toBe(address));
  });

  it("offers viewers no changes of the status page", async () => {
    const { user } = await openPalette(viewer);
    await user.keyboard("announce");
    expect(screen.queryByRole("option", { name: "Announce an incident" })).toBeNull();
  });

  it("reports a failed monitor search, and no results", async () => {
    on("get", "/monitors", () => new HttpResponse(null, { status: 500 }));
    const { user } = await openPalette();
    await user.keyboard("zzz");
    expect((await screen.findByRole("alert")).textContent).toBe("Failed to fetch monitor data");
    on("get", "/monitors", () => ok({ monitors: [], total: 0 }));
    await user.keyboard("z");
    expect(await screen.findByText("Nothing found for “zzzz”")).toBeTruthy();
  });

  it("hides forbidden actions from viewers, searched in their language and in English", async () => {
    const { user } = await openPalette(viewer, "zh-CN");
    expect(options()).not.toContain("添加监控项");
    expect(options()).not.toContain("用户管理");
    await user.keyboard("dashboard");
    await waitFor(() => expect(options()).toEqual(["仪表盘"]));
  });

  it("changes theme and language, and logs out", async () => {
    const { user, path } = await openPalette();
    await user.keyboard("dark{Enter}");
    expect(document.documentElement.dataset["theme"]).toBe("dark");
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByRole("combobox"), "中文{Enter}");
    await waitFor(() => expect(document.documentElement.lang).toBe("zh-CN"));
    on("get", "/monitors", () => ok({ monitors: [], total: 0 }));
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByRole("combobox"), "logout{Enter}");
    await waitFor(() => expect(path()).toBe("/login"));
  });

  it("loses no letter that is typed while it loads", async () => {
    const { user } = await renderApp("/dashboard", { as: admin });
    await screen.findAllByText("Shop API");
    await user.keyboard("{Control>}k{/Control}pro");
    await user.type(await screen.findByRole("combobox"), "fi");
    expect(screen.getByRole<HTMLInputElement>("combobox").value).toBe("profi");
  });

  it("keeps every letter typed before its chunk is loaded, and does not treat letters as shortcuts", async () => {
    const { user, path } = await renderApp("/dashboard", { as: admin });
    await screen.findAllByText("Shop API");
    await user.keyboard("{Control>}k{/Control}");
    // The palette's frame takes the focus at once.
    await waitFor(() => expect(document.activeElement?.tagName).toBe("INPUT"));
    await user.keyboard("gdjk?");
    const field = await screen.findByRole<HTMLInputElement>("combobox");
    expect(field.value).toBe("gdjk?");
    await user.keyboard("x");
    expect(field.value).toBe("gdjk?x");
    expect(path()).toBe("/dashboard");
  });

  it("opens the dialog for other silences, prefilled with the result", async () => {
    const { user } = await openPalette();
    await user.keyboard("mail");
    await waitFor(() => expect(options()[0]).toContain("Mailer"));
    await user.keyboard("{Tab}another time{Enter}");
    const dialog = await screen.findByRole("dialog", { name: "New silence" });
    expect(within(dialog).getByText("Mailer")).toBeTruthy();
  });

  it("finds incidents, tags, channels and templates", async () => {
    on("get", "/incidents", () => ok({ incidents: [incident] as never, total: 1 }));
    on("get", "/monitors/tags", () => ok({ tags: [{ name: "shop", monitors: 3 }], more: false }));
    on("get", "/notifications/channels", () =>
      ok({ channels: [{ id: 4, name: "Shop on call", type: "slack", enabled: true, healthy: true, config: {} }] }),
    );
    on("get", "/notifications/templates", () => ok({ templates: [{ id: 6, name: "Shop text" }] }));
    const { user, path } = await openPalette();
    await user.keyboard("shop");
    const group = async (name: string) => (await screen.findByRole("group", { name })).textContent;
    expect(await group("Incidents")).toContain("Shop API");
    expect(await group("Tags")).toContain("shop");
    expect(await group("Channels")).toContain("Shop on call");
    expect(await group("Templates")).toContain("Shop text");
    await user.click(screen.getByRole("option", { name: /^Shop text/ }));
    await waitFor(() => expect(path()).toBe("/notifications/templates/edit/6"));
  });

  it("runs a typed verb on its results, and can undo it", async () => {
    const sent: string[] = [];
    on("post", "/monitors/:id/:action", ({ params }) => {
      sent.push(`${String(params["action"])} ${String(params["id"])}`);
      return ok({ monitor: second });
    });
    const { user } = await openPalette();
    await user.keyboard("pause mail");
    await waitFor(() => expect(options()[0]).toContain("Pause: Mailer"));
    await user.keyboard("{Enter}");
    expect(await screen.findByText("Mailer is paused")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(sent).toEqual(["pause 8", "resume 8"]));
  });

  it("lists the selected result's actions on Tab, and returns on Backspace", async () => {
    const sent: unknown[] = [];
    on("post", "/silences", async ({ request }) => {
      sent.push(await request.json());
      return ok({ silence: { id: 1 } });
    });
    const { user } = await openPalette();
    await user.keyboard("mail");
    await waitFor(() => expect(options()[0]).toContain("Mailer"));
    await user.keyboard("{Tab}");
    expect(options()).toEqual([
      "Check now",
      "Pause",
      "Silence for 30 minutes",
      "Silence for 1 hour",
      "Silence for 2 hours",
      "Silence for 4 hours",
      ...(options().length > 8 ? ["Silence until 08:00"] : []),
      "Silence until another time…",
      "Edit",
    ]);
    await user.keyboard("{Backspace}");
    expect(options()).toContain("Dashboard");
    await user.keyboard("mail");
    await waitFor(() => expect(options()[0]).toContain("Mailer"));
    await user.keyboard("{Tab}1 hour{Enter}");
    await waitFor(() => expect(sent).toEqual([{ target: { type: "monitor", id: 8 }, minutes: 60 }]));
  });

  it("offers viewers no actions", async () => {
    const { user } = await openPalette(viewer);
    await user.keyboard("pause mail");
    await waitFor(() => expect(options()[0]).toContain("Mailer"));
    expect(options().some((option) => option?.includes("Pause"))).toBe(false);
  });

  it("shows recently opened pages", async () => {
    const { user } = await openPalette();
    await user.keyboard("mail");
    await waitFor(() => expect(options()[0]).toContain("Mailer"));
    await user.keyboard("{Enter}");
    await screen.findByRole("heading", { level: 1, name: "Shop API" });
    await user.keyboard("gd");
    await screen.findByRole("heading", { name: "Dashboard" });
    await user.keyboard("{Control>}k{/Control}");
    expect((await screen.findByRole("group", { name: "Recent" })).textContent).toContain("Shop API");
  });

  it("pauses a monitor that is down only after confirmation on its page", async () => {
    const down = { ...second, status: "down" as const };
    on("get", "/monitors", () => ok({ monitors: [down], total: 1 }));
    on("get", "/monitors/8", () => ok({ monitor: down }));
    on("post", "/monitors/bulk", () => ok({ done: [], failed: [], openIncidents: 1 }));
    const { user, path } = await openPalette();
    await user.keyboard("pause mail");
    await waitFor(() => expect(options()[0]).toContain("Pause: Mailer"));
    await user.keyboard("{Enter}");
    await waitFor(() => expect(path()).toBe("/monitors/8"));
    expect((await screen.findByRole("dialog")).textContent).toMatch(/1/);
  });

  it("closes on Escape and returns the focus", async () => {
    const { user } = await renderApp("/dashboard", { as: admin });
    const button = await screen.findByRole("button", { name: "Search and commands" });
    await user.click(button);
    await screen.findByRole("combobox");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(document.activeElement).toBe(button));
  });
});

describe("list shortcuts", () => {
  async function openList() {
    const app = await renderApp("/monitors", { as: admin });
    await screen.findByRole("link", { name: "Mailer" });
    return app;
  }
  const focused = () => document.activeElement?.textContent;

  it("move between rows and open one", async () => {
    const { user, path } = await openList();
    await user.keyboard("j");
    expect(focused()).toBe("Shop API");
    await user.keyboard("{ArrowDown}");
    expect(focused()).toBe("Mailer");
    await user.keyboard("j");
    expect(focused()).toBe("Mailer");
    await user.keyboard("k");
    expect(focused()).toBe("Shop API");
    await user.keyboard("{ArrowDown}{Enter}");
    await waitFor(() => expect(path()).toBe("/monitors/8"));
  });

  it("focus the search field, where they are letters", async () => {
    const { user } = await openList();
    await user.keyboard("/");
    const field = screen.getByRole<HTMLInputElement>("searchbox");
    await waitFor(() => expect(document.activeElement).toBe(field));
    await user.keyboard("/jk?");
    await user.keyboard("{Control>}k{/Control}");
    expect(field.value).toBe("/jk?");
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("do not act while a dialog is open", async () => {
    const { user } = await openList();
    await user.click(screen.getByRole("button", { name: "Actions: Mailer" }));
    await user.click(await screen.findByRole("menuitem", { name: "Delete" }));
    const dialog = await screen.findByRole("dialog");
    await user.keyboard("j");
    expect(dialog.contains(document.activeElement)).toBe(true);
  });

  it("are listed on ?, and those with one letter can be disabled for this tab without local storage", async () => {
    const { user } = await openList();
    await user.keyboard("?");
    await user.click(await screen.findByRole("checkbox", { name: /^Single-key shortcuts/ }));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    (document.activeElement as HTMLElement).blur();
    await user.keyboard("j/?");
    await waitFor(() => expect(document.activeElement).toBe(document.body));
    expect(screen.queryByRole("dialog")).toBeNull();
    await user.keyboard("{ArrowDown}");
    expect(focused()).toBe("Shop API");
    expect(sessionStorage.getItem("singleKeys")).toBe("off");
    expect(Object.keys(localStorage).toSorted()).toEqual(["token", "user"]);
  });
});

describe("letter shortcuts", () => {
  it("open the main pages after g, but not without it", async () => {
    const { user, path } = await renderApp("/dashboard", { as: admin });
    await screen.findAllByText("Shop API");
    await user.keyboard("m");
    expect(path()).toBe("/dashboard");
    for (const [letter, to] of [
      ["m", "/monitors"],
      ["i", "/incidents"],
      ["a", "/agents"],
      ["d", "/dashboard"],
    ] as const) {
      await user.keyboard(`g${letter}`);
      await waitFor(() => expect(path()).toBe(to));
    }
  });

  it("trigger actions of the page, which shows them in tooltips", async () => {
    on("get", "/monitors/7", () => ok({ monitor }));
    const { user, path } = await renderApp("/monitors/7", { as: admin });
    const edit = await screen.findByRole("link", { name: "Edit" });
    expect([edit.title, edit.getAttribute("aria-keyshortcuts")]).toEqual(["Shortcut: E", "E"]);
    await user.keyboard("e");
    await waitFor(() => expect(path()).toBe("/monitors/edit/7"));
  });

  it("are letters while typing, and do nothing if disabled", async () => {
    sessionStorage.setItem("singleKeys", "off");
    const { user, path } = await renderApp("/monitors", { as: admin });
    await screen.findByRole("link", { name: "Mailer" });
    await user.keyboard("gdc");
    expect(path()).toBe("/monitors");
    sessionStorage.clear();
  });
});
