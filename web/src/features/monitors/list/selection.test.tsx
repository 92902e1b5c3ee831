import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { admin, monitor, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const names = ["A", "B", "C", "D", "E"];
const listed = names.map((name, index) => ({ ...monitor, id: index + 1, name }));
let silences: { id: number; target: { type: string; id?: number; name?: string } }[];
let ended: string[];

beforeEach(() => {
  silences = [];
  ended = [];
  on("get", "/monitors", () => ok({ monitors: listed, total: listed.length }));
  on("get", "/monitors/tags", () => ok({ tags: [{ name: "shop", monitors: 5, down: 1 }], more: false }));
  on("post", "/silences", async ({ request }) => {
    const { target } = (await request.json()) as { target: { type: string; id?: number } };
    if (target.id === 2) return fail(409, "conflict", "Too many silences");
    const silence = { id: silences.length + 10, target };
    silences.push(silence);
    return ok({ silence });
  });
  on("delete", "/silences/:id", ({ params }) => {
    ended.push(String(params["id"]));
    return ok({}, "Silence ended");
  });
});

async function open(address = "/monitors", as = admin) {
  const view = await renderScreen(address, { as });
  await screen.findAllByRole("link", { name: "A" });
  return view;
}
const box = (name: string) => screen.getByRole<HTMLInputElement>("checkbox", { name: `Select ${name}` });
const selected = () => names.filter((name) => box(name).checked).join("");

describe("Shift", () => {
  it.each([
    ["table", () => {}],
    [
      "list of a phone",
      () =>
        vi.stubGlobal("matchMedia", () => ({
          matches: true,
          addEventListener: () => {},
          removeEventListener: () => {},
        })),
    ],
  ])("with a click selects and deselects a range of rows in the %s", async (_where, prepare) => {
    prepare();
    const { user } = await open();
    await user.click(box("D"));
    await user.keyboard("{Shift>}");
    await user.click(box("B"));
    expect(selected()).toBe("BCD");
    await user.click(box("C"));
    expect(selected()).toBe("D");
    await user.keyboard("{/Shift}");
    await user.click(box("A"));
    expect(selected()).toBe("AD");
    vi.unstubAllGlobals();
  });
});

describe("Silence", () => {
  it("in the bar silences each selected monitor, names those that failed, and has one undo", async () => {
    const { user } = await open();
    for (const name of ["A", "B", "C"]) await user.click(box(name));
    const bar = within((await screen.findByText("3 selected")).parentElement!);
    await user.click(bar.getByRole("button", { name: "Silence" }));
    await user.click(await screen.findByRole("menuitem", { name: "1 hour" }));
    expect(await screen.findByText("2 monitors silenced for 1 hour")).toBeTruthy();
    expect(screen.getByText("1 couldn't be changed: B (Too many silences)")).toBeTruthy();
    expect(silences.map(({ target }) => target)).toEqual([1, 3].map((id) => ({ type: "monitor", id })));
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(ended).toEqual(["10", "11"]));
  });

  it("next to the tag filter silences the tag", async () => {
    const { user } = await open("/monitors?tag=shop");
    const [filters] = screen.getAllByRole("search");
    await user.click(await within(filters!.parentElement!).findByRole("button", { name: "Silence" }));
    await user.click(await screen.findByRole("menuitem", { name: "1 hour" }));
    await waitFor(() => expect(silences.map(({ target }) => target)).toEqual([{ type: "tag", name: "shop" }]));
  });

  it("in a group's heading silences its tag", async () => {
    const { user } = await open("/monitors?group=tag");
    await user.click(await screen.findByRole("button", { name: "Silence: shop" }));
    await user.click(await screen.findByRole("menuitem", { name: "1 hour" }));
    await waitFor(() => expect(silences.map(({ target }) => target)).toEqual([{ type: "tag", name: "shop" }]));
  });

  it("is not offered to viewers", async () => {
    await open("/monitors?tag=shop", viewer);
    expect(screen.queryByRole("button", { name: /^Silence/ })).toBeNull();
  });
});

describe("a bulk change", () => {
  it("names the monitors that failed, by reason", async () => {
    const message = "Managed by git";
    const failed = [
      ...["A", "B"].map((name, index) => ({ id: index + 1, name, message })),
      { id: 3, message: "Monitor does not exist" },
    ];
    on("post", "/monitors/bulk", () => ok({ done: [4], failed, openIncidents: 0 }));
    const { user } = await open();
    await user.click(screen.getByRole("checkbox", { name: "Select all on this page" }));
    await user.click(await screen.findByRole("button", { name: "Pause" }));
    expect(
      await screen.findByText("3 couldn't be changed: A and B (Managed by git) · Monitor does not exist"),
    ).toBeTruthy();
  });
});
