import { screen, waitFor } from "@testing-library/react";
import { HttpResponse } from "msw";
import { describe, expect, it } from "vitest";
import { admin, incident } from "../../testing/fixtures.ts";
import { renderApp } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const linked = {
  incident: {
    id: "m3",
    targetName: "Shop API",
    openedAt: "2026-01-02T09:00:00Z",
    isOpen: true,
    acknowledged: false,
  },
  by: "On-call",
};

/** Answers what the link means; counts what is posted. */
function serve(change: Partial<(typeof linked)["incident"]> = {}) {
  const read: (string | null)[] = [];
  const sent: unknown[] = [];
  on("get", "/incidents/acknowledge-link", ({ request }) => {
    read.push(new URL(request.url).searchParams.get("token"));
    return ok({ ...linked, incident: { ...linked.incident, ...change } });
  });
  on("post", "/incidents/acknowledge-link", async ({ request }) => {
    sent.push(await request.json());
    return ok({ incident });
  });
  return { read, sent };
}

describe("the link of a message", () => {
  it("says without a session what it stands for, changes nothing until it is confirmed, and then says so", async () => {
    const { read, sent } = serve();
    const { user } = await renderApp("/acknowledge?token=a-token");
    expect(await screen.findByText("Shop API")).toBeTruthy();
    expect(screen.getByText(/recorded as “On-call”/)).toBeTruthy();
    expect(read).toEqual(["a-token"]);
    expect(sent).toEqual([]);
    await user.type(screen.getByLabelText("Note"), "Looking");
    await user.click(screen.getByRole("button", { name: "Acknowledge" }));
    expect(
      (await screen.findByText("Acknowledged. No more reminders are sent.")).closest("[role=status]"),
    ).toBeTruthy();
    expect(sent).toEqual([{ token: "a-token", note: "Looking" }]);
    expect(screen.getByRole("link", { name: "Log in and show the incident" }).getAttribute("href")).toBe(
      "/incidents/m3",
    );
  });

  it("stands alone, without the app's navigation, also for who is logged in", async () => {
    serve();
    await renderApp("/acknowledge?token=a-token", { as: admin });
    await screen.findByText("Shop API");
    expect(screen.queryByRole("navigation")).toBeNull();
  });

  it("speaks Chinese, and switches", async () => {
    serve();
    const { user } = await renderApp("/acknowledge?token=a-token", { language: "zh-CN" });
    expect(await screen.findByRole("button", { name: "确认事件" })).toBeTruthy();
    await user.click(screen.getByRole("button", { name: /中文/ }));
    await user.click(await screen.findByRole("menuitemradio", { name: "English" }));
    expect(await screen.findByRole("button", { name: "Acknowledge" })).toBeTruthy();
  });

  it.each([
    ["it is over", { isOpen: false }, /^This incident has ended/],
    ["somebody did it before", { acknowledged: true }, /^It is already acknowledged/],
  ])("asks nothing where %s", async (_what, change, words) => {
    serve(change);
    await renderApp("/acknowledge?token=a-token");
    expect(await screen.findByText(words)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Acknowledge" })).toBeNull();
  });

  it.each([
    ["the server's words", () => fail(404, "not_found", "This link has expired"), "This link has expired"],
    ["its own", () => new HttpResponse(null, { status: 400 }), "This link is not valid or has expired"],
  ])("says by %s that it is wrong or too old", async (_what, answer, words) => {
    on("get", "/incidents/acknowledge-link", answer);
    await renderApp("/acknowledge?token=old");
    expect((await screen.findByRole("alert")).textContent).toBe(words);
    expect(screen.getByText(/valid for seven days/)).toBeTruthy();
  });

  it("says without asking that there is no token in it", async () => {
    const { read } = serve();
    await renderApp("/acknowledge");
    expect((await screen.findByRole("alert")).textContent).toBe("This link is incomplete.");
    expect(read).toEqual([]);
  });

  it("can be tried again where the server is away", async () => {
    on("get", "/incidents/acknowledge-link", () => fail(503, "unavailable", "Not now"));
    const { user } = await renderApp("/acknowledge?token=a-token");
    expect(await screen.findByText("Not now")).toBeTruthy();
    serve();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("Shop API")).toBeTruthy();
  });

  it("shows what went wrong with the acknowledgement, and can be sent again", async () => {
    const { sent } = serve();
    on("post", "/incidents/acknowledge-link", () => new HttpResponse(null, { status: 500 }));
    const { user } = await renderApp("/acknowledge?token=a-token");
    await user.type(await screen.findByLabelText("Note"), "Looking");
    await user.click(screen.getByRole("button", { name: "Acknowledge" }));
    expect(await screen.findByText("Failed to acknowledge the incident")).toBeTruthy();
    expect((screen.getByLabelText("Note") as HTMLTextAreaElement).value).toBe("Looking");
    await waitFor(() => expect(sent).toEqual([]));
  });
});
