import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, monitor, monitors } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";

const mailer = { ...monitors.tls, id: 8, name: "Mailer", status: "down" as const };
type Body = { preview?: true; action: "pause" | "resume"; ids: number[] };

let isPaused: Set<number>;
let sent: Omit<Body, "preview">[];
let openIncidents: number;
let asked: URLSearchParams[];

beforeEach(() => {
  isPaused = new Set();
  sent = [];
  openIncidents = 0;
  asked = [];
  // Like the server, lists paused monitors under no other state.
  on("get", "/monitors", ({ request }) => {
    const query = new URL(request.url).searchParams;
    asked.push(query);
    const ids = query.get("ids")?.split(",").map(Number);
    const status = query.get("status");
    const all = [monitor, mailer].map((each) =>
      isPaused.has(each.id) ? { ...each, paused: true, status: "paused" as const } : each,
    );
    const found = all.filter((each) => ids?.includes(each.id) ?? (status === null || each.status === status));
    return ok({ monitors: found as never, total: found.length });
  });
  on("post", "/monitors/bulk", async ({ request }) => {
    const { preview, ...body } = (await request.json()) as Body;
    if (preview) return ok({ done: [], failed: [], openIncidents });
    sent.push(body);
    for (const id of body.ids) isPaused[body.action === "pause" ? "add" : "delete"](id);
    return ok({ done: body.ids, failed: [], unchanged: [] });
  });
});

const open = async (address = "/monitors") => {
  const app = await renderScreen(address, { as: admin });
  await screen.findByRole("link", { name: "Mailer" });
  return app;
};
const stateOf = (name: string) =>
  screen.queryByRole("link", { name })?.closest("tr")?.querySelector("[data-state]")?.textContent;

describe("a pause", () => {
  it("of one row is undone in its toast", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Actions: Shop API" }));
    await user.click(await screen.findByRole("menuitem", { name: "Pause" }));
    const words = await screen.findByText("1 monitor paused");
    await waitFor(() => expect(stateOf("Shop API")).toBe("Paused"));
    await user.click(within(words.closest("[role=status]") as HTMLElement).getByRole("button", { name: "Undo" }));
    expect(await screen.findByText("Undone")).toBeTruthy();
    expect(sent).toEqual([
      { ids: [7], action: "pause" },
      { ids: [7], action: "resume" },
    ]);
    await waitFor(() => expect(stateOf("Shop API")).toBe("Up"));
  });

  it("asks if it ends incidents, shows their number, and does nothing if cancelled", async () => {
    openIncidents = 2;
    const { user } = await open();
    await user.click(screen.getByRole("checkbox", { name: "Select all on this page" }));
    await user.click(await screen.findByRole("button", { name: "Pause" }));
    const dialog = await screen.findByRole("dialog", { name: "Pause and end 2 incidents?" });
    await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
    expect(sent).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Pause" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Pause" }));
    expect(await screen.findByText("2 monitors paused")).toBeTruthy();
    expect(sent).toEqual([{ ids: [7, 8], action: "pause" }]);
  });

  it("when undone, resumes only the monitors that it paused", async () => {
    on("post", "/monitors/bulk", async ({ request }) => {
      const { preview, ...body } = (await request.json()) as Body;
      if (!preview) sent.push(body);
      return ok({ done: preview ? [] : [7, 8], failed: [], unchanged: [8], openIncidents: 0 });
    });
    const { user } = await open();
    await user.click(screen.getByRole("checkbox", { name: "Select all on this page" }));
    await user.click(await screen.findByRole("button", { name: "Pause" }));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(sent.at(-1)).toEqual({ ids: [7], action: "resume" }));
  });

  it("shows why some monitors could not be paused, next to the number of those that were", async () => {
    on("post", "/monitors/bulk", () =>
      ok({ done: [7], failed: [{ id: 8, message: "Monitor does not exist" }], openIncidents: 0 }),
    );
    const { user } = await open();
    await user.click(screen.getByRole("checkbox", { name: "Select all on this page" }));
    await user.click(await screen.findByRole("button", { name: "Pause" }));
    expect(await screen.findByText("1 monitor paused")).toBeTruthy();
    expect(
      (await screen.findByText("1 couldn't be changed: Monitor does not exist")).closest("[role=alert]"),
    ).toBeTruthy();
  });

  it("keeps its rows visible and current even if the filter excludes them", async () => {
    const { user } = await open("/monitors?status=down");
    await user.click(screen.getByRole("checkbox", { name: "Select Mailer" }));
    await user.click(await screen.findByRole("button", { name: "Pause" }));
    expect(await screen.findByText(/1 changed monitor no longer matches/)).toBeTruthy();
    await waitFor(() => expect(stateOf("Mailer")).toBe("Paused"));
    expect(asked.at(-1)?.get("ids")).toBe("8");
    await user.click(screen.getByRole("button", { name: "Hide" }));
    await waitFor(() => expect(screen.queryByRole("link", { name: "Mailer" })).toBeNull());
  });
});
