import type { Subscriber } from "@sonde/proto/http/status/subscribers";
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, config, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";
import { serveStatusConfig, serveTargets } from "../../../testing/status-page.ts";

const reader: Subscriber = {
  id: 4,
  email: "reader@example.com",
  status: "confirmed",
  services: [],
  pages: ["default"],
  language: "en-US",
  createdAt: "2026-01-02T09:00:00Z",
  confirmedAt: "2026-01-02T09:10:00Z",
};
const chooser: Subscriber = {
  id: 5,
  email: "chooser@example.com",
  status: "pending",
  services: ["monitor:7", "monitor:8", "agent:3", "monitor:99"],
  pages: ["default"],
  language: "zh-CN",
  createdAt: "2026-01-03T09:00:00Z",
};

let asked: URLSearchParams[];
const serve = (subscribers: Subscriber[]) =>
  on("get", "/status/subscribers", ({ request }) => {
    const params = new URL(request.url).searchParams;
    asked.push(params);
    const found = subscribers.filter(({ email }) => email.includes(params.get("search") ?? ""));
    return ok({ subscribers: found, total: found.length } as never);
  });
const subscribing = { subscriptions: { enabled: true, channelId: 2 } };

beforeEach(() => {
  asked = [];
  serve([chooser, reader]);
  serveTargets();
  serveStatusConfig(subscribing);
  on("get", "/config", () => ok({ ...config, publicUrl: "https://up.example" }));
});

const open = (params = "", as = admin) => renderScreen(`/status/config?tab=subscribers${params}`, { as });
const rowOf = async (email: string) => (await screen.findAllByText(email))[0]!.closest("tr") as HTMLElement;

describe("the subscribers", () => {
  it("are counted and listed with status and their services, by the page's names", async () => {
    await open();
    expect((await rowOf("reader@example.com")).textContent).toContain("Everything");
    expect((await rowOf("reader@example.com")).textContent).toContain("Confirmed");
    const row = await rowOf("chooser@example.com");
    expect(row.textContent).toContain("Awaiting confirmation");
    await waitFor(() => expect(row.textContent).toMatch(/Shop API, Payments, .+ and 1 more/));
    expect(screen.getByText("2 subscribers")).toBeTruthy();
    expect(asked.at(-1)?.has("sort")).toBe(false);
  });

  it("are searched by part of the address, and keep slug and tab in the URL", async () => {
    const { user } = await open();
    await user.type(await screen.findByLabelText("Search by address"), "chooser");
    await waitFor(() => expect(screen.queryByText("reader@example.com")).toBeNull());
    expect(await screen.findByText("1 subscriber")).toBeTruthy();
    expect(new URLSearchParams(location.search).get("tab")).toBe("subscribers");
    await user.click(screen.getByRole("button", { name: "Clear search" }));
    expect(await screen.findByText("reader@example.com")).toBeTruthy();
    expect(location.search).toBe("?tab=subscribers");
  });

  it("are deleted after a confirmation", async () => {
    const deleted: string[] = [];
    on("delete", "/status/subscribers/4", () => {
      deleted.push("4");
      return ok({}, "Subscriber deleted");
    });
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Delete: reader@example.com" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText(/“reader@example.com”/)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Subscriber deleted")).toBeTruthy();
    await waitFor(() => expect(screen.queryByText("reader@example.com")).toBeNull());
    expect(screen.getByText("1 subscriber")).toBeTruthy();
    expect(deleted).toEqual(["4"]);
  });

  it("are only a number for viewers", async () => {
    on("get", "/status/subscribers", () => ok({ subscribers: [], total: 2 } as never));
    await open("", viewer);
    expect(await screen.findByText("2 subscribers")).toBeTruthy();
    expect(screen.queryByText(/No subscribers yet/)).toBeNull();
    expect(screen.queryByLabelText("Search by address")).toBeNull();
  });

  it("show that there are none", async () => {
    serve([]);
    await open();
    expect(await screen.findByText("No subscribers yet")).toBeTruthy();
  });

  it("can be requested again after a failure", async () => {
    on("get", "/status/subscribers", () => new HttpResponse(null, { status: 503 }));
    const { user } = await open();
    const again = await screen.findByRole("button", { name: "Try again" });
    serve([reader]);
    await user.click(again);
    expect(await screen.findByText("reader@example.com")).toBeTruthy();
  });
});

describe("why subscriptions are not possible", () => {
  it.each([
    ["subscriptions are off", { enabled: false, channelId: 2 }, "https://up.example", /subscriptions are off/],
    ["no channel is chosen", { enabled: true, channelId: null }, "https://up.example", /no channel is selected/],
    ["PUBLIC_URL is not set", { enabled: true, channelId: 2 }, null, /PUBLIC_URL/],
  ])("is explained if %s", async (_why, subscriptions, publicUrl, hint) => {
    serveStatusConfig({ subscriptions });
    on("get", "/config", () => ok({ ...config, publicUrl }));
    await open();
    expect(await screen.findByText(hint)).toBeTruthy();
    expect(await rowOf("reader@example.com")).toBeTruthy();
  });

  it("is not shown if they are possible", async () => {
    await open();
    expect(await rowOf("reader@example.com")).toBeTruthy();
    expect(screen.queryByText(/Visitors can't subscribe/)).toBeNull();
  });
});
