import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, dashboard } from "../../testing/fixtures.ts";
import { renderApp } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";
import { type LiveEvent, dispatchLive } from "../live/events.ts";
import { applyToDown } from "./down-count.tsx";

const agents = { total: 3, online: 1, connecting: 0, offline: 2 };
const icon = () => document.querySelector("link[rel=icon]")?.getAttribute("href");
const state = (status: "up" | "down", previousStatus: "up" | "down"): LiveEvent => ({
  id: "1-1",
  name: "monitor",
  data: { id: 7, change: "state", status, previousStatus, at: "2026-01-02T10:00:00Z" },
});
let asked: number;

beforeEach(() => {
  asked = 0;
  on("get", "/dashboard", () => {
    asked += 1;
    return ok({ ...dashboard, agents });
  });
  document.head.innerHTML = '<link rel="icon" href="/favicon.svg">';
});

describe("the number of monitors that are down", () => {
  it("is in the title of every page with a red icon, follows events, and disappears after logout", async () => {
    const { user } = await renderApp("/profile", { as: admin });
    await waitFor(() => expect(document.title).toBe("(3) Profile · Sonde"));
    expect(icon()).toBe("/favicon-down.svg");
    act(() => dispatchLive([state("up", "down")]));
    await waitFor(() => expect(document.title).toBe("(2) Profile · Sonde"));
    expect(asked).toBe(1);
    await user.click(screen.getByRole("button", { name: /ada/ }));
    await user.click(await screen.findByRole("menuitem", { name: "Log out" }));
    await waitFor(() => expect(document.title).toBe("Log in to Sonde · Sonde"));
    expect(icon()).toBe("/favicon.svg");
  });

  it("shares the dashboard's request", async () => {
    await renderApp("/dashboard", { as: admin });
    await waitFor(() => expect(document.title).toBe("(3) Dashboard · Sonde"));
    act(() => dispatchLive([state("up", "down")]));
    await waitFor(() => expect(document.title).toBe("(2) Dashboard · Sonde"));
    expect(icon()).toBe("/favicon-down.svg");
  });

  it("is hidden if nothing is down", async () => {
    on("get", "/dashboard", () =>
      ok({ ...dashboard, monitors: { ...dashboard.monitors, down: 0 }, agents: { ...agents, offline: 0 } }),
    );
    await renderApp("/profile", { as: admin });
    await screen.findByRole("heading", { name: "Profile" });
    await waitFor(() => expect(document.title).toBe("Profile · Sonde"));
    expect(icon()).toBe("/favicon.svg");
  });
});

describe("the number of open incidents", () => {
  it("is part of the navigation on every page", async () => {
    await renderApp("/profile", { as: admin });
    const link = await screen.findByRole("link", { name: "Incidents 1 open" });
    expect(link.getAttribute("href")).toBe("/incidents");
    const opened = {
      id: "m9",
      target: { type: "monitor", id: 7, name: "Shop API" },
      kind: "down",
      cause: "x",
    } as const;
    const data = { change: "opened", incident: { ...opened, openedAt: "2026-01-02T10:00:00Z" } } as const;
    on("get", "/dashboard", () => ok({ ...dashboard, agents, incidents: 2 }));
    act(() => dispatchLive([{ id: "1-1", name: "incident", data }]));
    expect(await screen.findByRole("link", { name: "Incidents 2 open" })).toBeTruthy();
  });
});

describe("an event", () => {
  const at = "2026-01-02T10:00:00Z";
  it.each<
    [string, LiveEvent["data"], "monitor" | "agent", { monitors: number; agents: number; incidents: number }, boolean]
  >([
    [
      "of a monitor that went down increments it",
      { id: 1, change: "state", status: "down", previousStatus: "up", at },
      "monitor",
      { monitors: 2, agents: 1, incidents: 0 },
      false,
    ],
    [
      "of a monitor paused while down decrements it",
      { id: 1, change: "state", status: "paused", previousStatus: "down", at },
      "monitor",
      { monitors: 0, agents: 1, incidents: 0 },
      false,
    ],
    [
      "of an agent that went offline increments it",
      { id: 1, change: "state", status: "offline", previousStatus: "online", at },
      "agent",
      { monitors: 1, agents: 2, incidents: 0 },
      false,
    ],
    [
      "of a deleted monitor needs a refetch",
      { id: 1, change: "deleted", at },
      "monitor",
      { monitors: 1, agents: 1, incidents: 0 },
      true,
    ],
  ])("%s", (_what, data, name, expected, isUnknown) => {
    const down = { monitors: 1, agents: 1, incidents: 0 };
    expect(applyToDown(down, { id: "1-1", name, data } as LiveEvent)).toBe(isUnknown);
    expect(down).toEqual(expected);
  });
});
