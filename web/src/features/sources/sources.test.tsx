import type { ConfigSource } from "@sonde/proto/http/config/apply";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const source: ConfigSource = {
  name: "prod-git",
  generation: 4,
  revision: "4f9c2e1",
  appliedAt: "2026-01-02T10:00:00Z",
  appliedBy: "ci",
  outcome: "applied",
  objects: { monitor: 12, channel: 1, page: 1 },
  drift: [],
};
const serve = (...sources: ConfigSource[]) => on("get", "/sources", () => ok({ sources } as never));
const open = async (as = admin, language: "en-US" | "zh-CN" = "en-US") => {
  const app = await renderScreen("/settings/sources", { as, language });
  await screen.findByRole("heading", { level: 1 });
  return app;
};
const card = async (name = "prod-git") => {
  const heading = await screen.findByRole("heading", { level: 2, name: new RegExp(name) });
  return within(heading.closest("section") as HTMLElement);
};

describe("the sources", () => {
  it("are listed with their objects and the result of the last apply", async () => {
    serve(source, { ...source, name: "broken", outcome: "Superseded by generation 5", objects: {} });
    await open();
    const well = await card();
    expect(well.getByText("12 monitors, 1 channel, and the public page")).toBeTruthy();
    expect(well.getByText(/· ci/)).toBeTruthy();
    expect(well.getByText("4f9c2e1")).toBeTruthy();
    expect(well.getByText("Applied")).toBeTruthy();
    const other = await card("broken");
    expect(other.getByText("Incomplete")).toBeTruthy();
    expect(other.getByText("Superseded by generation 5")).toBeTruthy();
    expect(other.getByText("No longer manages anything.")).toBeTruthy();
  });

  it("cannot be released if a folder was never valid", async () => {
    serve({
      ...source,
      generation: 0,
      outcome: "Not applied yet",
      appliedBy: "prod-git",
      objects: {},
      problem: "a.yaml:1",
    });
    await open();
    const shown = await card();
    expect(shown.getAllByText("Not applied yet")).toHaveLength(1);
    expect(shown.getByText("a.yaml:1")).toBeTruthy();
    expect(shown.queryByRole("button")).toBeNull();
  });

  it("show why a folder was not applied, and link to released objects", async () => {
    serve({
      ...source,
      problem: "monitors.yaml:7: url is missing",
      drift: ["monitors.shop.eu", "channels.ops", "page", "monitors.shop.notify"],
    });
    await open();
    const shown = await card();
    expect(shown.getByText("Incomplete")).toBeTruthy();
    expect(shown.getByRole("alert").textContent).toContain("monitors.yaml:7: url is missing");
    const links = shown.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")]);
    expect(links).toEqual([
      ["monitors.shop.eu", "/monitors?search=shop.eu"],
      ["channels.ops", "/notifications"],
      ["page", "/status/config"],
      ["monitors.shop.notify", "/notifications/settings"],
    ]);
  });

  it("explain the first commands if there are none", async () => {
    serve();
    await open();
    expect(await screen.findByText("No configuration sources yet")).toBeTruthy();
    const commands = screen.getByText(/node sonde\.mjs init sonde\.yaml/).textContent;
    expect(commands).toContain(`curl -fsSLO ${window.location.origin}/downloads/sonde.mjs`);
    expect(screen.getByRole("link", { name: "Create API key" }).getAttribute("href")).toBe("/profile");
  });

  it("are available in Chinese", async () => {
    serve(source);
    await open(admin, "zh-CN");
    expect(await screen.findByText("12 个监控项、1 个通知渠道和公开状态页")).toBeTruthy();
    expect(screen.getByRole("button", { name: "全部解除管理: prod-git" })).toBeTruthy();
  });
});

describe("administrators", () => {
  let removed: string[];
  beforeEach(() => {
    removed = [];
    serve(source);
    on("delete", "/sources/:name", ({ request }) => {
      const { pathname, search } = new URL(request.url);
      removed.push(pathname + search);
      serve();
      return ok({}, search === "" ? "Source removed" : "Source released");
    });
  });

  it("release all objects of a source", async () => {
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Release all: prod-git" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText(/12 monitors, 1 channel, and the public page/)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Release all" }));
    expect(await screen.findByText("Source released")).toBeTruthy();
    expect(removed).toEqual(["/api/sources/prod-git?keep=true"]);
    await waitFor(() => expect(screen.queryByRole("heading", { level: 2 })).toBeNull());
  });

  it("delete all objects of a source after its name is typed", async () => {
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Remove all: prod-git" }));
    const dialog = within(await screen.findByRole("dialog"));
    const confirm = () => dialog.getByRole<HTMLButtonElement>("button", { name: "Remove all" });
    expect(confirm().disabled).toBe(true);
    await user.type(dialog.getByLabelText("Type prod-git to confirm"), "prod-gi");
    expect(confirm().disabled).toBe(true);
    await user.type(dialog.getByLabelText("Type prod-git to confirm"), "t");
    await user.click(confirm());
    expect(await screen.findByText("Source removed")).toBeTruthy();
    expect(removed).toEqual(["/api/sources/prod-git"]);
  });

  it("see why it failed", async () => {
    on("delete", "/sources/:name", () => fail(503, "unavailable", "The notifier is away"));
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Release all: prod-git" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Release all" }));
    expect(await dialog.findByText("The notifier is away")).toBeTruthy();
  });
});

it("other users with write access see no such buttons, and viewers no such page", async () => {
  serve(source);
  const user = { ...admin, role: "user" } as const;
  on("get", "/auth/me", () => ok({ user }));
  const { unmount } = await open(user);
  await card();
  expect(screen.queryByRole("button", { name: /^(?:Release|Remove) all/ })).toBeNull();
  unmount();
  on("get", "/auth/me", () => ok({ user: viewer }));
  await open(viewer);
  expect(screen.queryByText("Configuration sources", { selector: "h1" })).toBeNull();
});
