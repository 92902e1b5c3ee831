import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { dispatchLive } from "../../../app/live/events.ts";
import { admin, agent, monitor } from "../../../testing/fixtures.ts";
import { brokenSlack, delivery, serveChannels, telegram, testDelivery } from "../../../testing/notifications.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

beforeEach(() => {
  serveChannels([telegram, brokenSlack]);
  on("get", "/monitors", () => ok({ monitors: [monitor], total: 1 } as never));
  on("get", "/monitors/7", () => ok({ monitor } as never));
  on("get", "/agents", () => ok({ agents: [agent], total: 1 } as never));
});
function serve(deliveries: Delivery[] = [delivery, testDelivery], total = deliveries.length) {
  const asked: Record<string, string>[] = [];
  on("get", "/notifications/deliveries", ({ request }) => {
    asked.push(Object.fromEntries(new URL(request.url).searchParams));
    return ok({ deliveries, total } as never);
  });
  return asked;
}
const open = (query = "") => renderScreen(`/notifications/deliveries${query}`, { as: admin });

describe("the delivery history", () => {
  it("shows kind, target, channel and outcome of each message", async () => {
    serve([{ ...delivery, reminder: 2, grouped: 4 }, testDelivery]);
    await open();
    const row = (await screen.findByRole("link", { name: "Shop API" })).closest("tr") as HTMLElement;
    expect(row.textContent).toContain("Down");
    expect(row.textContent).toContain("Reminder 2 · grouped with 3 other alerts");
    expect(within(row).getAllByText("Failed").length).toBeGreaterThan(0);
    expect(within(row).getAllByText("On call").length).toBeGreaterThan(0);
    expect(within(row).getByRole("link", { name: "View incident" }).getAttribute("href")).toBe("/incidents/m3");
    expect(screen.getByText("Test")).toBeTruthy();
  });

  it("expands attempts with times, status codes and responses, and keeps that in the URL", async () => {
    serve();
    const { user } = await open();
    const toggle = await screen.findByRole("button", { name: "Show attempts: 2 attempts" });
    expect(toggle.getAttribute("aria-expanded")).toBe("false");
    await user.click(toggle);
    const attempts = within(await screen.findByRole("list", { name: "Attempts" })).getAllByRole("listitem");
    expect(attempts.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/Status 502 · 120.ms.*Bad Gateway/),
      expect.stringMatching(/Status 403 · 80.ms.*Forbidden: bot was blocked by the user/),
    ]);
    expect(location.search).toBe("?open=40");
    await user.click(toggle);
    expect(screen.queryByRole("list", { name: "Attempts" })).toBeNull();
  });

  it("expands a delivery from a link", async () => {
    const asked = serve();
    await open("?channel=1&open=40");
    expect(await screen.findByText("Bad Gateway")).toBeTruthy();
    expect(asked[0]).toEqual({ page: "1", pageSize: "50", channel: "1" });
  });

  it("filters by channel, status and target, and keeps the filters in the URL", async () => {
    const asked = serve();
    const { user } = await open();
    await user.selectOptions(
      await screen.findByLabelText("Channel"),
      await screen.findByRole("option", { name: "Ops room" }),
    );
    await user.selectOptions(screen.getByLabelText("Status"), "failed");
    await user.click(screen.getByRole("button", { name: /^Monitor or agent/ }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByLabelText("Monitor or agent"));
    await user.click(await dialog.findByRole("option", { name: /^Shop API/ }));
    await waitFor(() =>
      expect(asked.at(-1)).toEqual({ page: "1", pageSize: "50", channel: "2", status: "failed", target: "monitor:7" }),
    );
    expect(await screen.findByRole("button", { name: "Monitor or agent: Shop API" })).toBeTruthy();
    expect(location.search).toBe("?channel=2&status=failed&target=monitor%3A7");
    await user.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(asked.at(-1)).toEqual({ page: "1", pageSize: "50" }));
  });

  it("sends only valid filters to the server", async () => {
    const asked = serve();
    await open("?search=x&sort=name&channel=abc&target=user:1&status=lost");
    await screen.findByRole("link", { name: "Shop API" });
    expect(asked[0]).toEqual({ page: "1", pageSize: "50" });
  });

  it("updates with deliveries while visible", async () => {
    serve([testDelivery]);
    await open();
    await screen.findByText("Test");
    serve([delivery, testDelivery]);
    const data = { id: 40, channelId: 1, status: "pending" };
    act(() => dispatchLive([{ id: "1", name: "delivery", data } as never]));
    expect(await screen.findByRole("link", { name: "Shop API" })).toBeTruthy();
  });

  it("shows when a waiting delivery is retried", async () => {
    const nextAttemptAt = new Date(Date.now() + 90_000).toISOString();
    serve([{ ...delivery, status: "pending", nextAttemptAt }]);
    await open();
    const row = (await screen.findByRole("link", { name: "Shop API" })).closest("tr") as HTMLElement;
    expect(row.textContent).toMatch(/Pending.*Next attempt in 1 minute/);
  });

  it("says what a due delivery waits for", async () => {
    serve([{ ...delivery, status: "pending", nextAttemptAt: new Date(Date.now() - 120_000).toISOString() }]);
    await open();
    const row = (await screen.findByRole("link", { name: "Shop API" })).closest("tr") as HTMLElement;
    expect(row.textContent).toContain("Waiting for its turn");
  });

  it("distinguishes an empty history from no matches", async () => {
    serve([]);
    const { user } = await open("?status=failed");
    expect(await screen.findByText("Try other filters.")).toBeTruthy();
    await user.click(screen.getAllByRole("button", { name: "Clear filters" })[0] as HTMLElement);
    expect(await screen.findByText("Nothing sent yet")).toBeTruthy();
  });

  it.each([
    [
      "the server's message",
      () => fail(503, "unavailable", "The notifier service is currently unavailable"),
      /^The notifier/,
    ],
    ["the fallback", () => new HttpResponse(null, { status: 500 }), /^Failed to fetch data$/],
  ])("shows %s with a retry that works", async (_what, answer, words) => {
    on("get", "/notifications/deliveries", answer);
    const { user } = await open();
    expect(await screen.findByText(words)).toBeTruthy();
    serve();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("link", { name: "Shop API" })).toBeTruthy();
  });
});

describe("alerts that were not sent", () => {
  const held = {
    id: 9,
    at: "2026-01-02T10:00:00Z",
    kind: "down",
    target: { type: "monitor", id: 7, name: "Shop API" },
    incidentId: "m3",
    channelId: 1,
    channelName: "On call",
    reason: "quiet_hours",
    text: "“Down” to On call is deferred until quiet hours end",
    heldUntil: "2026-01-02T12:00:00Z",
  };
  const skipped = {
    ...held,
    id: 8,
    reason: "no_channels",
    text: "Not sent: no channel selected",
    heldUntil: undefined,
  };

  it("are listed with reason and end, filtered like messages", async () => {
    const asked: Record<string, string>[] = [];
    serve();
    on("get", "/notifications/unsent", ({ request }) => {
      asked.push(Object.fromEntries(new URL(request.url).searchParams));
      return ok({ unsent: [held, skipped], total: 2 } as never);
    });
    const { user } = await open("?status=failed&target=monitor:7");
    await user.click(await screen.findByRole("radio", { name: "Not sent" }));
    const row = (await screen.findByText(held.text)).closest("tr") as HTMLElement;
    expect(within(row).getAllByText("Deferred").length).toBeGreaterThan(0);
    expect(row.textContent).toContain("until");
    const other = screen.getByText(skipped.text).closest("tr") as HTMLElement;
    expect(within(other).getAllByText("Not sent").length).toBeGreaterThan(0);
    expect(asked[0]).toEqual({ page: "1", pageSize: "50", target: "monitor:7" });
    expect(screen.queryByLabelText("Status")).toBeNull();
    expect(location.search).toContain("view=unsent");
  });

  it("say so if there are none", async () => {
    on("get", "/notifications/unsent", () => ok({ unsent: [], total: 0 } as never));
    await open("?view=unsent");
    expect(await screen.findByText("Nothing was held back")).toBeTruthy();
  });
});
