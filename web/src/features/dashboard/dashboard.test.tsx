import { act, screen, waitFor } from "@testing-library/react";
import { HttpResponse } from "msw";
import { describe, expect, it } from "vitest";
import { en } from "../../locales/en-US/index.ts";
import { publishLive } from "../../app/live/events.ts";
import { admin, dashboard, incident } from "../../testing/fixtures.ts";
import { renderApp } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";
import { applyToDashboard } from "./live.ts";

const tile = (name: string) => screen.getByText(name, { selector: "dt" }).nextElementSibling?.textContent;

describe("the dashboard", () => {
  it("shows total and active monitors and uptime, with a link to each state's list", async () => {
    on("get", "/dashboard", () => ok({ ...dashboard }));
    await renderApp("/dashboard", { as: admin });
    expect(await screen.findByText("Shop API")).toBeTruthy();
    expect(tile("Total monitors")).toBe("41 down");
    expect(tile("Active monitors")).toBe("31 paused");
    expect(tile("Uptime")).toContain("99.50%");
    expect(screen.getByRole("link", { name: "Down 1" }).getAttribute("href")).toBe("/monitors?status=down");
  });

  it("offers the two things to do while there is nothing, beside totals of nothing", async () => {
    const nothing = { total: 0, active: 0, up: 0, down: 0, stale: 0, pending: 0, paused: 0 };
    on("get", "/dashboard", () =>
      ok({ ...dashboard, monitors: nothing, incidents: 0, recent: [], uptime: { h24: null, d30: null } }),
    );
    await renderApp("/dashboard", { as: admin });
    expect((await screen.findByRole("link", { name: "Add a monitor" })).getAttribute("href")).toBe("/monitors/create");
    expect(screen.getByRole("link", { name: "Add an agent" }).getAttribute("href")).toBe("/agents/create");
    expect(["Total monitors", "Active monitors", "Open incidents"].map(tile)).toEqual(["0", "0", "0"]);
    expect(tile("Uptime")).toMatch(/^–last 24 hours/);
  });

  it("shows what there is while a part is not available", async () => {
    on("get", "/dashboard", () =>
      ok({ ...dashboard, agents: null, incidents: null, uptime: null, unavailable: ["agents", "uptime", "incidents"] }),
    );
    await renderApp("/dashboard", { as: admin });
    expect(await screen.findByText("Shop API")).toBeTruthy();
    expect(tile("Total monitors")).toBe("41 down");
    expect(tile("Uptime")).toBe("–Not available at the moment");
    expect(tile("Open incidents")).toBe("–Not available at the moment");
    const agents = screen.getByRole("heading", { name: "Agents" }).closest("section, div.rounded-lg");
    expect(agents?.textContent).toContain("Not available at the moment");
  });

  it.each([
    ["en-US", "Some incidents cannot be shown at the moment."],
    ["zh-CN", "部分事件暂时无法显示。"],
  ] as const)("says that incidents are missing while those of monitors or agents are (%s)", async (language, words) => {
    on("get", "/dashboard", () =>
      ok({ ...dashboard, incidents: null, unavailable: ["agents", "incidents", "recent"] }),
    );
    await renderApp("/dashboard", { as: admin, language });
    expect(await screen.findByText("Shop API")).toBeTruthy();
    expect(screen.getByText(words)).toBeTruthy();
  });

  it("shows the agents while monitors are not available", async () => {
    const agents = { total: 5, online: 3, connecting: 1, offline: 1 };
    const unavailable = ["monitors", "incidents", "recent"];
    on("get", "/dashboard", () =>
      ok({ ...dashboard, agents, monitors: null, incidents: null, recent: null, unavailable }),
    );
    await renderApp("/dashboard", { as: admin });
    expect(await screen.findByRole("link", { name: "Online 3" })).toBeTruthy();
    expect(tile("Total monitors")).toBe("–Not available at the moment");
    expect(screen.queryByText("No incidents")).toBeNull();
  });

  it("counts the agents where there are some, each state with its list, and counts anew as they change", async () => {
    let agents = { total: 5, online: 3, connecting: 1, offline: 1 };
    on("get", "/dashboard", () => ok({ ...dashboard, agents }));
    await renderApp("/dashboard", { as: admin });
    const online = await screen.findByRole("link", { name: "Online 3" });
    expect(online.getAttribute("href")).toBe("/agents?status=online");
    expect(screen.getByRole("heading", { name: "Agents 5" })).toBeTruthy();
    const at = "2026-01-02T10:00:00Z";
    const change = { id: 3, change: "state", status: "offline", previousStatus: "online", at } as const;
    agents = { total: 5, online: 2, connecting: 1, offline: 2 };
    act(() => publishLive([{ id: "1-9", name: "agent", data: change }]));
    expect(await screen.findByRole("link", { name: "Offline 2" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Online 2" })).toBeTruthy();
  });

  it("says of an incident how often its target went down again", async () => {
    on("get", "/dashboard", () => ok({ ...dashboard, recent: [{ ...incident, flaps: 3 }] }));
    await renderApp("/dashboard", { as: admin });
    expect(await screen.findByText(/flapping, down again 3 times/)).toBeTruthy();
  });

  it("counts what is stale as no data, and says which location has no runner", async () => {
    const monitors = { total: 200, active: 200, up: 0, down: 0, stale: 200, pending: 0, paused: 0 };
    on("get", "/dashboard", () => ok({ ...dashboard, monitors }));
    on("get", "/locations", () =>
      ok({
        locations: [
          { name: "eu1", runners: 0, monitors: 200 },
          { name: "us1", runners: 1, monitors: 0 },
        ],
      }),
    );
    await renderApp("/dashboard", { as: admin });
    const link = await screen.findByRole("link", { name: "No data 200" });
    expect(link.getAttribute("href")).toBe("/monitors?status=stale");
    expect(screen.getByRole("link", { name: "Up 0" })).toBeTruthy();
    expect(await screen.findByText("No probe runner is running at eu1: monitors are not checked there.")).toBeTruthy();
  });

  it.each(["zh-CN", "en-US"] as const)(
    "needs none but the first words: no key stands on the page (%s)",
    async (language) => {
      on("get", "/dashboard", () => ok({ ...dashboard }));
      await renderApp("/dashboard", { as: admin, language, firstWordsOnly: true });
      await screen.findByText("Shop API");
      const said = [...document.querySelectorAll("*")].flatMap((element) => [
        ...[...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.textContent),
        ...["aria-label", "title", "placeholder"].map((name) => element.getAttribute(name)),
      ]);
      const keys = new RegExp(`^(?:${Object.keys(en).join("|")})\\.\\w`);
      expect(said.length).toBeGreaterThan(50);
      expect(said.filter((text) => keys.test(text ?? ""))).toEqual([]);
    },
  );

  it.each([
    [
      "the server's words, which say what is down",
      () => fail(503, "unavailable", "The metrics service is not available at the moment"),
      "The metrics service is not available at the moment",
    ],
    ["the fallback", () => new HttpResponse(null, { status: 500 }), "Failed to fetch data"],
  ])("shows %s, and refreshes", async (_what, answer, words) => {
    on("get", "/dashboard", answer);
    const { user } = await renderApp("/dashboard", { as: admin });
    expect(await screen.findByText(words)).toBeTruthy();
    on("get", "/dashboard", () => ok({ ...dashboard }));
    await user.click(screen.getByRole("button", { name: "Refresh" }));
    expect(await screen.findByText("Shop API")).toBeTruthy();
  });

  it("says in one line what failed, and on the next why, where no answer came", async () => {
    on("get", "/dashboard", () => HttpResponse.error());
    await renderApp("/dashboard", { as: admin });
    const failed = await screen.findByText("Failed to fetch data");
    expect(failed.nextElementSibling?.textContent).toBe("The server cannot be reached. Please check the connection.");
    expect(screen.getByRole("alert").contains(failed)).toBe(true);
  });

  it("moves with live events", async () => {
    on("get", "/dashboard", () => ok({ ...dashboard }));
    await renderApp("/dashboard", { as: admin });
    await screen.findByText("Shop API");
    const closed = { ...incident, closedAt: "2026-01-02T09:05:00Z", resolution: "recovered" as const };
    act(() => publishLive([{ id: "1-3", name: "incident", data: { change: "closed", incident: closed } }]));
    await waitFor(() => expect(tile("Open incidents")).toBe("0All is well"));
    expect(screen.getByText("Recovered")).toBeTruthy();
  });
});

describe("live events on the dashboard", () => {
  it("count a state that was left down and the one reached up, never below zero", () => {
    const shown = structuredClone({ success: true as const, ...dashboard });
    const at = "2026-01-02T10:00:00Z";
    applyToDashboard(shown, {
      id: "1",
      name: "monitor",
      data: { id: 7, change: "state", status: "paused", previousStatus: "up", at },
    });
    expect(shown.monitors).toEqual({ total: 4, active: 2, up: 1, down: 1, stale: 0, pending: 0, paused: 2 });
    applyToDashboard(shown, {
      id: "2",
      name: "monitor",
      data: { id: 8, change: "state", status: "up", previousStatus: "pending", at },
    });
    expect(shown.monitors.pending).toBe(0);
  });

  it("count an agent from one state to the other", () => {
    const agents = { total: 2, online: 1, connecting: 1, offline: 0 };
    const shown = structuredClone({ success: true as const, ...dashboard, agents });
    const at = "2026-01-02T10:00:00Z";
    const change = { id: 3, change: "state", status: "offline", previousStatus: "online", at } as const;
    applyToDashboard(shown, { id: "1", name: "agent", data: change });
    expect(shown.agents).toEqual({ total: 2, online: 0, connecting: 1, offline: 1 });
    applyToDashboard(shown, { id: "2", name: "agent", data: change });
    expect(shown.agents.offline).toBe(1);
  });

  it("leave a part alone that is not available", () => {
    const nothing = { monitors: null, agents: null, uptime: null, incidents: null, recent: null };
    const shown = { success: true as const, ...nothing };
    const at = "2026-01-02T10:00:00Z";
    const left = { id: 7, change: "state", status: "down", previousStatus: "up", at } as const;
    applyToDashboard(shown, { id: "1", name: "monitor", data: left });
    applyToDashboard(shown, { id: "2", name: "agent", data: { ...left, status: "offline", previousStatus: "online" } });
    applyToDashboard(shown, { id: "3", name: "incident", data: { change: "opened", incident } });
    expect(shown).toEqual({ success: true, ...nothing });
  });

  it("put a new incident first, and do not count it twice", () => {
    const shown = structuredClone({ success: true as const, ...dashboard });
    const opened = {
      id: "3",
      name: "incident",
      data: { change: "opened", incident: { ...incident, id: "m9" } },
    } as const;
    applyToDashboard(shown, opened);
    applyToDashboard(shown, opened);
    expect(shown.incidents).toBe(2);
    expect(shown.recent.map(({ id }) => id)).toEqual(["m9", "m3"]);
  });
});
