import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { showTimesIn } from "../../lib/format.ts";
import { admin, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const soon = new Date(Date.now() + 3 * 86_400_000).toISOString();
const layer = {
  members: [9, 1],
  every: { n: 1, unit: "week" },
  handoff: { weekday: 1, time: "09:00" },
  from: "2099-03-02",
};
const schedule = {
  id: 7,
  name: "Primary",
  timeZone: "UTC",
  layers: [layer],
  overrides: [] as object[],
  now: { userId: 9, until: soon },
  next: { userId: admin.id, start: soon },
  hasFeed: false,
  createdAt: "2099-01-01T00:00:00.000Z",
  updatedAt: "2099-01-01T00:00:00.000Z",
};
const people = [
  { id: admin.id, name: admin.username },
  { id: 9, name: "grace" },
  { id: 10, name: "linus" },
];
const shifts = [
  { userId: 9, start: "2099-03-02T09:00:00.000Z", end: "2099-03-09T09:00:00.000Z", source: "layer" },
  { userId: 11, start: "2099-03-09T09:00:00.000Z", end: "2099-03-10T09:00:00.000Z", source: "override" },
];
const gaps = [{ start: "2099-03-10T09:00:00.000Z", end: "2099-03-11T09:00:00.000Z" }];

const serve = (changed: Partial<typeof schedule> = {}) => {
  on("get", "/on-call/schedules", () => ok({ schedules: [{ ...schedule, ...changed }], total: 1, people }));
  on("get", "/on-call/schedules/7/shifts", () => ok({ shifts, gaps, people }));
  on("get", "/on-call/people", () => ok({ people }));
};

let sent: unknown[];
beforeEach(() => {
  sent = [];
  showTimesIn("UTC");
  serve();
  on("post", "/on-call/schedules/7/overrides", async ({ request }) => {
    sent.push(await request.json());
    return ok({ override: { id: 4, userId: 1, start: "", end: "" } });
  });
  on("delete", "/on-call/schedules/7/overrides/:id", ({ params }) => {
    sent.push(`deleted ${String(params["id"])}`);
    return ok({});
  });
});
afterEach(() => showTimesIn(null));

const open = (as: typeof admin = admin) => renderScreen("/on-call?month=2099-03", { as });
const dayOf = async (label: string) => within((await screen.findByLabelText(label)).closest("li") as HTMLElement);

describe("the on-call screen", () => {
  it("says what to do while there is no schedule", async () => {
    on("get", "/on-call/schedules", () => ok({ schedules: [], total: 0, people: [] }));
    await open();
    expect(await screen.findByText("No on-call schedules yet")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Add schedule" }).getAttribute("href")).toBe("/on-call/create");
  });

  it("shows who is on call now and next", async () => {
    await open();
    const row = (await screen.findByRole("link", { name: "Primary" })).closest("li")!;
    expect(row.textContent).toContain("grace");
    expect(row.textContent).toContain(`Then ${admin.username}, from`);
  });

  it("says next to their name if who is on call cannot be notified", async () => {
    serve({ now: { ...schedule.now, isUnreachable: true } as typeof schedule.now });
    await open();
    const row = (await screen.findByRole("link", { name: "Primary" })).closest("li")!;
    expect(row.textContent).toContain("graceNo contacts: cannot be notified");
  });

  it("shows shifts, overrides, deleted users and gaps of a month", async () => {
    await open();
    expect((await (await dayOf("Monday, March 2")).findByRole("button")).textContent).toBe("09:00grace");
    expect((await dayOf("Tuesday, March 3")).getByRole("button").textContent).toBe("grace");
    const swapped = (await dayOf("Monday, March 9")).getAllByRole("button");
    expect(swapped.map(({ textContent }) => textContent)).toEqual(["grace", "09:00Deleted user(Override)"]);
    expect((await dayOf("Tuesday, March 10")).getByText("Nobody")).toBeTruthy();
  });

  it("takes the current shift with one click, and undoes it", async () => {
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Take this shift: Primary" }));
    await waitFor(() => expect(sent).toEqual([expect.objectContaining({ userId: admin.id, end: soon })]));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(sent).toContain("deleted 4"));
  });

  it("gives one's own shift to somebody else", async () => {
    serve({ now: { userId: admin.id, until: soon } });
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Ask for cover: Primary" }));
    const dialog = within(await screen.findByRole("dialog"));
    await dialog.findByRole("option", { name: "linus" });
    await user.selectOptions(dialog.getByLabelText("Who takes over"), "linus");
    await user.click(dialog.getByRole("button", { name: "Ask for cover" }));
    await waitFor(() => expect(sent).toEqual([expect.objectContaining({ userId: 10, end: soon })]));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("takes a later shift as a whole", async () => {
    const { user } = await open();
    await user.click((await (await dayOf("Tuesday, March 3")).findByRole("button")) as HTMLElement);
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Take this shift" }));
    await waitFor(() => expect(sent).toEqual([{ userId: admin.id, start: shifts[0]!.start, end: shifts[0]!.end }]));
  });

  it("says that a swap covers at most 30 days of a longer shift", async () => {
    const end = new Date(Date.now() + 40 * 86_400_000).toISOString();
    serve({ now: { userId: 9, until: end } });
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Take this shift: Primary" }));
    expect(await screen.findByText(/takes the shift until .*: a swap covers at most 30 days/)).toBeTruthy();
    const [body] = sent as { start: string; end: string }[];
    expect(Date.parse(body!.end) - Date.parse(body!.start)).toBe(30 * 86_400_000);
  });

  it("says so before, in the dialog of the shift", async () => {
    const long = { ...shifts[0], end: "2099-05-09T09:00:00.000Z" };
    on("get", "/on-call/schedules/7/shifts", () => ok({ shifts: [long], gaps: [], people }));
    const { user } = await open();
    await user.click((await (await dayOf("Tuesday, March 3")).findByRole("button")) as HTMLElement);
    expect(within(await screen.findByRole("dialog")).getByText(/covers at most 30 days, until/)).toBeTruthy();
  });

  it("deletes an override, and restores it by undo", async () => {
    serve({ overrides: [{ id: 5, ...shifts[1] }] });
    const { user } = await open();
    await user.click(await (await dayOf("Monday, March 9")).findByRole("button", { name: /Override/ }));
    await user.click(await screen.findByRole("button", { name: "Delete override" }));
    await waitFor(() => expect(sent).toEqual(["deleted 5"]));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(sent[1]).toMatchObject({ userId: 11, start: shifts[1]!.start, end: shifts[1]!.end }));
  });

  it("says why a shift cannot be taken", async () => {
    on("post", "/on-call/schedules/7/overrides", () => fail(409, "conflict", "Another override is from A to B (UTC)"));
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Take this shift: Primary" }));
    expect(await screen.findByText("Another override is from A to B (UTC)")).toBeTruthy();
  });

  it("lets viewers take shifts, but neither give nor change anything else", async () => {
    const { user } = await open(viewer);
    await user.click((await (await dayOf("Tuesday, March 3")).findByRole("button")) as HTMLElement);
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByRole("button", { name: "Take this shift" })).toBeTruthy();
    expect(dialog.queryByLabelText("Who takes over")).toBeNull();
    expect(screen.queryByRole("link", { name: "Add schedule" })).toBeNull();
  });

  it("shows the address of a new calendar feed once", async () => {
    const url = "https://sonde.example.com/api/on-call/schedules/7.ics?token=t";
    on("post", "/on-call/schedules/7/feed", () => ok({ url }));
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Calendar feed: Primary" }));
    await user.click(await screen.findByRole("button", { name: "Create address" }));
    expect(await screen.findByText(url)).toBeTruthy();
  });

  it("deletes a schedule after a confirmation", async () => {
    const removed = vi.fn();
    on("delete", "/on-call/schedules/7", () => (removed(), ok({}, "Schedule deleted")));
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Delete: Primary" }));
    await user.click(await screen.findByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Schedule deleted")).toBeTruthy();
    expect(removed).toHaveBeenCalledOnce();
  });
});
