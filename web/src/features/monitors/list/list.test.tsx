import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { describe, expect, it } from "vitest";
import { dispatchLive } from "../../../app/live/events.ts";
import { admin, monitor, monitorCounts, monitors, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const second: Monitor = { ...monitors.tls, id: 8, name: "Mailer", status: "down", responseTime: 10_000, tags: [] };
const rowOf = (name: string) => screen.getByRole("link", { name }).closest("tr") as HTMLTableRowElement;

function serveList(asked: URLSearchParams[] = []) {
  on("get", "/monitors", ({ request }) => {
    asked.push(new URL(request.url).searchParams);
    return ok({ monitors: [monitor, second], total: 120 });
  });
  return asked;
}

describe("the monitor list", () => {
  it("shows name, target with the icon of its kind, state as icon and text, response time and uptime", async () => {
    serveList();
    await renderScreen("/monitors", { as: admin });
    await screen.findByRole("link", { name: "Shop API" });
    const row = rowOf("Shop API");
    expect(row.textContent).toContain("shop.example/health");
    expect(rowOf("Mailer").textContent).toContain("tls://mail.example:587");
    const iconOf = (target: string) => screen.getAllByTitle(target)[0]?.previousElementSibling?.innerHTML;
    expect(iconOf("tls://mail.example:587")).toContain("<path");
    expect(iconOf("tls://mail.example:587")).not.toBe(iconOf(monitor.target));
    const badge = row.querySelector('[data-state="up"]');
    expect(badge?.textContent).toBe("Up");
    expect(badge?.querySelector("svg")).toBeTruthy();
    expect(row.textContent).toContain("123\u00a0ms");
    expect(row.textContent).toContain("99.95%");
    expect(rowOf("Mailer").querySelector('[data-state="down"]')?.textContent).toBe("Down");
  });

  it("shows the latest checks as bars that distinguish failures and gaps, and describes them", async () => {
    serveList();
    const asked: (string | null)[] = [];
    const recentCheckOf = (status: string, minute: number) => ({ at: `2026-03-01T10:0${minute}:00.000Z`, status });
    on("get", "/monitors/recent-checks", ({ request }) => {
      asked.push(new URL(request.url).searchParams.get("ids"));
      return ok({
        recentChecks: {
          7: [recentCheckOf("up", 0), recentCheckOf("down", 1), recentCheckOf("none", 2), recentCheckOf("up", 3)],
          8: [],
        },
      });
    });
    await renderScreen("/monitors", { as: admin });
    const [bars] = await within(await screen.findByRole("table")).findAllByRole("img", {
      name: "Latest 4 checks: 1 failed, 1 without data",
    });
    expect(asked).toEqual(["7,8"]);
    const drawn = (status: string) =>
      bars?.querySelector(`[data-recent-checks="${status}"]`)?.getAttribute("d")?.split("z").length;
    expect([drawn("up"), drawn("down"), drawn("none")]).toEqual([3, 2, 2]);
    expect(within(rowOf("Mailer")).getAllByRole("img", { name: "No checks yet" })).not.toHaveLength(0);
  });

  it("shows checks slower than the limit as amber bars of their own height", async () => {
    on("get", "/monitors", () => ok({ monitors: [{ ...monitor, slow: true, slowAfter: 500 }], total: 1 }));
    const checkOf = (responseTime: number, minute: number, status = "up") => {
      return { at: `2026-03-01T10:0${minute}:00.000Z`, status, responseTime };
    };
    on("get", "/monitors/recent-checks", () =>
      ok({ recentChecks: { 7: [checkOf(500, 0), checkOf(501, 1), checkOf(900, 2), checkOf(900, 3, "down")] } }),
    );
    await renderScreen("/monitors", { as: admin });
    const [bars] = await within(await screen.findByRole("table")).findAllByRole("img", {
      name: "Latest 4 checks: 1 failed, 0 without data; 2 of them slow",
    });
    const pathOf = (status: string) => bars?.querySelector(`[data-recent-checks="${status}"]`);
    expect(pathOf("slow")?.getAttribute("class")).toBe("fill-warn");
    const heightsOf = (status: string) =>
      [...(pathOf(status)?.getAttribute("d") ?? "").matchAll(/v(\d+)/g)].map(([, height]) => Number(height));
    expect(heightsOf("slow")).toHaveLength(2);
    expect(new Set(["up", "slow", "down"].flatMap(heightsOf)).size).toBe(3);
    expect(rowOf("Shop API").querySelector("[data-state]")?.textContent).toBe("Slow");
  });

  it("marks a monitor in maintenance, and its checks during that time", async () => {
    on("get", "/monitors", () =>
      ok({
        monitors: [
          { ...monitor, inMaintenance: true },
          { ...monitor, id: 8, name: "Mailer" },
        ],
        total: 2,
      }),
    );
    const recentCheckOf = (status: string, minute: number, inMaintenance?: true) => ({
      at: `2026-03-01T10:0${minute}:00.000Z`,
      status,
      inMaintenance,
    });
    on("get", "/monitors/recent-checks", () =>
      ok({
        recentChecks: {
          7: [recentCheckOf("up", 0), recentCheckOf("down", 1, true), recentCheckOf("none", 2, true)],
          8: [recentCheckOf("up", 0)],
        },
      }),
    );
    await renderScreen("/monitors", { as: admin });
    const [bars] = await within(await screen.findByRole("table")).findAllByRole("img", {
      name: "Latest 3 checks: 1 failed, 1 without data; 2 of them in maintenance",
    });
    const kinds = [...(bars?.querySelectorAll("[data-recent-checks]") ?? [])].map((path) =>
      path.getAttribute("data-recent-checks"),
    );
    expect(kinds).toEqual(["up", "maintenance"]);
    expect(within(rowOf("Shop API")).getByText("In maintenance")).toBeTruthy();
    expect(within(rowOf("Mailer")).queryByText("In maintenance")).toBeNull();
  });

  it("shows a stale state as no data, never as up or down", async () => {
    on("get", "/monitors", () => ok({ monitors: [{ ...monitor, stale: true }], total: 1 }));
    await renderScreen("/monitors", { as: admin });
    await screen.findByRole("link", { name: "Shop API" });
    expect(rowOf("Shop API").querySelector("[data-state]")?.textContent).toBe("No data");
  });

  it("sends search, state, sort order and page to the server and keeps them in the URL", async () => {
    const asked = serveList();
    const { user } = await renderScreen("/monitors?status=down&page=2", { as: admin });
    await screen.findByRole("link", { name: "Shop API" });
    expect(Object.fromEntries(asked[0] ?? [])).toEqual({
      compact: "true",
      page: "2",
      pageSize: "50",
      sort: "status",
      status: "down",
    });
    expect(screen.getByText("51–100 of 120")).toBeTruthy();

    await user.type(screen.getByRole("searchbox"), "shop{Enter}");
    await waitFor(() =>
      expect(Object.fromEntries(asked.at(-1) ?? [])).toMatchObject({ search: "shop", page: "1", status: "down" }),
    );
    await user.click(within(screen.getByRole("columnheader", { name: "Name" })).getByRole("button"));
    await waitFor(() => expect(asked.at(-1)?.get("sort")).toBe("name"));
    await user.click(screen.getByRole("button", { name: "Next" }));
    await waitFor(() => expect(asked.at(-1)?.get("page")).toBe("2"));
    expect(new URLSearchParams(location.search).toString()).toBe("page=2&search=shop&status=down&sort=name");
  });

  it.each([
    [
      "the server's message",
      () => fail(503, "unavailable", "The monitors service is currently unavailable"),
      /^The monitors service is currently/,
    ],
    ["the fallback", () => new HttpResponse(null, { status: 500 }), /^Failed to fetch monitor data$/],
  ])("shows %s with a retry that works", async (_what, answer, words) => {
    on("get", "/monitors", answer);
    const { user } = await renderScreen("/monitors", { as: admin });
    expect(await screen.findByText(words)).toBeTruthy();
    serveList();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("link", { name: "Shop API" })).toBeTruthy();
  });

  it("explains the first step if there are no monitors, and how to clear a search without matches", async () => {
    on("get", "/monitors", () => ok({ monitors: [], total: 0 }));
    const { user } = await renderScreen("/monitors?search=zzz", { as: admin });
    expect(await screen.findByText("No matching monitors")).toBeTruthy();
    await user.click(screen.getAllByRole("button", { name: "Clear filters" })[0] as HTMLElement);
    expect(await screen.findByText("No monitors yet")).toBeTruthy();
    expect(location.search).toBe("");
  });

  it("asks before deleting, shows failures in the dialog and success on the page", async () => {
    serveList();
    on("delete", "/monitors/7", () => new HttpResponse(null, { status: 500 }));
    const { user } = await renderScreen("/monitors", { as: admin });
    await user.click(await screen.findByRole("button", { name: "Actions: Shop API" }));
    await user.click(await screen.findByRole("menuitem", { name: "Delete" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("Shop API");
    expect(dialog.textContent).toContain("This action cannot be undone");
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe("Failed to delete monitor");

    on("delete", "/monitors/7", () => ok({}, "Monitor successfully deleted"));
    on("get", "/monitors", () => ok({ monitors: [second], total: 1 }));
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect((await screen.findByText("Monitor successfully deleted")).closest("[role=status]")).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("link", { name: "Shop API" })).toBeNull());
  });

  it("returns the focus to the button that opened the dialog", async () => {
    serveList();
    const { user } = await renderScreen("/monitors", { as: admin });
    await user.click(await screen.findByRole("button", { name: "Actions: Mailer" }));
    await user.click(await screen.findByRole("menuitem", { name: "Delete" }));
    await screen.findByRole("dialog");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Actions: Mailer" })));
  });

  it("shows in the dialog that the selection could not be deleted", async () => {
    serveList();
    on("post", "/monitors/bulk", () => new HttpResponse(null, { status: 500 }));
    const { user } = await renderScreen("/monitors", { as: admin });
    await screen.findByRole("link", { name: "Shop API" });
    await user.click(screen.getByRole("checkbox", { name: "Select all on this page" }));
    await user.click(await screen.findByRole("button", { name: "Delete" }));
    const dialog = await screen.findByRole("dialog");
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe("Deletion failed, please try again");
  });

  it("goes back from beyond the last page", async () => {
    const asked = serveList();
    await renderScreen("/monitors?page=9", { as: admin });
    await waitFor(() => expect(asked.at(-1)?.get("page")).toBe("3"));
    expect(await screen.findByText("101–120 of 120")).toBeTruthy();
  });

  it("selects single rows, and keeps the search when filtering by tag", async () => {
    const asked = serveList();
    const { user } = await renderScreen("/monitors", { as: admin });
    await user.click(await screen.findByRole("checkbox", { name: "Select Shop API" }));
    await user.click(screen.getByRole("checkbox", { name: "Select Mailer" }));
    expect(await screen.findByText("2 selected")).toBeTruthy();
    await user.click(screen.getByRole("checkbox", { name: "Select Shop API" }));
    expect(screen.getByText("1 selected")).toBeTruthy();
    await user.type(screen.getByRole("searchbox"), "s{Enter}");
    await waitFor(() => expect(asked.at(-1)?.get("search")).toBe("s"));
    await user.click(screen.getByRole("button", { name: "shop" }));
    await waitFor(() => expect(Object.fromEntries(asked.at(-1) ?? [])).toMatchObject({ search: "s", tag: "shop" }));
  });

  it("applies live events without a request", async () => {
    const asked = serveList();
    await renderScreen("/monitors", { as: admin });
    await screen.findByRole("link", { name: "Shop API" });
    const before = asked.length;
    const { lastCheckedAt: _old, ...figures } = {
      ...monitor,
      change: "figures" as const,
      status: "down" as const,
      responseTime: 987,
    };
    act(() =>
      dispatchLive([
        {
          id: null,
          name: "monitor",
          data: { ...figures, lastCheckedAt: "2026-01-02T10:01:00Z", lastError: "no answer" },
        },
      ]),
    );
    await waitFor(() => expect(rowOf("Shop API").querySelector("[data-state]")?.textContent).toBe("Down"));
    // The error replaces the response time.
    expect(rowOf("Shop API").textContent).toContain("no answer");
    expect(rowOf("Shop API").textContent).not.toContain("ms");
    const recovered = { ...figures, status: "up" as const, lastCheckedAt: "2026-01-02T10:02:00Z" };
    act(() => dispatchLive([{ id: null, name: "monitor", data: recovered }]));
    await waitFor(() => expect(rowOf("Shop API").textContent).toContain("987\u00a0ms"));
    expect(rowOf("Shop API").textContent).not.toContain("no answer");
    expect(asked).toHaveLength(before);
  });

  it("counts the states of the search results, and filters by one or by all again", async () => {
    const asked = serveList();
    const counted: string[] = [];
    on("get", "/monitors/counts", ({ request }) => {
      counted.push(new URL(request.url).search);
      return ok({ counts: monitorCounts });
    });
    const { user } = await renderScreen("/monitors?search=shop", { as: admin });
    const strip = within(screen.getByRole("group", { name: "Filter by status" }));
    await strip.findByRole("button", { name: "1,001 All", pressed: true });
    expect(counted).toEqual(["?search=shop"]);
    expect(strip.getAllByRole("button").map((each) => each.textContent)).toEqual(
      "1,001 All,9 Down,1 No data,3 Pending,981 Up,7 Paused,Expiring soon,Getting slower".split(/,(?!0)/),
    );
    await user.click(strip.getByRole("button", { name: "1 No data" }));
    await waitFor(() => expect(asked.at(-1)?.get("status")).toBe("stale"));
    await user.click(strip.getByRole("button", { name: "1 No data", pressed: true }));
    await waitFor(() => expect(location.search).toBe("?search=shop"));
  });

  it("is read-only for viewers", async () => {
    serveList();
    const { user } = await renderScreen("/monitors", { as: viewer });
    await screen.findByRole("link", { name: "Shop API" });
    expect(screen.queryByRole("link", { name: "Add monitor" })).toBeNull();
    expect(screen.queryByRole("checkbox")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Actions: Shop API" }));
    expect((await screen.findAllByRole("menuitem")).map((item) => item.textContent)).toEqual(["View details"]);
  });
});
