import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { Provider } from "react-redux";
import { expect, it } from "vitest";
import { startI18n } from "../../app/i18n.ts";
import { createStore } from "../../app/store.ts";
import { ok, on } from "../../testing/server.ts";
import { TagChoice } from "./tag-choice.tsx";

async function show(names: string[], { value = [] as string[], max = 1 } = {}) {
  on("get", "/agents/tags", () => ok({ tags: [{ name: "agents-only", agents: 1 }] } as never));
  on("get", "/monitors/tags", ({ request }) => {
    const search = new URL(request.url).searchParams.get("search") ?? "";
    const found = names.filter((name) => name.includes(search)).slice(0, 50);
    return ok({ tags: found.map((name) => ({ name, monitors: 1 })), more: false } as never);
  });
  await startI18n("en-US");
  function Host() {
    const [tags, setTags] = useState(value);
    return <TagChoice label="Tags" value={tags} onChange={setTags} max={max} />;
  }
  render(
    <Provider store={createStore()}>
      <Host />
    </Provider>,
  );
  await screen.findByRole("button", { name: names[0] });
  return userEvent.setup();
}
const offered = () => screen.getAllByRole("button").map(({ textContent }) => textContent);
const chosen = () => screen.queryAllByRole("button", { pressed: true }).map(({ textContent }) => textContent);

it("offers the tags of monitors and agents without a search if there are few, and one replaces the other", async () => {
  const user = await show(["shop", "db"]);
  expect(offered()).toEqual(["shop", "db", "agents-only"]);
  expect(screen.queryByRole("searchbox")).toBeNull();
  await user.click(screen.getByRole("button", { name: "shop" }));
  await user.click(screen.getByRole("button", { name: "db" }));
  expect(chosen()).toEqual(["db"]);
});

it("finds others by their text, and keeps chosen ones in sight", async () => {
  const user = await show(
    Array.from({ length: 40 }, (_, index) => `team-${index}`),
    { value: ["gone"], max: 3 },
  );
  expect(offered()).toHaveLength(13);
  await user.type(screen.getByRole("searchbox", { name: "Find a tag" }), "39");
  await user.click(await screen.findByRole("button", { name: "team-39" }));
  expect(chosen()).toEqual(["gone", "team-39"]);
  await user.clear(screen.getByRole("searchbox"));
  await user.click(await screen.findByRole("button", { name: "team-0" }));
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "team-1" }).disabled).toBe(true);
});
