import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, agent, monitor, viewer } from "../../testing/fixtures.ts";
import { renderApp, renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const at = "2099-05-04T04:00:00.000Z";
const silences = [
  { id: 5, target: { type: "monitor", id: 7, name: "Shop API" }, until: at, createdBy: "ada", createdAt: at },
  { id: 6, target: { type: "tag", name: "staging" }, until: at, note: "Load test", createdBy: "ada", createdAt: at },
];

let sent: unknown[];
beforeEach(() => {
  sent = [];
  on("get", "/silences", () => ok({ silences, total: 2 }));
  on("get", "/monitors", () => ok({ monitors: [monitor], total: 1 } as never));
  on("get", "/agents", () => ok({ agents: [agent], total: 1 } as never));
  on("get", "/monitors/tags", () => ok({ tags: [{ name: "critical", monitors: 3 }], more: false } as never));
  on("get", "/agents/tags", () => ok({ tags: [{ name: "db", agents: 1 }] } as never));
  on("post", "/silences", async ({ request }) => {
    sent.push(await request.json());
    return ok({ silence: { id: 9 } } as never);
  });
  on("put", "/silences/:id", async ({ request }) => {
    sent.push(await request.json());
    return ok({ silence: silences[0] } as never);
  });
});

const open = async (as = admin) => {
  const app = await renderScreen("/silences", { as });
  const row = async (name: string) => within((await screen.findByRole("link", { name })).closest("li") as HTMLElement);
  return { ...app, row };
};

describe("the list of silences", () => {
  it("shows target, end, time left, user and reason", async () => {
    const { row } = await open();
    const shop = await row("Shop API");
    expect(shop.getByRole("link").getAttribute("href")).toBe("/monitors/7");
    const text = shop.getByRole("link").closest("li")?.textContent;
    expect(text).toMatch(/Silenced until .*\(in [\d,]+ days\).* by ada/);
    const staging = await row("tag staging");
    expect(staging.getByRole("link").getAttribute("href")).toBe("/monitors?tag=staging");
    expect(staging.getByText("Load test")).toBeTruthy();
  });

  it("ends a silence early, and starts it again on undo, for the same target, time and reason", async () => {
    on("delete", "/silences/:id", () => ok({}, "Silence ended"));
    const { user, row } = await open();
    await user.click((await row("tag staging")).getByRole("button", { name: "End silence: staging" }));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() =>
      expect(sent).toEqual([{ target: { type: "tag", name: "staging" }, until: at, note: "Load test" }]),
    );
  });

  it("extends a silence, at most to seven days from now, and moves it back on undo", async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    on("get", "/silences", () => ok({ silences: [{ ...silences[0], until: soon }], total: 1 } as never));
    const { user, row } = await open();
    await user.click((await row("Shop API")).getByRole("button", { name: "Extend: Shop API" }));
    await user.click(await screen.findByRole("menuitem", { name: "4 more hours" }));
    const later = new Date(Date.parse(soon) + 4 * 3_600_000).toISOString();
    await waitFor(() => expect(sent).toEqual([{ until: later }]));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(sent).toEqual([{ until: later }, { until: soon }]));
  });

  it("stays below the server's limit if the clocks differ", async () => {
    const { user, row } = await open();
    await user.click((await row("Shop API")).getByRole("button", { name: "Extend: Shop API" }));
    await user.click(await screen.findByRole("menuitem", { name: "1 more day" }));
    await waitFor(() => expect(sent).toHaveLength(1));
    const [{ until }] = sent as [{ until: string }];
    expect(Date.parse(until)).toBeLessThanOrEqual(Date.now() + 7 * 86_400_000 - 60_000);
  });

  it("is read-only for viewers", async () => {
    const { row } = await open(viewer);
    expect((await row("Shop API")).queryByRole("button")).toBeNull();
    expect(screen.queryByRole("button", { name: "New silence" })).toBeNull();
  });

  it("explains its purpose if there are none", async () => {
    on("get", "/silences", () => ok({ silences: [], total: 0 }));
    await open();
    expect(await screen.findByText("Nothing is silenced")).toBeTruthy();
  });
});

describe("a new silence", () => {
  const begin = async () => {
    const app = await renderApp("/silences", { as: admin });
    await app.user.click(await screen.findByRole("button", { name: "New silence" }));
    return { ...app, dialog: within(await screen.findByRole("dialog", { name: "New silence" })) };
  };
  const submit = { name: "Silence" };

  it("takes three clicks for two hours of a tag, and can be undone", async () => {
    const ended: unknown[] = [];
    on("delete", "/silences/:id", ({ params }) => (ended.push(params["id"]), ok({})));
    const { user, dialog } = await begin();
    await user.click(await dialog.findByRole("button", { name: "critical" }));
    await user.click(dialog.getByRole("button", submit));
    expect(await screen.findByText("critical is silenced for 2 hours")).toBeTruthy();
    expect(sent).toEqual([{ target: { type: "tag", name: "critical" }, minutes: 120 }]);
    expect(screen.queryByRole("dialog")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(ended).toEqual(["9"]));
  });

  it("is for a monitor or agent that was searched, until any time, with a note", async () => {
    const { user, dialog } = await begin();
    await user.type(dialog.getByRole("combobox"), "web");
    await user.click(await dialog.findByRole("option", { name: /web-1/ }));
    await user.click(dialog.getByRole("radio", { name: "Other…" }));
    const until = dialog.getByLabelText("Until");
    await user.clear(until);
    await user.type(until, "2099-05-04T12:00");
    await user.type(dialog.getByLabelText("Note (optional)"), " Disks ");
    await user.click(dialog.getByRole("button", submit));
    const expected = new Date("2099-05-04T12:00").toISOString();
    await waitFor(() => expect(sent).toEqual([{ target: { type: "agent", id: 3 }, until: expected, note: "Disks" }]));
  });

  it("offers 30 minutes to 7 days and the next morning", async () => {
    const { dialog } = await begin();
    const offered = dialog.getAllByRole("radio").map((radio) => radio.closest("label")?.textContent);
    expect(offered.filter((label) => label !== "Until 08:00")).toEqual([
      "30 minutes",
      "1 hour",
      "2 hours",
      "4 hours",
      "1 day",
      "3 days",
      "7 days",
      "Other…",
    ]);
  });

  it("needs a target, and shows why the server refused it", async () => {
    const { user, dialog } = await begin();
    await user.click(dialog.getByRole("button", submit));
    expect(await dialog.findByText("Choose a monitor, an agent or a tag")).toBeTruthy();
    on("post", "/silences", () => fail(422, "impossible", "The limit of 200 silences has been reached: end one first"));
    await user.click(await dialog.findByRole("button", { name: "critical" }));
    await user.click(dialog.getByRole("button", submit));
    expect(await dialog.findByText("The limit of 200 silences has been reached: end one first")).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Choose something other than critical" }));
    expect(dialog.getByRole("combobox")).toBeTruthy();
  });

  it("is prefilled from the quick menu of a monitor", async () => {
    on("get", "/agents/3", () => ok({ agent } as never));
    const { user } = await renderApp("/agents/3", { as: admin });
    await user.click(await screen.findByRole("button", { name: "Silence" }));
    await user.click(await screen.findByRole("menuitem", { name: "Other…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "New silence" }));
    await user.click(dialog.getByRole("radio", { name: "7 days" }));
    await user.click(dialog.getByRole("button", submit));
    await waitFor(() => expect(sent).toEqual([{ target: { type: "agent", id: 3 }, minutes: 10_080 }]));
  });
});
