import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { admin, monitor } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";

const slow: Monitor = { ...monitor, p95: { last: 900, usual: 320, change: 181, slower: true } };
const steady: Monitor = {
  ...monitor,
  id: 8,
  name: "Steady",
  p95: { last: 327, usual: 320, change: 2, slower: false },
};
const fresh: Monitor = {
  ...monitor,
  id: 9,
  name: "New",
  p95: { last: 12.5, usual: null, change: null, slower: false },
};
const none: Monitor = { ...monitor, id: 10, name: "Unchecked" };

async function show(address: string) {
  const asked: URLSearchParams[] = [];
  on("get", "/monitors", ({ request }) => {
    asked.push(new URL(request.url).searchParams);
    return ok({ monitors: [slow, steady, fresh, none], total: 120 });
  });
  const rendered = await renderScreen(address, { as: admin });
  await screen.findByRole("link", { name: "Shop API" });
  const last = () => Object.fromEntries(asked.at(-1) ?? []);
  return { ...rendered, last };
}

const cellOf = (name: string) => {
  const index = screen.getAllByRole("columnheader").findIndex(({ textContent }) => textContent === "p95");
  return (screen.getByRole("link", { name }).closest("tr") as HTMLTableRowElement).cells[index]!;
};

describe("the p95 column", () => {
  it("shows the change, coloured and marked only for a monitor that became slower", async () => {
    await show("/monitors");
    expect(cellOf("Shop API").textContent).toBe("900\u00a0ms +181%");
    expect(cellOf("Shop API").title).toBe("p95 of the last 3 hours; at the same hours of the last 7 days: 320\u00a0ms");
    expect(cellOf("Shop API").querySelector(".text-warn-ink svg")).toBeTruthy();
    expect(cellOf("Steady").textContent).toBe("327\u00a0ms +2%");
    expect(cellOf("Steady").querySelector(".text-warn-ink, svg")).toBeNull();
  });

  it("shows no change without a usual value, and a dash without data", async () => {
    await show("/monitors");
    expect(cellOf("New").textContent?.trim()).toBe("13\u00a0ms");
    expect(cellOf("New").title).toBe("p95 of the last 3 hours");
    expect(cellOf("Unchecked").textContent?.trim()).toBe("–");
  });

  it("sorts the list by p95", async () => {
    const { user, last } = await show("/monitors");
    await user.click(screen.getByRole("button", { name: "p95" }));
    await waitFor(() => expect(last()).toMatchObject({ sort: "p95" }));
  });
});

describe("the filter Getting slower", () => {
  const filter = (name: string) =>
    within(screen.getByRole("group", { name: "Filter by status" })).getByRole("button", { name });

  it("lists slower monitors by their change, instead of those of a state", async () => {
    const { user, last, path } = await show("/monitors?status=down");
    await user.click(filter("Getting slower"));
    await waitFor(() => expect(last()).toMatchObject({ slower: "true", sort: "-p95Change" }));
    expect(last()).not.toHaveProperty("status");
    expect(path()).toBe("/monitors");
    expect(filter("Getting slower").getAttribute("aria-pressed")).toBe("true");
    expect(filter("1,001 All").getAttribute("aria-pressed")).toBe("false");
    await user.click(filter("Getting slower"));
    await waitFor(() => expect(last()).toMatchObject({ sort: "status" }));
    expect(last()).not.toHaveProperty("slower");
  });

  it("ends when a state is chosen, and keeps an order that the user chose", async () => {
    const { user, last } = await show("/monitors?slower=true&sort=name");
    expect(last()).toMatchObject({ slower: "true", sort: "name" });
    await user.click(filter("981 Up"));
    await waitFor(() => expect(last()).toMatchObject({ status: "up", sort: "name" }));
    expect(last()).not.toHaveProperty("slower");
  });

  it("limits a change of all matching monitors", async () => {
    const bodies: unknown[] = [];
    on("post", "/monitors/bulk", async ({ request }) => {
      bodies.push(await request.json());
      return ok({ done: [7], failed: [], openIncidents: 0 });
    });
    const { user } = await show("/monitors?slower=true");
    await user.click(screen.getByRole("checkbox", { name: "Select Shop API" }));
    await user.click(await screen.findByRole("button", { name: "Select all 120 matching monitors" }));
    await user.click(screen.getByRole("button", { name: "Resume" }));
    await waitFor(() => expect(bodies).toMatchObject([{ action: "resume", filter: { slower: "true" } }]));
  });
});
