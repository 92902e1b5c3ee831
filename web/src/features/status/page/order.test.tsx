import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { changeLanguage } from "../../../app/i18n.ts";
import { fail, on } from "../../../testing/server.ts";
import {
  lines,
  openPageForm as open,
  type PageFormQueries,
  serveStatusConfig,
  serveTargets,
  title,
} from "../../../testing/status-page.ts";

beforeEach(() => serveTargets());

describe("the targets of the page", () => {
  it("are sorted by buttons that keep the focus and announce the position", async () => {
    const { sent } = serveStatusConfig();
    const { form, user, save } = await open();
    const up = form.getByRole("button", { name: "Move Search up" });
    await user.click(up);
    expect(lines(form)).toEqual(["Website · 3", "Shop API", "pay-eu-1", "Search", "No group · 0"]);
    await waitFor(() => expect(document.activeElement).toBe(form.getByRole("button", { name: "Move Search up" })));
    expect(form.getByText("position 3 of 3 in Website").getAttribute("role")).toBe("status");
    await user.keyboard("{Enter}{Enter}{Enter}");
    expect(lines(form).slice(0, 2)).toEqual(["Website · 3", "Search"]);
    expect(form.getByRole("button", { name: "Move Search up" }).getAttribute("aria-disabled")).toBe("true");
    await save();
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ monitors: [9, 7, 8], groups: [{ name: "Website", monitors: [9, 7, 8] }] });
  });

  it("are sorted by keyboard, with each step announced in the user's language", async () => {
    // jsdom has no layout. Gives each line the same height, one below the other.
    const height = 40;
    vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
      const line = this.closest("[data-line]");
      const index = line === null ? 0 : [...(line.parentElement?.children ?? [])].indexOf(line);
      return new DOMRect(0, index * height, 300, height);
    });
    const { sent } = serveStatusConfig({ groups: [] });
    const { form, user, save } = await open();
    const handle = form.getByRole("button", { name: "Move Shop API" });
    expect(handle.getAttribute("aria-roledescription")).toBe("sortable");
    expect(document.getElementById(handle.getAttribute("aria-describedby") ?? "")?.textContent).toContain(
      "Press Space",
    );
    act(() => handle.focus());
    await user.keyboard(" ");
    await screen.findByText("Shop API picked up, position 1 of 3");
    await user.keyboard("{ArrowDown}");
    await screen.findByText("Shop API: position 2 of 3");
    await user.keyboard(" ");
    await screen.findByText("Shop API dropped, position 2 of 3");
    expect(lines(form)).toEqual(["pay-eu-1", "Shop API", "Search"]);

    await act(() => changeLanguage("zh-CN"));
    act(() => screen.getByRole("button", { name: "移动 Search" }).focus());
    await user.keyboard(" ");
    await screen.findByText("已选中 Search，第 3 位，共 3 位");
    await user.keyboard("{ArrowUp}");
    await screen.findByText("Search：第 2 位，共 3 位");
    await user.keyboard("{Escape}");
    await screen.findByText("Search 已回到第 3 位，共 3 位");
    await act(() => changeLanguage("en-US"));
    await save();
    await waitFor(() => expect(sent[0]?.monitors).toEqual([8, 7, 9]));
  });

  it("return to their position when a removal is undone", async () => {
    const { sent } = serveStatusConfig();
    const { form, user, save } = await open();
    const before = lines(form);
    await user.click(form.getByRole("button", { name: "Remove Payments from page" }));
    expect(lines(form)).not.toEqual(before);
    expect(screen.getByText("Payments removed from the page")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    expect(lines(form)).toEqual(before);
    await user.type(title(form), "!");
    await save();
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).not.toHaveProperty("monitors");
  });

  it("are renamed, moved to a group and removed", async () => {
    const { sent } = serveStatusConfig();
    const { form, user, save } = await open();
    await user.type(form.getByLabelText("Name on the page: Search"), "Find");
    await user.selectOptions(form.getByLabelText("Group for Find"), "Website");
    await user.click(form.getByRole("button", { name: "Remove Payments from page" }));
    expect(lines(form)).toEqual(["Website · 2", "Shop API", "Search", "No group · 0"]);
    await waitFor(() =>
      expect(document.activeElement).toBe(form.getByRole("combobox", { name: "Add an API service" })),
    );
    await save();
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({
      monitors: [7, 9],
      groups: [{ name: "Website", monitors: [7, 9], agents: [] }],
      names: [{ type: "monitor", id: 9, name: "Find" }],
    });
  });

  it("are added by search or all at once", async () => {
    const { sent } = serveStatusConfig({ monitors: [7], groups: [], names: [], agents: [] });
    const { form, user, save } = await open();
    await user.type(form.getByRole("combobox", { name: "Add an API service" }), "Search");
    await user.click(await form.findByRole("option", { name: /^Search/ }));
    expect(lines(form)).toEqual(["Shop API", "Search"]);
    await user.click(form.getByRole("button", { name: "Add all monitors" }));
    await waitFor(() => expect(lines(form)).toEqual(["Shop API", "Search", "pay-eu-1"]));
    await user.click(form.getByRole("button", { name: "Add all agents" }));
    await form.findByText("web-1");
    await save();
    await waitFor(() => expect(sent[0]).toMatchObject({ monitors: [7, 9, 8], agents: [3] }));
  });

  it("include deleted ones, which can be removed", async () => {
    serveStatusConfig({ monitors: [7, 99], groups: [], names: [] });
    on("get", "/monitors/99", () => fail(404, "not_found", "Monitor does not exist"));
    const { form, user } = await open();
    expect(await form.findByText("Monitor 99 (deleted)")).toBeTruthy();
    await user.click(form.getByRole("button", { name: /^Remove Monitor 99.* from page$/ }));
    expect(lines(form)).toEqual(["Shop API"]);
  });

  it("are rendered in part if there are hundreds, and can be filtered", async () => {
    const ids = Array.from({ length: 400 }, (_, index) => index + 7);
    serveTargets(ids);
    serveStatusConfig({ monitors: ids, groups: [], names: [], agents: [] });
    const { form, user } = await open();
    expect(lines(form)).toHaveLength(50);
    await user.type(form.getByRole("searchbox", { name: "Search in this list" }), "service 40");
    await waitFor(() => expect(lines(form)).toEqual(["Service 40", ...tens(400, 406)]));
    expect(form.queryByRole("button", { name: /^Move Service/ })).toBeNull();
    await user.clear(form.getByRole("searchbox", { name: "Search in this list" }));
    expect(form.getByRole("button", { name: "Show 100 more" })).toBeTruthy();
  });
});

const tens = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `Service ${from + index}`);

describe("the groups", () => {
  const names = (form: PageFormQueries) =>
    within(form.getByRole("list", { name: "Groups" }))
      .getAllByRole<HTMLInputElement>("textbox")
      .map(({ value }) => value);

  it("are created, named, sorted and removed; their targets then have no group", async () => {
    const { sent } = serveStatusConfig();
    const { form, user, save } = await open();
    await user.click(form.getByRole("button", { name: "Add group" }));
    const field = form.getByLabelText("Name of group 2");
    await waitFor(() => expect(document.activeElement).toBe(field));
    await user.type(field, "Inside");
    await user.selectOptions(form.getByLabelText("Group for web-1"), "Inside");
    await user.click(form.getByRole("button", { name: "Move Inside up" }));
    expect(names(form)).toEqual(["Inside", "Website"]);
    await user.click(form.getByRole("button", { name: "Remove group Website" }));
    expect(lines(form)).toEqual(["Inside · 0", "No group · 3", "Shop API", "pay-eu-1", "Search"]);
    await save();
    await waitFor(() => expect(sent[0]?.groups).toEqual([{ name: "Inside", monitors: [], agents: [3] }]));
  });

  it("require a name", async () => {
    const { sent } = serveStatusConfig();
    const { form, user, save } = await open();
    await user.click(form.getByRole("button", { name: "Add group" }));
    await save();
    const note = await form.findByText("Name is required");
    expect(form.getByLabelText("Name of group 2").getAttribute("aria-describedby")).toBe(note.id);
    await waitFor(() => expect(document.activeElement).toBe(form.getByLabelText("Name of group 2")));
    expect(sent).toEqual([]);
  });
});
