import type { Announcement } from "@sonde/proto/http/status/announcements";
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, agent, incident, monitor, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const announcement: Announcement = {
  id: 4,
  title: "Payments are slow",
  impact: "major",
  monitors: [7],
  agents: [],
  state: "identified",
  updates: [
    { id: 1, state: "investigating", text: "We are **looking**.", at: "2026-01-02T09:00:00Z" },
    { id: 2, state: "identified", text: "A disk is full.", at: "2026-01-02T09:10:00Z" },
  ],
  createdAt: "2026-01-02T09:00:00Z",
  updatedAt: "2026-01-02T09:10:00Z",
};
const over: Announcement = {
  ...announcement,
  id: 3,
  title: "Mail was away",
  state: "resolved",
  resolvedAt: "2026-01-01T10:00:00Z",
};
const page = { monitors: [7], agents: [], names: [{ type: "monitor", id: 7, name: "Web shop" }] };

let sent: unknown[];
const take = (method: "post" | "put", path: string, answer: () => Response = () => ok({ announcement } as never)) =>
  on(method, path, async ({ request }) => {
    sent.push(await request.json());
    return answer();
  });
const serve = (open: Announcement[], past: Announcement[]) =>
  on("get", "/announcements", ({ request }) => {
    const params = new URL(request.url).searchParams;
    const all = { true: open, false: past }[params.get("open") ?? ""] ?? [...open, ...past];
    const about = params.get("incidentId");
    const found = about === null ? all : all.filter(({ incidentId }) => incidentId === about);
    return ok({ announcements: found, total: found.length } as never);
  });
const serveOne = (one: Announcement) => on("get", `/announcements/${one.id}`, () => ok({ announcement: one } as never));

beforeEach(() => {
  sent = [];
  serve([announcement], [over]);
  serveOne(announcement);
  on("get", "/status/config", () => ok({ config: page, publicUrl: "/status" } as never));
  on("get", "/monitors/7", () => ok({ monitor } as never));
  on("get", "/agents/3", () => ok({ agent } as never));
  on("get", "/incidents/m3", () => ok({ incident, timeline: [], channels: [] } as never));
  on("get", "/monitors", () => ok({ monitors: [monitor], total: 1 } as never));
  on("get", "/agents", () => ok({ agents: [agent], total: 1 } as never));
});

const open = (params = "", as = admin) => renderScreen(`/status/config?tab=incidents${params}`, { as });
const field = (label: string) => screen.findByLabelText<HTMLTextAreaElement>(new RegExp(`^${label}`));
const card = async (name: string) =>
  within((await screen.findByRole("heading", { level: 2, name })).closest("section") as HTMLElement);

describe("the announcements", () => {
  it("are listed as open and past, with impact and state", async () => {
    await open();
    const now = await card("Open");
    const row = now.getByRole("link", { name: "Payments are slow" }).closest("li") as HTMLElement;
    expect(row.textContent).toContain("Major");
    expect(row.textContent).toContain("Identified");
    expect(row.textContent).toContain("1 affected");
    const past = await card("Past");
    expect(past.getByRole("link", { name: "Mail was away" })).toBeTruthy();
    expect(past.queryByRole("link", { name: "Post an update" })).toBeNull();
  });

  it("can be updated with one click, which focuses the field", async () => {
    const { user } = await open();
    await user.click((await card("Open")).getByRole("link", { name: "Post an update" }));
    await waitFor(async () => expect(document.activeElement).toBe(await field("Text")));
  });

  it("explain their purpose if there are none", async () => {
    serve([], []);
    await open();
    expect(await screen.findByText("No announcements yet")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Announce an incident" }).getAttribute("href")).toBe(
      "/status/config?tab=incidents&announce=new",
    );
  });

  it("are deleted after a confirmation", async () => {
    on("delete", "/announcements/4", () => {
      serve([], [over]);
      return ok({}, "Announcement successfully deleted");
    });
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Delete: Payments are slow" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText(/“Payments are slow”/)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Announcement successfully deleted")).toBeTruthy();
    expect(await screen.findByText("No open announcements.")).toBeTruthy();
  });

  it("are read-only for viewers", async () => {
    const { user } = await open("", viewer);
    await user.click(await screen.findByRole("link", { name: "Payments are slow" }));
    expect(await screen.findByText("A disk is full.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Delete|Change|Post/ })).toBeNull();
    expect(screen.queryByRole("link", { name: "Announce an incident" })).toBeNull();
  });

  it("can be requested again after a failure", async () => {
    on("get", "/announcements", () => new HttpResponse(null, { status: 500 }));
    const { user } = await open();
    const again = await screen.findByRole("button", { name: "Try again" });
    serve([announcement], []);
    await user.click(again);
    expect(await screen.findByRole("link", { name: "Payments are slow" })).toBeTruthy();
  });
});

describe("announcing", () => {
  it("publishes title, impact, affected services and a first update, and opens the announcement", async () => {
    take("post", "/announcements", () => ok({ announcement } as never, "Announcement created"));
    const { user } = await open("&announce=new");
    expect(document.activeElement).toBe(await field("Title"));
    await user.type(await field("Title"), " Payments are slow ");
    await user.selectOptions(await field("Impact"), "critical");
    await user.type(await field("Affected"), "web");
    await user.click(await screen.findByRole("option", { name: /web-1/ }));
    expect(await screen.findByText(/1 of these isn't on the page/)).toBeTruthy();
    await user.type(await field("Text"), "We are **looking**.");
    const preview = within(screen.getByRole("group", { name: "Preview" }));
    expect((await preview.findByText("looking")).tagName).toBe("STRONG");
    await user.click(screen.getByRole("button", { name: "Publish" }));
    expect(await screen.findByText("Announcement created")).toBeTruthy();
    expect(location.search).toBe("?tab=incidents&announcement=4&update=1");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/^Text/)));
    expect(sent).toEqual([
      {
        title: "Payments are slow",
        impact: "critical",
        monitors: [],
        agents: [3],
        state: "investigating",
        text: "We are **looking**.",
      },
    ]);
  });

  it("starts with data of an incident and the page's own names", async () => {
    take("post", "/announcements");
    const { user } = await open("&announce=m3");
    expect((await field("Title")).value).toBe("Web shop is down");
    expect((await field("Impact")).value).toBe("major");
    expect(await screen.findByRole("button", { name: "Remove Shop API" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "m3" }).getAttribute("href")).toBe("/incidents/m3");
    await user.type(await field("Text"), "Looking");
    await user.click(screen.getByRole("button", { name: "Publish" }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ title: "Web shop is down", monitors: [7], incidentId: "m3" });
  });

  it("starts empty if the incident no longer exists", async () => {
    on("get", "/incidents/m9", () => fail(404, "not_found", "Incident does not exist"));
    await open("&announce=m9");
    expect((await field("Title")).value).toBe("");
  });

  it("reports that an incident is already announced", async () => {
    serve([{ ...announcement, incidentId: "m3" }], []);
    await open("&announce=m3");
    expect(await screen.findByText("This incident is already announced.")).toBeTruthy();
    expect(screen.getByRole("link", { name: "View announcement" }).getAttribute("href")).toBe(
      "/status/config?tab=incidents&announcement=4",
    );
  });

  it("shows missing fields without a request", async () => {
    take("post", "/announcements");
    const { user } = await open("&announce=new");
    await user.click(await screen.findByRole("button", { name: "Publish" }));
    expect(await screen.findByText("Title is required")).toBeTruthy();
    expect(screen.getByText("This field is required")).toBeTruthy();
    expect((await field("Title")).getAttribute("aria-invalid")).toBe("true");
    expect(sent).toEqual([]);
  });

  it.each([
    ["the fallback", () => new HttpResponse(null, { status: 500 }), "Failed to publish the announcement"],
    [
      "an error of an affected service next to its field",
      () =>
        fail(422, "impossible", "The request is not valid", [
          { path: "monitors.0", message: "There is no monitor with ID 7" },
        ]),
      "There is no monitor with ID 7",
    ],
  ])("shows %s and keeps the input", async (_what, answer, words) => {
    take("post", "/announcements", answer);
    const { user } = await open("&announce=m3");
    await user.type(await field("Text"), "Looking");
    await user.click(screen.getByRole("button", { name: "Publish" }));
    expect(await screen.findByText(words)).toBeTruthy();
    expect((await field("Text")).value).toBe("Looking");
  });

  it("warns before unsaved changes are lost", async () => {
    const { user } = await open("&announce=new");
    await user.type(await field("Title"), "Half");
    await user.click(screen.getByRole("tab", { name: "Subscribers" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Stay" }));
    expect((await field("Title")).value).toBe("Half");
  });

  it("is not available to viewers, not even by URL", async () => {
    await open("&announce=new", viewer);
    expect(await screen.findByRole("link", { name: "Payments are slow" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Publish" })).toBeNull();
  });
});

describe("an announcement", () => {
  it("shows the newest update first", async () => {
    await open("&announcement=4");
    const items = (await card("Updates")).getAllByRole("listitem");
    expect(items.map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining("A disk is full."),
      expect.stringContaining("looking"),
    ]);
  });

  it("accepts an update that resolves it", async () => {
    take("post", "/announcements/4/updates", () => {
      serveOne({ ...announcement, state: "resolved", resolvedAt: "2026-01-02T10:00:00Z" });
      return ok({ announcement } as never, "Update posted");
    });
    const { user } = await open("&announcement=4");
    expect((await field("State")).value).toBe("identified");
    await user.selectOptions(await field("State"), "resolved");
    await user.type(await field("Text"), "It is over.");
    await user.click(screen.getByRole("button", { name: "Post update" }));
    expect(await screen.findByText("Update posted")).toBeTruthy();
    expect(await screen.findByText(/Choosing another state reopens it/)).toBeTruthy();
    expect((await field("Text")).value).toBe("");
    expect(sent).toEqual([{ state: "resolved", text: "It is over." }]);
  });

  it("can change its details", async () => {
    take("put", "/announcements/4", () => ok({ announcement } as never, "Announcement updated"));
    const { user } = await open("&announcement=4");
    await user.click(await screen.findByRole("button", { name: "Edit details" }));
    await user.type(await field("Title"), " today");
    await user.click(await screen.findByRole("button", { name: "Remove Shop API" }));
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    expect(await screen.findByText("Announcement updated")).toBeTruthy();
    expect(sent).toEqual([{ title: "Payments are slow today", impact: "major", monitors: [], agents: [] }]);
    expect(screen.queryByRole("button", { name: "Save changes" })).toBeNull();
  });

  it("gets a post-mortem, which is removed by clearing its text", async () => {
    serveOne({ ...announcement, postMortem: "# Why" });
    take("put", "/announcements/4", () => ok({ announcement } as never, "Announcement updated"));
    const { user } = await open("&announcement=4");
    await user.click(await screen.findByRole("button", { name: "Edit post-mortem" }));
    const text = await field("Post-mortem");
    await user.type(text, "!");
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    await waitFor(() => expect(sent).toEqual([{ postMortem: "# Why!" }]));
    await user.click(await screen.findByRole("button", { name: "Edit post-mortem" }));
    await user.clear(await field("Post-mortem"));
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    await waitFor(() => expect(sent[1]).toEqual({ postMortem: null }));
  });

  it("warns before an unsent update is lost, and not after it was sent", async () => {
    take("post", "/announcements/4/updates");
    const { user } = await open("&announcement=4");
    await user.type(await field("Text"), "Half");
    await user.click(screen.getByRole("link", { name: "All announcements" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Stay" }));
    await user.click(screen.getByRole("button", { name: "Post update" }));
    expect(await screen.findByText("Update posted")).toBeTruthy();
    await user.click(screen.getByRole("link", { name: "All announcements" }));
    expect(await card("Open")).toBeTruthy();
  });

  it("returns to the list after deletion, even with unsaved changes", async () => {
    on("delete", "/announcements/4", () => ok({}, "Announcement successfully deleted"));
    const { user } = await open("&announcement=4");
    await user.type(await field("Text"), "Half");
    await user.click(screen.getByRole("button", { name: "Delete announcement" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Announcement successfully deleted")).toBeTruthy();
    expect(location.search).toBe("?tab=incidents");
  });

  it.each(["9", "x"])("that does not exist (%s) is reported", async (id) => {
    on("get", "/announcements/9", () => fail(404, "not_found", "Announcement does not exist"));
    await open(`&announcement=${id}`);
    expect(await screen.findByText("Announcement does not exist")).toBeTruthy();
  });
});

describe("an incident page", () => {
  const link = (name: string) => screen.findByRole("link", { name });

  it("links to the form that announces the incident", async () => {
    await renderScreen("/incidents/m3", { as: admin });
    expect((await link("Announce")).getAttribute("href")).toBe("/status/config?tab=incidents&announce=m3");
  });

  it("links to an existing announcement, also for viewers", async () => {
    serve([{ ...announcement, incidentId: "m3" }], []);
    await renderScreen("/incidents/m3", { as: viewer });
    expect((await link("Announced")).getAttribute("href")).toBe("/status/config?tab=incidents&announcement=4");
  });

  it("offers viewers nothing else", async () => {
    await renderScreen("/incidents/m3", { as: viewer });
    await screen.findByRole("heading", { level: 1, name: "Shop API is down" });
    expect(screen.queryByRole("link", { name: /status page/ })).toBeNull();
  });

  it("can announce while the announcement's state is unknown", async () => {
    on("get", "/announcements", () => fail(503, "unavailable"));
    await renderScreen("/incidents/m3", { as: admin });
    expect(await link("Announce")).toBeTruthy();
  });
});
