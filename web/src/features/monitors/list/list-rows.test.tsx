import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { admin, monitor, monitors } from "../../../testing/fixtures.ts";
import { renderApp, renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const day = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * day + 3_600_000).toISOString();
const tags = ["production", "checkout", "eu-central", "tier-1"];
const down: Monitor = {
  ...monitors.tls,
  id: 8,
  name: "Mailer",
  status: "down",
  responseTime: 10_000,
  lastError: "Connection refused",
  tags: [],
  certificateExpiresAt: inDays(-2),
};
const first: Monitor = { ...monitor, tags, certificateExpiresAt: inDays(23) };
const rowOf = (name: string) => screen.getByRole("link", { name }).closest("tr, li") as HTMLElement;

function serveList(asked: URLSearchParams[] = []) {
  on("get", "/monitors", ({ request }) => {
    asked.push(new URL(request.url).searchParams);
    return ok({ monitors: [first, down], total: 120 });
  });
  return asked;
}

/** Emulates a viewport that matches some media queries. */
function matchMedia(fits: (query: string) => boolean) {
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: fits(query),
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
}
afterEach(() => void vi.unstubAllGlobals());

describe("a row of the monitor list", () => {
  it("shows why a monitor is down instead of its response time", async () => {
    serveList();
    await renderScreen("/monitors", { as: admin });
    await screen.findByRole("link", { name: "Shop API" });
    expect(await within(rowOf("Mailer")).findAllByText("Connection refused")).not.toHaveLength(0);
    expect(rowOf("Mailer").textContent).not.toContain("10\u00a0s");
    expect(rowOf("Shop API").textContent).toContain("123\u00a0ms");
  });

  it("shows how many days a certificate is valid, or that it has expired", async () => {
    serveList();
    const { user } = await renderScreen("/monitors", { as: admin });
    await screen.findByRole("link", { name: "Shop API" });
    // Next to the name if it expires soon, and in an optional column.
    expect(within(rowOf("Mailer")).getByText("Expired").getAttribute("title")).toContain("Expired on");
    expect(within(rowOf("Shop API")).queryByText("23 days")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Columns" }));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "Expiry" }));
    await user.keyboard("{Escape}");
    expect(within(rowOf("Shop API")).getByText("23 days").getAttribute("title")).toContain("Expires on");
  });

  it("has the chosen columns, also on the next visit", async () => {
    serveList();
    const { user, unmount } = await renderScreen("/monitors", { as: admin });
    const heads = () => screen.getAllByRole("columnheader").map((head) => head.textContent);
    await screen.findByRole("link", { name: "Shop API" });
    expect(heads().slice(1, -1)).toEqual([
      "Status",
      "Name",
      "URL",
      "Latest checks",
      "Response time",
      "p95",
      "Uptime (24 h)",
    ]);
    await user.click(screen.getByRole("button", { name: "Columns" }));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "URL" }));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "Locations" }));
    unmount();
    await renderScreen("/monitors", { as: admin });
    await screen.findByRole("link", { name: "Shop API" });
    expect(heads().slice(1, -1)).toEqual([
      "Status",
      "Name",
      "Latest checks",
      "Response time",
      "p95",
      "Uptime (24 h)",
      "Locations",
    ]);
    expect(Object.keys(localStorage).toSorted()).toEqual(["token", "user"]);
  });

  it("shows the tags that fit, and all of them on focus until Escape", async () => {
    const asked = serveList();
    const { user } = await renderScreen("/monitors", { as: admin });
    await screen.findByRole("link", { name: "Shop API" });
    const shown = () => tags.filter((tag) => within(rowOf("Shop API")).queryAllByText(tag).length > 0);
    expect(shown()).toEqual(["production", "checkout"]);
    const more = screen.getByRole("button", { name: "All tags: 2 more" });
    more.focus();
    await waitFor(() => expect(shown()).toEqual(tags));
    await screen.findByRole("button", { name: "Check now: Shop API" });
    expect(more.getAttribute("aria-expanded")).toBe("true");
    await user.keyboard("{Escape}");
    expect(shown()).toEqual(["production", "checkout"]);
    await user.keyboard("{Enter}");
    await waitFor(() => expect(shown()).toEqual(tags));
    // Tab moves through the open list, and leaving it closes it.
    for (const tag of tags) {
      await user.tab();
      await waitFor(() => expect(document.activeElement?.textContent).toBe(tag));
    }
    await user.tab();
    expect(shown()).toEqual(["production", "checkout"]);
    await user.tab({ shift: true });
    await waitFor(() => expect(shown()).toEqual(tags));
    for (const _tag of tags) await user.tab();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(asked.at(-1)?.get("tag")).toBe("tier-1"));
  });

  it("is sorted by uptime or response time when a head is clicked", async () => {
    const asked = serveList();
    const { user } = await renderScreen("/monitors", { as: admin });
    await screen.findByRole("link", { name: "Shop API" });
    const sortBy = (name: string) => user.click(within(screen.getByRole("columnheader", { name })).getByRole("button"));
    await sortBy("Uptime (24 h)");
    await waitFor(() => expect(asked.at(-1)?.get("sort")).toBe("uptime"));
    await sortBy("Response time");
    await waitFor(() => expect(asked.at(-1)?.get("sort")).toBe("responseTime"));
    await sortBy("Response time");
    await waitFor(() => expect(asked.at(-1)?.get("sort")).toBe("-responseTime"));
    expect(location.search).toBe("?sort=-responseTime");
  });
});

describe("the list on a phone", () => {
  it("has lines with state, name and response time or cause, which can be sorted and selected", async () => {
    matchMedia((query) => query === "(width < 48rem)");
    const asked = serveList();
    const { user } = await renderScreen("/monitors", { as: admin });
    await screen.findByRole("link", { name: "Shop API" });
    expect(screen.queryByRole("table")).toBeNull();
    expect(rowOf("Mailer").textContent).toContain("Connection refused");
    expect(rowOf("Shop API").textContent).toContain("99.95%");
    await user.selectOptions(screen.getByRole("combobox", { name: "Sort by" }), "Slowest first");
    await waitFor(() => expect(asked.at(-1)?.get("sort")).toBe("-responseTime"));
    await user.click(screen.getByRole("checkbox", { name: "Select all on this page" }));
    expect(await screen.findByText("2 selected")).toBeTruthy();
  });

  it("reserves space for the select-all checkbox while loading", async () => {
    matchMedia((query) => query === "(width < 48rem)");
    const { promise, resolve } = Promise.withResolvers<void>();
    on("get", "/monitors", async () => {
      await promise;
      return ok({ monitors: [monitor], total: 1 });
    });
    await renderScreen("/monitors", { as: admin });
    const chooseAll = () => screen.getByRole<HTMLInputElement>("checkbox", { name: "Select all on this page" });
    await screen.findByRole("list", { name: "API Monitors" });
    expect(chooseAll().disabled).toBe(true);
    resolve();
    await screen.findByRole("link", { name: "Shop API" });
    expect(chooseAll().disabled).toBe(false);
  });
});

describe("a slower monitor on a phone", () => {
  it("shows the change of its p95 in place of the uptime", async () => {
    matchMedia((query) => query === "(width < 48rem)");
    const p95 = { last: 900, usual: 320, change: 181, slower: true };
    on("get", "/monitors", () => ok({ monitors: [{ ...monitor, p95 }], total: 1 }));
    await renderScreen("/monitors", { as: admin });
    const line = (await screen.findByRole("link", { name: "Shop API" })).closest("li");
    expect(line?.textContent).toContain("p95: +181%");
    expect(line?.textContent).not.toContain("99.95%");
  });
});

describe("selecting all matches", () => {
  async function chooseAll(address: string, render = renderScreen) {
    serveList();
    const sent: unknown[] = [];
    on("post", "/monitors/bulk", async ({ request }) => {
      const body = (await request.json()) as { preview?: true };
      if (body.preview) return ok({ done: [], failed: [], openIncidents: 0 });
      sent.push(body);
      return ok({ done: Array.from({ length: 120 }, (_, index) => index + 1), failed: [] });
    });
    const { user } = await render(address, { as: admin });
    await screen.findByRole("link", { name: "Shop API" });
    await user.click(screen.getByRole("checkbox", { name: "Select all on this page" }));
    await user.click(await screen.findByRole("button", { name: "Select all 120 matching monitors" }));
    expect(screen.getByText("All 120 matching monitors selected")).toBeTruthy();
    return { user, sent };
  }

  it("changes them by the list's filters, on all pages", async () => {
    const { user, sent } = await chooseAll("/monitors?search=shop&status=up&tag=production", renderApp);
    await user.click(screen.getByRole("button", { name: "Pause" }));
    expect(await screen.findByText("120 monitors paused")).toBeTruthy();
    // The bar is gone, so the page has the focus.
    await waitFor(() => expect(document.activeElement?.id).toBe("content"));
    expect(sent).toEqual([{ filter: { search: "shop", status: "up", tag: "production" }, action: "pause" }]);
  });

  it("deletes no more than the number shown", async () => {
    const { user, sent } = await chooseAll("/monitors?tag=production");
    await user.click(screen.getByRole("button", { name: "Delete" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("120 monitors and all their history");
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(sent).toEqual([{ filter: { tag: "production" }, action: "delete", atMost: 120 }]));
  });

  it("ends when the filters change or a row is toggled", async () => {
    const { user } = await chooseAll("/monitors?tag=production");
    await user.click(screen.getByRole("checkbox", { name: "Select Mailer" }));
    expect(screen.getByText("1 selected")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Select all 120 matching monitors" }));
    await user.click(screen.getByRole("button", { name: /Down$/ }));
    await waitFor(() => expect(screen.queryByText(/matching monitors selected/)).toBeNull());
    await user.click(screen.getByRole("checkbox", { name: "Select all on this page" }));
    expect(await screen.findByText("2 selected")).toBeTruthy();
  });

  it("shows why the server rejected it", async () => {
    const { user } = await chooseAll("/monitors");
    on("post", "/monitors/bulk", () => fail(422, "impossible", "10001 monitors match"));
    await user.click(screen.getByRole("button", { name: "Pause" }));
    expect(await screen.findByText("10001 monitors match")).toBeTruthy();
  });
});
