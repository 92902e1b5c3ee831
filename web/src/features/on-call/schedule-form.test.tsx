import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const people = [
  { id: 1, name: "ada" },
  { id: 9, name: "grace" },
];
const layer = {
  members: [9, 99],
  every: { n: 12, unit: "hour" },
  handoff: { time: "08:00" },
  from: "2026-01-05",
  only: [{ days: [6, 7], start: "10:00", end: "18:00" }],
};
const schedule = { id: 7, name: "Primary", timeZone: "Europe/Berlin", layers: [layer], overrides: [], hasFeed: false };
const at = "2026-01-05T00:00:00.000Z";

let sent: unknown;
let previewed: { layers: object[] }[];
beforeEach(() => {
  sent = undefined;
  previewed = [];
  on("get", "/on-call/people", () => ok({ people }));
  on("get", "/on-call/schedules/7", () =>
    ok({ schedule: { ...schedule, createdAt: at, updatedAt: at }, people: [people[1]!, { id: 99 }] }),
  );
  on("get", "/on-call/schedules", () => ok({ schedules: [], total: 0, people: [] }));
  on("post", "/on-call/schedules/preview", async ({ request }) => {
    previewed.push((await request.json()) as { layers: object[] });
    const shifts = [{ userId: 9, start: "2026-01-06T08:00:00.000Z", end: "2026-01-07T08:00:00.000Z", source: "layer" }];
    return ok({ shifts, gaps: [{ start: at, end: "2026-01-06T08:00:00.000Z" }], people: [] });
  });
  for (const [method, path] of [
    ["post", "/on-call/schedules"],
    ["put", "/on-call/schedules/7"],
  ] as const) {
    on(method, path, async ({ request }) => {
      sent = await request.json();
      return ok({ schedule: { ...schedule, createdAt: at, updatedAt: at }, people: [] }, "Saved");
    });
  }
});

describe("the form of a schedule", () => {
  it("creates a schedule of people in order, with a preview of the next shifts", async () => {
    const { user } = await renderScreen("/on-call/create", { as: admin });
    await user.type(await screen.findByLabelText(/^Name/), "Primary");
    await user.selectOptions(screen.getByLabelText("Add a person"), "ada");
    await user.selectOptions(screen.getByLabelText("Add a person"), "grace");
    await user.click(screen.getByRole("button", { name: "Move grace up" }));
    const preview = within(screen.getByRole("heading", { name: "Next shifts" }).closest("section")!);
    expect(await preview.findByText("grace")).toBeTruthy();
    expect(preview.getByText("Nobody")).toBeTruthy();
    await waitFor(() => expect(previewed.at(-1)?.layers).toMatchObject([{ members: [9, 1] }]));
    await user.click(screen.getByRole("button", { name: "Create schedule" }));
    await waitFor(() =>
      expect(sent).toMatchObject({
        name: "Primary",
        layers: [{ members: [9, 1], every: { n: 1, unit: "week" }, handoff: { weekday: 1, time: "09:00" } }],
      }),
    );
  });

  it("says what is missing", async () => {
    const { user } = await renderScreen("/on-call/create", { as: admin });
    await user.click(await screen.findByRole("button", { name: "Create schedule" }));
    expect(await screen.findByText("Add at least one person")).toBeTruthy();
    expect(sent).toBeUndefined();
  });

  it("keeps what a stored schedule has, and shows deleted users", async () => {
    const { user } = await renderScreen("/on-call/edit/7", { as: admin });
    expect(await screen.findByText("Deleted user")).toBeTruthy();
    await user.clear(screen.getByLabelText(/^Name/));
    await user.type(screen.getByLabelText(/^Name/), "First line");
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    await waitFor(() =>
      expect(sent).toEqual({ name: "First line", timeZone: schedule.timeZone, layers: schedule.layers }),
    );
  });

  it("shows a refused member next to the list of members", async () => {
    on("put", "/on-call/schedules/7", () =>
      fail(422, "impossible", "The request is not valid", [
        { path: "layers.0.members.1", message: "There is no user with the id 99" },
      ]),
    );
    const { user } = await renderScreen("/on-call/edit/7", { as: admin });
    await user.type(await screen.findByLabelText(/^Name/), "!");
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    const list = within((await screen.findByText("Deleted user")).closest("fieldset")!);
    expect(await list.findByText("There is no user with the id 99")).toBeTruthy();
  });

  it("limits a layer to hours, which can be removed again", async () => {
    const { user } = await renderScreen("/on-call/edit/7", { as: admin });
    await user.click(await screen.findByRole("checkbox", { name: "Friday" }));
    await user.click(screen.getByRole("button", { name: "Add hours" }));
    await user.click(screen.getByRole("button", { name: "Remove hours 2" }));
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    await waitFor(() => expect(sent).toMatchObject({ layers: [{ only: [{ days: [5, 6, 7] }] }] }));
  });

  it("says that a schedule does not exist", async () => {
    on("get", "/on-call/schedules/8", () => fail(404, "not_found", "On-call schedule does not exist"));
    await renderScreen("/on-call/edit/8", { as: admin });
    expect(await screen.findByText("This schedule does not exist")).toBeTruthy();
  });
});
