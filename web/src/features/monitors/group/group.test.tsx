import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, historyPeriod, monitor, monitorCounts, monitors } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";
import { chooseKind } from "../../../testing/user.ts";

const { group } = monitors;
const members = [
  { ...monitor, id: 11, name: "Node 1", status: "down" as const },
  { ...monitor, id: 12, name: "Node 2", status: "up" as const },
];
const partial = { ...group, id: 7, name: "Cluster", state: "partial" as const, counts: { up: 1, down: 1, ignored: 1 } };
let asked: string[];
beforeEach(() => {
  asked = [];
  on("get", "/monitors/7", () => ok({ monitor: partial as never }));
  on("get", "/monitors/7/history", () => ok({ range: "24h", step: 900, buckets: [], ...historyPeriod }));
  on("get", "/monitors/7/incidents", () => ok({ incidents: [], total: 0 }));
  on("get", "/monitors", ({ request }) => {
    const { searchParams } = new URL(request.url);
    if (searchParams.get("group") === null) return ok({ monitors: [partial as never], total: 1 });
    asked.push(searchParams.get("group")!);
    return ok({ monitors: members as never, total: 2 });
  });
});

describe("the page of a group", () => {
  it("says that it is partly down, and lists its members with their states", async () => {
    await renderScreen("/monitors/7", { as: admin });
    const list = await screen.findByRole("list", { name: "Members of Cluster" });
    const rows = within(list).getAllByRole("listitem");
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^Node 1.*Down$/),
      expect.stringMatching(/^Node 2.*Up$/),
    ]);
    expect(screen.getAllByText("Partly down").length).toBeGreaterThan(0);
    expect(screen.getByText("2 must be up, 1 not counted")).toBeTruthy();
    expect(asked).toEqual(["7"]);
    expect(screen.queryByRole("button", { name: "Check now" })).toBeNull();
  });
});

describe("the list of monitors", () => {
  it("unfolds a group to its members, and folds it again", async () => {
    const { user } = await renderScreen("/monitors", { as: admin });
    const fold = await screen.findByRole("button", { name: /^Members of Cluster/ });
    expect(fold.getAttribute("aria-expanded")).toBe("false");
    expect(fold.textContent).toBe("Members of Cluster 1 of 3 up");
    await user.click(fold);
    expect(await screen.findByRole("link", { name: "Node 1" })).toBeTruthy();
    await user.click(await screen.findByRole("button", { name: /^Members of Cluster/ }));
    await waitFor(() => expect(screen.queryByRole("link", { name: "Node 1" })).toBeNull());
  });

  it("can show only groups, in any state", async () => {
    const queries: (string | null)[] = [];
    on("get", "/monitors", ({ request }) => {
      queries.push(new URL(request.url).searchParams.get("type"));
      return ok({ monitors: [partial as never], total: 1 });
    });
    on("get", "/monitors/counts", ({ request }) => {
      const isGroups = new URL(request.url).searchParams.get("type") === "group";
      const total = isGroups ? 2 : 9;
      return ok({ counts: { ...monitorCounts, total, up: total, down: 0, groups: 2 } });
    });
    const { user } = await renderScreen("/monitors", { as: admin });
    const strip = within(screen.getByRole("group", { name: "Filter by status" }));
    await user.click(await strip.findByRole("button", { name: "2 Groups" }));
    await waitFor(() => expect(queries.at(-1)).toBe("group"));
    expect(await strip.findByRole("button", { name: "2 Up" })).toBeTruthy();
    await user.click(strip.getByRole("button", { name: "2 Up" }));
    expect(new URLSearchParams(location.search).toString()).toBe("status=up&type=group");
    await user.click(strip.getByRole("button", { name: "2 Groups" }));
    await waitFor(() => expect(queries.at(-1)).toBeNull());
  });

  it("has no filter for groups if there are none", async () => {
    await renderScreen("/monitors", { as: admin });
    await screen.findByRole("button", { name: "981 Up" });
    expect(screen.queryByRole("button", { name: /Groups/ })).toBeNull();
  });
});

describe("a new group", () => {
  it("has members by search or by tag, and a number that must be up", async () => {
    let sent: Record<string, unknown> | undefined;
    on("get", "/locations", () => ok({ locations: [] }));
    on("get", "/monitors/tags", () => ok({ tags: [{ name: "prod", monitors: 2, down: 0 }], more: false } as never));
    on("get", "/agents/tags", () => ok({ tags: [], more: false } as never));
    on("post", "/monitors", async ({ request }) => {
      sent = (await request.json()) as Record<string, unknown>;
      return ok({ monitor: partial as never });
    });
    const { user } = await renderScreen("/monitors/create", { as: admin });
    await screen.findByRole("heading", { name: "Add monitor" });
    await chooseKind(user, "Group");
    await user.type(await screen.findByLabelText(/^Name/), "Cluster");
    await user.click(screen.getByRole("button", { name: "Create monitor" }));
    expect(await screen.findByText("Choose either members or a tag")).toBeTruthy();
    expect(screen.getByText("Description, dependencies and note. All are optional.")).toBeTruthy();
    expect(screen.queryByText(/timeout, retries/)).toBeNull();
    await user.click(screen.getByRole("radio", { name: "By tag" }));
    await user.click(await screen.findByRole("button", { name: "prod" }));
    await user.selectOptions(screen.getByRole("combobox", { name: /^Must be up/ }), "A number of members");
    await user.clear(screen.getByRole("textbox", { name: "Number of members" }));
    await user.type(screen.getByRole("textbox", { name: "Number of members" }), "3");
    await user.click(screen.getByLabelText(/^Members send their own alerts/));
    await user.click(screen.getByRole("button", { name: "Create monitor" }));
    await waitFor(() =>
      expect(sent).toMatchObject({ type: "group", members: [], tag: "prod", need: 3, notifyMembers: false }),
    );
  });
});
