import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";

const at = "2099-05-04T04:00:00Z";
const silences = [
  { id: 5, target: { type: "monitor", id: 7, name: "Shop API" }, until: at, createdBy: "ada", createdAt: at },
  { id: 6, target: { type: "tag", name: "staging" }, until: at, note: "Load test", createdBy: "ada", createdAt: at },
];

beforeEach(() => {
  on("get", "/maintenance", () => ok({ maintenance: [], total: 0 }));
  on("get", "/silences", () => ok({ silences, total: 2 }));
});
const open = async (as = admin) => {
  on("get", "/auth/me", () => ok({ user: as }));
  const app = await renderScreen("/status/config?tab=maintenance", { as });
  const heading = await screen.findByRole("heading", { name: "Silenced now" });
  return { ...app, card: within(heading.closest("section") as HTMLElement) };
};

describe("the list of silences", () => {
  it("shows target, end, user and reason", async () => {
    const { card } = await open();
    expect(card.getByRole("link", { name: "Shop API" }).getAttribute("href")).toBe("/monitors/7");
    const rows = card.getAllByRole("listitem").map(({ textContent }) => textContent);
    expect(rows[0]).toMatch(/Silenced until .* by ada/);
    expect(rows[1]).toMatch(/tagstaging.*Load test/);
  });

  it("removes a silence when it is ended", async () => {
    on("delete", "/silences/:id", ({ params }) => {
      on("get", "/silences", () =>
        ok({ silences: silences.filter(({ id }) => id !== Number(params["id"])), total: 1 }),
      );
      return ok({}, "Silence ended");
    });
    const { user, card } = await open();
    await user.click(card.getByRole("button", { name: "End silence: staging" }));
    await waitFor(() => expect(card.getAllByRole("listitem")).toHaveLength(1));
  });

  it("cannot end silences as a viewer", async () => {
    const { card } = await open(viewer);
    expect(card.queryByRole("button")).toBeNull();
  });

  it("is hidden if there are none", async () => {
    on("get", "/silences", () => ok({ silences: [], total: 0 }));
    await renderScreen("/status/config?tab=maintenance", { as: admin });
    await screen.findByText("No maintenance scheduled");
    expect(screen.queryByRole("heading", { name: "Silenced now" })).toBeNull();
  });
});
