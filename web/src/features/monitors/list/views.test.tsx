import type { SavedView } from "@sonde/proto/http/views";
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, monitor, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const night: SavedView = { name: "Night shift", query: "status=down&tag=shop", columns: ["uptime"] };
let views: SavedView[];

beforeEach(() => {
  views = [night];
  on("get", "/monitors", () => ok({ monitors: [monitor], total: 1 }));
  on("get", "/me/views", () => ok({ views, shared: [{ name: "Payments", query: "tag=payments", by: "grace" }] }));
  on("put", "/me/views", async ({ request }) => {
    ({ views } = (await request.json()) as { views: SavedView[] });
    return ok({ views, shared: [] });
  });
});

async function open(address: string, as = admin) {
  const { user } = await renderScreen(address, { as });
  await screen.findByRole("link", { name: "Shop API" });
  const openMenu = () => user.click(screen.getByRole("button", { name: "Views" }));
  await openMenu();
  const choose = async (name: string) => {
    const item = await screen.findByRole("menuitem", { name });
    // Views can be saved once the stored ones are loaded.
    await waitFor(() => expect(item.getAttribute("aria-disabled")).not.toBe("true"));
    await user.click(item);
  };
  return { user, openMenu, choose };
}
const heads = () => screen.getAllByRole("columnheader").map((head) => head.textContent);

describe("saved views", () => {
  it("show their filters and columns, and are marked while shown", async () => {
    const { user, openMenu } = await open("/monitors");
    await user.click(await screen.findByRole("menuitemradio", { name: "Night shift" }));
    await waitFor(() => expect(location.search).toBe("?status=down&tag=shop"));
    expect(heads().slice(1, -1)).toEqual(["Status", "Name", "Uptime (24 h)"]);
    await openMenu();
    expect((await screen.findByRole("menuitemradio", { name: "Night shift" })).getAttribute("aria-checked")).toBe(
      "true",
    );
    const shared = screen.getByRole("menuitemradio", { name: "Payments, by grace" });
    expect(shared.getAttribute("aria-checked")).toBe("false");
    expect(screen.getByRole("menuitem", { name: "Show on a wall screen" }).getAttribute("href")).toBe(
      "/wall?view=Night+shift",
    );
  });

  it("are saved with filters, sorting and columns, but without the page", async () => {
    const { user, choose } = await open("/monitors?page=2&search=shop&sort=name");
    await choose("Save this view…");
    await user.type(await screen.findByRole("textbox", { name: "Name" }), " Shop ");
    await user.click(screen.getByRole("checkbox", { name: "Share with everyone" }));
    await user.click(screen.getByRole("button", { name: "Save view" }));
    expect(await screen.findByText("View “Shop” saved")).toBeTruthy();
    const columns = ["target", "recentChecks", "responseTime", "p95", "uptime"];
    expect(views).toEqual([night, { name: "Shop", query: "search=shop&sort=name", columns, shared: true }]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("replace a view of the same name", async () => {
    const { user, choose } = await open("/monitors?tag=web");
    await choose("Save this view…");
    await user.type(await screen.findByRole("textbox", { name: "Name" }), "Night shift{Enter}");
    await waitFor(() => expect(views).toMatchObject([{ name: "Night shift", query: "tag=web" }]));
  });

  it("keep those that were saved elsewhere since the menu was opened", async () => {
    const { user, choose } = await open("/monitors?tag=web");
    await screen.findByRole("menuitemradio", { name: "Night shift" });
    views = [night, { name: "Elsewhere", query: "" }];
    await choose("Save this view…");
    await user.type(await screen.findByRole("textbox", { name: "Name" }), "Web{Enter}");
    await waitFor(() => expect(views.map(({ name }) => name)).toEqual(["Night shift", "Elsewhere", "Web"]));
  });

  it("cannot be shared by viewers, and say why they cannot be saved", async () => {
    const { user, choose } = await open("/monitors", viewer);
    await choose("Save this view…");
    on("put", "/me/views", () => fail(400, "invalid", "At most 50 views are allowed"));
    await user.type(await screen.findByRole("textbox", { name: "Name" }), "Night shift");
    expect(screen.queryByRole("checkbox", { name: "Share with everyone" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Save view" }));
    expect(await screen.findByText("At most 50 views are allowed")).toBeTruthy();
  });

  it("are deleted with an undo", async () => {
    const { user, choose } = await open("/monitors");
    await choose("Delete view");
    await choose("Night shift");
    expect(await screen.findByText("View “Night shift” deleted")).toBeTruthy();
    expect(views).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(views).toEqual([night]));
  });
});
