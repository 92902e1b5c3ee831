import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { dispatchLive } from "../../../app/live/events.ts";
import { admin, monitor } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";

const down: Monitor = { ...monitor, id: 8, name: "Mailer", status: "down", lastError: "Connection refused" };
let asked: URLSearchParams[];

beforeEach(() => {
  asked = [];
  on("get", "/monitors", ({ request }) => {
    asked.push(new URL(request.url).searchParams);
    return ok({ monitors: [down, monitor], total: 300 });
  });
  on("get", "/me/views", () => ok({ views: [{ name: "Shop", query: "tag=shop&sort=name" }], shared: [] }));
});

describe("the wall", () => {
  it("shows failures first with their cause, and counts what does not fit", async () => {
    await renderScreen("/wall", { as: admin });
    expect(await screen.findByText("1 down")).toBeTruthy();
    expect(screen.getByRole("heading", { name: "All monitors" })).toBeTruthy();
    const names = screen.getAllByRole("link").map(({ textContent }) => textContent);
    expect(names.slice(1)).toEqual(["Mailer", "Shop API"]);
    expect(within(screen.getByText("Mailer").closest("li")!).getByText("Connection refused")).toBeTruthy();
    expect(screen.getByText("and 298 more")).toBeTruthy();
    expect(asked[0]?.get("tag")).toBeNull();
  });

  it("shows the monitors of a view, and follows events", async () => {
    await renderScreen("/wall?view=Shop", { as: admin });
    expect(await screen.findByText("1 down")).toBeTruthy();
    expect(asked[0]?.get("tag")).toBe("shop");
    const at = new Date().toISOString();
    act(() =>
      dispatchLive([
        { id: "1-1", name: "monitor", data: { id: 7, change: "state", status: "down", previousStatus: "up", at } },
      ]),
    );
    expect(await screen.findByText("2 down")).toBeTruthy();
  });

  it("says that a view does not exist", async () => {
    await renderScreen("/wall?view=Gone", { as: admin });
    expect(await screen.findByText("There is no view named “Gone”.")).toBeTruthy();
    expect(asked).toEqual([]);
  });

  it("warns when the data is older than a minute", async () => {
    await renderScreen("/wall", { as: admin });
    await screen.findByText("1 down");
    expect(screen.queryByRole("alert")).toBeNull();
    const laterMs = Date.now() + 61_000;
    vi.spyOn(Date, "now").mockReturnValue(laterMs);
    expect((await screen.findByRole("alert", {}, { timeout: 3000 })).textContent).toMatch(/no data since/);
  });
});
