import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { admin, monitor } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";

const all = [
  { name: "production", monitors: 40 },
  { name: "eu", monitors: 2 },
  { name: "europe", monitors: 1 },
];

async function openList(address = "/monitors") {
  const listed: (string | null)[] = [];
  const searched: (string | null)[] = [];
  on("get", "/monitors", ({ request }) => {
    listed.push(new URL(request.url).searchParams.get("tag"));
    return ok({ monitors: [monitor], total: 1 });
  });
  on("get", "/monitors/tags", ({ request }) => {
    const search = new URL(request.url).searchParams.get("search");
    searched.push(search);
    return ok({ tags: all.filter(({ name }) => name.includes(search ?? "")), more: false });
  });
  const view = await renderScreen(address, { as: admin });
  const field = await screen.findByRole<HTMLInputElement>("combobox", { name: "Filter by tag" });
  return { ...view, listed, searched, field };
}
const options = () => screen.queryAllByRole("option").map(({ textContent }) => textContent);
/** Excludes the options of the status filter. */
const tagOptions = () => options().filter((text) => /monitors?$/.test(text));

describe("the tag filter", () => {
  it("offers existing tags, the most used first, and filters by a clicked one", async () => {
    const { user, field, searched, listed } = await openList();
    expect(searched).toEqual([]);
    await user.click(field);
    await waitFor(() => expect(tagOptions()).toEqual(["production40 monitors", "eu2 monitors", "europe1 monitor"]));
    await user.click(screen.getByRole("option", { name: /^eu2/ }));
    await waitFor(() => expect(listed.at(-1)).toBe("eu"));
    expect(location.search).toBe("?tag=eu");
    expect([field.value, document.activeElement, tagOptions()]).toEqual(["eu", field, []]);
  });

  it("works by keyboard: typing searches, arrows select, Escape changes nothing", async () => {
    const { user, field, searched, listed } = await openList("/monitors?tag=production");
    expect(field.value).toBe("production");
    await user.clear(field);
    await user.type(field, "eu");
    await waitFor(() => expect(tagOptions()).toEqual(["eu2 monitors", "europe1 monitor"]));
    expect(searched.at(-1)).toBe("eu");
    await user.keyboard("{ArrowDown}{ArrowDown}");
    const chosen = screen.getByRole("option", { name: /^europe/ });
    expect([chosen.getAttribute("aria-selected"), field.getAttribute("aria-activedescendant")]).toEqual([
      "true",
      chosen.id,
    ]);
    await user.keyboard("{Enter}");
    await waitFor(() => expect(listed.at(-1)).toBe("europe"));
    await user.type(field, "x{Escape}");
    expect(field.value).toBe("europe");
    expect(listed.at(-1)).toBe("europe");
  });

  it("reports that no tag matches", async () => {
    const { user, field } = await openList();
    await user.type(field, "zzz");
    expect(await screen.findByText("No matching tags")).toBeTruthy();
  });

  it("is cleared by its button, which focuses the field", async () => {
    const { user, field, listed } = await openList("/monitors?tag=eu");
    await user.click(screen.getByRole("button", { name: "Show all tags" }));
    await waitFor(() => expect(listed.at(-1)).toBeNull());
    expect([location.search, field.value, document.activeElement]).toEqual(["", "", field]);
  });
});
