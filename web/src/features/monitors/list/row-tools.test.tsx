import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { admin, monitor, monitors, viewer } from "../../../testing/fixtures.ts";
import { renderApp, renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const mailer = { ...monitors.tls, id: 8, name: "Mailer", status: "down" as const };
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

beforeEach(() => {
  on("get", "/monitors", () => ok({ monitors: [{ ...monitor, silencedUntil: inAnHour() }, mailer], total: 2 }));
  on("post", "/monitors/bulk", () => ok({ done: [8], failed: [], openIncidents: 0 }));
});

const rowOf = (name: string) => screen.getByRole("link", { name }).closest("tr") as HTMLElement;
async function open(as = admin, render = renderScreen) {
  const app = await render("/monitors", { as });
  await screen.findByRole("link", { name: "Mailer" });
  return app;
}

describe("a row of monitors", () => {
  it("shows tools only under the pointer", async () => {
    const { user } = await open();
    const tools = (name: string) =>
      within(rowOf(name)).queryAllByRole("button", { name: /^(?:Check now|Pause|Silence): / });
    expect(tools("Mailer")).toEqual([]);
    await user.hover(rowOf("Mailer"));
    await waitFor(() => expect(tools("Mailer")).toHaveLength(3));
    expect(within(rowOf("Mailer")).getByRole("link", { name: "Edit: Mailer" }).getAttribute("href")).toBe(
      "/monitors/edit/8",
    );
    await user.hover(rowOf("Shop API"));
    await waitFor(() => expect(tools("Shop API")).toHaveLength(3));
    expect(tools("Mailer")).toEqual([]);
  });

  it("is edited, paused and selected by a letter while focused", async () => {
    const sent: unknown[] = [];
    on("post", "/monitors/bulk", async ({ request }) => {
      sent.push(await request.json());
      return ok({ done: [8], failed: [], openIncidents: 0 });
    });
    const { user, path } = await open(admin, renderApp);
    await user.keyboard("jj");
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Mailer"));
    await within(rowOf("Mailer")).findByRole("button", { name: "Pause: Mailer" });
    await user.keyboard("x");
    expect(await screen.findByText("1 selected")).toBeTruthy();
    await user.keyboard("p");
    await waitFor(() => expect(sent).toContainEqual({ ids: [8], action: "pause" }));
    await user.keyboard("e");
    await waitFor(() => expect(path()).toBe("/monitors/edit/8"));
  });

  it("is checked at once, and shows the result or why it was refused", async () => {
    on("post", "/monitors/8/check", () => ok({ result: { status: "down" }, monitor: mailer } as never));
    const { user } = await open();
    await user.hover(rowOf("Mailer"));
    await user.click(await screen.findByRole("button", { name: "Check now: Mailer" }));
    expect((await screen.findByText("Mailer: the check failed")).closest("[role=alert]")).toBeTruthy();
    on("post", "/monitors/8/check", () => fail(429, "too_many", "Too many checks by hand are running"));
    await user.click(screen.getByRole("button", { name: "Check now: Mailer" }));
    expect(await screen.findByText("Too many checks by hand are running")).toBeTruthy();
  });

  it("is silenced from its menu, and undone", async () => {
    const sent: unknown[] = [];
    const ended = vi.fn();
    on("post", "/silences", async ({ request }) => {
      sent.push(await request.json());
      return ok({ silence: { id: 4 } } as never);
    });
    on("delete", "/silences/4", () => {
      ended();
      return ok({}, "Silence ended");
    });
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Actions: Mailer" }));
    await user.click(await screen.findByRole("menuitem", { name: "Silence" }));
    await user.click(await screen.findByRole("menuitem", { name: "1 hour" }));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(ended).toHaveBeenCalled());
    expect(sent).toEqual([{ target: { type: "monitor", id: 8 }, minutes: 60 }]);
  });

  it("shows until when it is silenced", async () => {
    await open();
    expect(rowOf("Shop API").textContent).toMatch(/silenced until \d\d:\d\d/);
    expect(rowOf("Mailer").textContent).not.toContain("silenced");
  });

  it("has no tools for viewers", async () => {
    const { user } = await open(viewer);
    await user.hover(rowOf("Mailer"));
    await user.click(screen.getByRole("button", { name: "Actions: Mailer" }));
    expect(await screen.findAllByRole("menuitem")).toHaveLength(1);
    expect(screen.queryByRole("button", { name: "Pause: Mailer" })).toBeNull();
  });
});

describe("the selection bar", () => {
  it("checks the selection at once and sums up the results", async () => {
    on("post", "/monitors/:id/check", ({ params }) =>
      ok({ result: { status: params["id"] === "8" ? "down" : "up" }, monitor } as never),
    );
    const { user } = await open();
    await user.click(screen.getByRole("checkbox", { name: "Select all on this page" }));
    await user.click(await screen.findByRole("button", { name: "Check now" }));
    expect(await screen.findByText("2 monitors checked: 1 up, 1 down")).toBeTruthy();
  });
});
