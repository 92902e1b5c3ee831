import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { admin, historyPeriod, monitor } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";

let sent: { tags?: unknown } | undefined;
let searched: (string | null)[];

beforeEach(() => {
  sent = undefined;
  searched = [];
  on("get", "/monitors/7", () => ok({ monitor: { ...monitor, tags: ["shop"] } }));
  on("get", "/monitors/7/history", () => ok({ range: "24h", step: 300, buckets: [], ...historyPeriod }));
  on("get", "/monitors/tags", ({ request }) => {
    searched.push(new URL(request.url).searchParams.get("search"));
    const tags = ["prod", "shop", "staging"].map((name, index) => ({ name, monitors: index + 1, down: 0 }));
    return ok({ tags, more: false });
  });
  on("put", "/monitors/7", async ({ request }) => {
    sent = (await request.json()) as typeof sent;
    return ok({ monitor }, "Monitor updated");
  });
});

async function open() {
  const app = await renderScreen("/monitors/edit/7", { as: admin });
  const field = await screen.findByRole<HTMLInputElement>("combobox", { name: "Tags" });
  const save = async () => app.user.click(await screen.findByRole("button", { name: "Save changes" }));
  return { ...app, field, save };
}
function options() {
  const list = screen.queryByRole("listbox");
  return list === null
    ? []
    : within(list)
        .getAllByRole("option")
        .map(({ textContent }) => textContent);
}
const chosen = (field: HTMLElement) =>
  within(field.parentElement?.parentElement as HTMLElement)
    .queryAllByRole("listitem")
    .map(({ textContent }) => textContent);

it("existing tags are selected by keyboard, without those already added", async () => {
  const { user, field, save } = await open();
  await user.click(field);
  await waitFor(() => expect(options()).toEqual(["prod1 monitor", "staging3 monitors"]));
  await user.keyboard("sta");
  await waitFor(() => expect(options()).toEqual(["staging3 monitors"]));
  await waitFor(() => expect(searched.at(-1)).toBe("sta"));
  await user.keyboard("{ArrowDown}{Enter}");
  expect(chosen(field)).toEqual(["shop", "staging"]);
  expect(field.value).toBe("");
  await save();
  await waitFor(() => expect(sent?.tags).toEqual(["shop", "staging"]));
});

it("Enter, a comma or leaving the field adds a new tag once, without submitting the form", async () => {
  const { user, field, save } = await open();
  await user.type(field, "eu{Enter}");
  expect(chosen(field)).toEqual(["shop", "eu"]);
  expect(sent).toBeUndefined();
  await user.type(field, "one，two, eu,last");
  expect(chosen(field)).toEqual(["shop", "eu", "one", "two"]);
  await save();
  await waitFor(() => expect(sent?.tags).toEqual(["shop", "eu", "one", "two", "last"]));
});

it("a tag is removed by its button, which focuses the field, or by Backspace", async () => {
  const { user, field } = await open();
  await user.type(field, "eu{Enter}us{Enter}");
  await user.click(screen.getByRole("button", { name: "Remove shop" }));
  await waitFor(() => expect(document.activeElement).toBe(field));
  expect(chosen(field)).toEqual(["eu", "us"]);
  await user.keyboard("{Backspace}");
  expect(chosen(field)).toEqual(["eu"]);
});

it("Escape closes the list and does not affect the form", async () => {
  const { user, field, path } = await open();
  await user.click(field);
  await waitFor(() => expect(options()).toHaveLength(2));
  await user.keyboard("{Escape}");
  expect(options()).toEqual([]);
  expect(path()).toBe("/monitors/edit/7");
});
