import { screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { admin, monitor, monitorCounts } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";

let asked: Record<string, string>[];

beforeEach(() => {
  asked = [];
  on("get", "/monitors/tags", () =>
    ok({
      tags: [
        { name: "shop", monitors: 120, down: 0 },
        { name: "pay", monitors: 2, down: 1 },
      ],
      more: false,
    }),
  );
  on("get", "/monitors/counts", ({ request }) =>
    ok({
      counts: request.url.includes("untagged") ? { ...monitorCounts, total: 3, down: 0 } : monitorCounts,
    }),
  );
  on("get", "/monitors", ({ request }) => {
    const query = Object.fromEntries(new URL(request.url).searchParams);
    asked.push(query);
    const of = query["untagged"] ? "no tag" : (query["tag"] ?? "all");
    return ok({ monitors: [{ ...monitor, id: of.length, name: `One of ${of}` }], total: of === "shop" ? 120 : 1 });
  });
});

const open = async (address = "/monitors?group=tag") => {
  const app = await renderScreen(address, { as: admin });
  await screen.findByRole("button", { name: "pay 2 monitors 1 down" });
  return app;
};

it("shows each tag with its number of monitors, and expands a group with a failure", async () => {
  await open();
  expect(await screen.findByRole("link", { name: "One of pay" })).toBeTruthy();
  expect(screen.getAllByRole("button", { expanded: false }).map((head) => head.textContent)).toEqual(
    expect.arrayContaining(["shop 120 monitors ", "Untagged 3 monitors "]),
  );
  expect(screen.queryByRole("link", { name: "One of shop" })).toBeNull();
});

it("remembers collapsed groups", async () => {
  const { user, unmount } = await open();
  await user.click(screen.getByRole("button", { name: "pay 2 monitors 1 down" }));
  await user.click(screen.getByRole("button", { name: "Untagged 3 monitors" }));
  expect(await screen.findByRole("link", { name: "One of no tag" })).toBeTruthy();
  unmount();
  await open();
  expect(await screen.findByRole("link", { name: "One of no tag" })).toBeTruthy();
  expect(screen.queryByRole("link", { name: "One of pay" })).toBeNull();
});

it("selects all of a group by its filter, never all monitors", async () => {
  let sent: unknown;
  on("get", "/monitors", () => ok({ monitors: [monitor], total: 3 }));
  on("post", "/monitors/bulk", async ({ request }) => {
    sent = await request.json();
    return ok({ done: [], failed: [], openIncidents: 1 });
  });
  const { user } = await open("/monitors?group=tag&search=s");
  await user.click(screen.getByRole("button", { name: "pay 2 monitors 1 down" }));
  await user.click(screen.getByRole("button", { name: "Untagged 3 monitors" }));
  await screen.findByRole("link", { name: "Shop API" });
  await user.click(screen.getByRole("checkbox", { name: "Select all on this page" }));
  await user.click(await screen.findByRole("button", { name: "Select all 3 matching monitors" }));
  await user.click(screen.getByRole("button", { name: "Pause" }));
  await screen.findByRole("dialog");
  expect(sent).toMatchObject({ filter: { search: "s", untagged: "true" }, preview: true });
});

it("is enabled in the URL, and links to the complete list of a large group", async () => {
  const { user } = await open();
  await user.click(screen.getByRole("button", { name: "shop 120 monitors" }));
  await user.click(await screen.findByRole("button", { name: "Show all 120" }));
  await waitFor(() => expect(location.search).toBe("?tag=shop"));
  const toggle = screen.getByRole("button", { name: "Group by tag" });
  expect(toggle.getAttribute("aria-pressed")).toBe("false");
  await user.click(toggle);
  expect(location.search).toBe("?tag=shop&group=tag");
  expect(screen.queryByRole("button", { name: /^pay/ })).toBeNull();
});
