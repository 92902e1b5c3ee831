import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { screen, waitFor } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, incident, monitor, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

const serve = (change: { incident?: Incident; silencedUntil?: string } = {}) =>
  on("get", "/incidents/m3", () => ok({ incident, timeline: [], channels: [], ...change }));

beforeEach(() => {
  serve();
  on("get", "/monitors/7", () => ok({ monitor }));
  on("get", "/monitors/7/checks", () => ok({ checks: [] }));
});

const open = async (as = admin) => {
  const app = await renderScreen("/incidents/m3", { as });
  await screen.findByRole("heading", { level: 1, name: /Shop API/ });
  return app;
};
/** Undo button of the newest toast. Older toasts may still be open. */
const undo = () => screen.getAllByRole("button", { name: "Undo" }).at(-1) as HTMLElement;

describe("deferring messages", () => {
  it("snoozes in two clicks, shows the end, and can be undone", async () => {
    const sent: unknown[] = [];
    on("post", "/incidents/m3/snooze", async ({ request }) => {
      sent.push(await request.json());
      const snoozed = { ...incident, snoozedUntil: "2099-05-04T04:00:00Z", snoozedBy: "ada" };
      serve({ incident: snoozed });
      return ok({ incident: snoozed });
    });
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Snooze" }));
    await user.click(await screen.findByRole("menuitem", { name: "4 hours" }));
    expect((await screen.findByText(/^Snoozed until/)).textContent).toMatch(/by ada$/);
    expect(sent).toEqual([{ minutes: 240 }]);
    on("delete", "/incidents/m3/snooze", () => {
      serve();
      return ok({ incident });
    });
    await user.click(undo());
    await waitFor(() => expect(screen.queryByText(/^Snoozed until/)).toBeNull());
  });

  it("does not show a snooze that has ended", async () => {
    serve({ incident: { ...incident, snoozedUntil: "2026-01-02T09:30:00Z", snoozedBy: "ada" } });
    await open();
    expect(screen.queryByText(/^Snoozed until/)).toBeNull();
  });

  it("silences the monitor in two clicks, shows the end, and ends it there", async () => {
    const sent: unknown[] = [];
    const until = "2099-05-04T04:00:00Z";
    const silence = {
      id: 5,
      target: { type: "monitor", id: 7, name: "Shop API" },
      until,
      createdBy: "ada",
      createdAt: until,
    };
    on("get", "/silences", () => ok({ silences: [silence], total: 1 }));
    on("post", "/silences", async ({ request }) => {
      sent.push(await request.json());
      serve({ silencedUntil: until });
      return ok({ silence });
    });
    const ended: unknown[] = [];
    on("delete", "/silences/:id", ({ params }) => {
      ended.push(params["id"]);
      serve();
      return ok({}, "Silence ended");
    });
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Silence" }));
    await user.click(await screen.findByRole("menuitem", { name: "1 hour" }));
    expect((await screen.findByText(/^Silenced until.* by ada$/)).textContent).not.toContain("tag");
    expect(sent).toEqual([{ target: { type: "monitor", id: 7 }, minutes: 60 }]);
    await user.click(await screen.findByRole("button", { name: "End silence" }));
    await waitFor(() => expect(screen.queryByText(/^Silenced until/)).toBeNull());
    expect(ended).toEqual(["5"]);
  });

  it("shows and ends the silence of a monitor whose incident is closed", async () => {
    const until = "2099-05-04T04:00:00Z";
    const over: Incident = { ...incident, closedAt: "2026-01-02T10:30:00Z", resolution: "recovered" };
    serve({ incident: over, silencedUntil: until });
    on("get", "/silences", () =>
      ok({
        silences: [{ id: 5, target: { type: "monitor", id: 7, name: "Shop API" }, until, createdAt: until }],
        total: 1,
      }),
    );
    on("delete", "/silences/5", () => {
      serve({ incident: over });
      return ok({}, "Silence ended");
    });
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "End silence" }));
    await waitFor(() => expect(screen.queryByText(/^Silenced until/)).toBeNull());
  });

  it("says which tag silences the monitor, who did it and why", async () => {
    const until = "2099-05-04T04:00:00Z";
    serve({ silencedUntil: until });
    const tagged = { id: 5, target: { type: "tag" as const, name: "shop" }, until, createdBy: "ada", createdAt: until };
    on("get", "/silences", () => ok({ silences: [{ ...tagged, note: "Load test" }], total: 1 }));
    await open();
    expect((await screen.findByText(/tag shop/)).textContent).toMatch(/ · tag shop · by ada · Load test$/);
    expect(screen.queryByRole("button", { name: "End silence" })).toBeNull();
  });

  it("reports errors, and offers viewers nothing", async () => {
    on("post", "/incidents/m3/snooze", () => new HttpResponse(null, { status: 500 }));
    const { user, unmount } = await open();
    await user.click(screen.getByRole("button", { name: "Snooze" }));
    await user.click(await screen.findByRole("menuitem", { name: "30 minutes" }));
    expect(await screen.findByText("Failed to snooze the incident")).toBeTruthy();
    unmount();
    on("get", "/auth/me", () => ok({ user: viewer }));
    await open(viewer);
    for (const name of ["Snooze", "Silence"]) expect(screen.queryByRole("button", { name })).toBeNull();
  });
});
