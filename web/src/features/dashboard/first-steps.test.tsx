import { screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { admin, dashboard, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const user = { ...admin, id: 4, username: "grace", role: "user" as const };
const steps = () =>
  within(screen.getByRole("heading", { name: /^(?:First steps|Welcome to Sonde)/ }).closest("section")!)
    .getAllByRole("listitem")
    .map((row) => [
      within(row).getByRole("heading").textContent,
      ...within(row)
        .queryAllByRole("link")
        .map((link) => link.getAttribute("href")),
    ]);

function serve(known: { reach?: object; users?: number; invites?: number; shown?: number[]; isEmpty?: boolean }) {
  const { reach, users = 1, invites = 0, shown = [], isEmpty = false } = known;
  if (!isEmpty) on("get", "/dashboard", () => ok({ ...dashboard }));
  on("get", "/notifications/reach", () =>
    ok({ reach: { monitors: false, agents: false, channels: 0, tested: 0, ...reach } }),
  );
  on("get", "/users", () => ok({ users: [], total: users }));
  on("get", "/users/:id", () => ok({ invites: [], total: invites }));
  on("get", "/status/config", () => ok({ config: { monitors: shown, agents: [] } as never }));
}

it("lists what a new installation lacks, each with where it is done", async () => {
  serve({ isEmpty: true });
  await renderScreen("/dashboard", { as: admin });
  expect(await screen.findByText("0 of 4 done")).toBeTruthy();
  expect(steps()).toEqual([
    ["Something to monitor", "/monitors/create", "/agents/create"],
    ["A tested channel for alerts", "/notifications/channels/create"],
    ["A second user", "/users?invite=new"],
    ["A status page", "/status/config"],
  ]);
  expect(screen.getByText("Until then, nobody is notified.")).toBeTruthy();
  expect(screen.queryByText("Nobody is notified")).toBeNull();
});

it("comes below the figures if it takes long, so that they do not move", async () => {
  serve({});
  const { promise, resolve } = Promise.withResolvers<void>();
  on("get", "/notifications/reach", async () => {
    await promise;
    return ok({ reach: { monitors: false, agents: false, channels: 1, tested: 0 } });
  });
  await renderScreen("/dashboard", { as: admin });
  const figure = await screen.findByText("Total monitors");
  expect(screen.queryByText("Nobody is notified")).toBeNull();
  resolve();
  for (const text of [/^Nobody is notified/, /^First steps/]) {
    const late = await screen.findByText(text);
    expect(figure.compareDocumentPosition(late)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  }
});

it("ticks what is done: a tested channel, an open invite and a service on the status page", async () => {
  serve({ reach: { monitors: true, agents: true, channels: 2, tested: 1 }, invites: 1 });
  await renderScreen("/dashboard", { as: admin });
  expect(await screen.findByText("3 of 4 done")).toBeTruthy();
  expect(steps().slice(0, 3)).toEqual([
    ["Something to monitor – done"],
    ["A tested channel for alerts – done"],
    ["A second user – done"],
  ]);
});

it("asks for a test of a channel that delivered nothing yet", async () => {
  serve({ reach: { channels: 1 } });
  await renderScreen("/dashboard", { as: admin });
  const link = await screen.findByRole("link", { name: "Test a channel" });
  expect(link.getAttribute("href")).toBe("/notifications");
  expect(screen.getByText("Nobody is notified")).toBeTruthy();
});

it("leaves out what it cannot know: users for others than administrators, and unavailable parts", async () => {
  serve({});
  on("get", "/notifications/reach", () => fail(503, "unavailable"));
  await renderScreen("/dashboard", { as: user });
  expect(await screen.findByText("1 of 2 done")).toBeTruthy();
  expect(steps().map(([name]) => name)).toEqual(["Something to monitor – done", "A status page"]);
});

it("disappears when everything is done, and then asks no more", async () => {
  serve({ reach: { monitors: true, agents: true, channels: 1, tested: 1 }, users: 2, shown: [7] });
  const first = await renderScreen("/dashboard", { as: admin });
  await waitFor(() => expect(localStorage.getItem("firstSteps")).toBe(String(admin.id)));
  expect(screen.queryByText("First steps")).toBeNull();
  first.unmount();
  let asked = 0;
  on("get", "/pages", () => ok({ pages: [], asked: (asked += 1) }));
  await renderScreen("/dashboard", { as: admin });
  expect(await screen.findByText("Needs attention")).toBeTruthy();
  expect(asked).toBe(0);
});

it("comes back after a visit during which its last step was unavailable", async () => {
  serve({ reach: { monitors: true, agents: true, channels: 1 }, users: 2, shown: [7] });
  on("get", "/notifications/reach", () => fail(503, "unavailable"));
  await renderScreen("/dashboard", { as: admin });
  expect(await screen.findByText("Needs attention")).toBeTruthy();
  expect(screen.queryByText("First steps")).toBeNull();
  expect(localStorage.getItem("firstSteps")).toBeNull();
});

it("can be hidden by each user, with an undo", async () => {
  serve({});
  localStorage.setItem("firstSteps", "77");
  const { user: person } = await renderScreen("/dashboard", { as: admin });
  await person.click(await screen.findByRole("button", { name: "Hide" }));
  expect(localStorage.getItem("firstSteps")).toBe(`77,${admin.id}`);
  expect(screen.queryByText("A second user")).toBeNull();
  await person.click(screen.getByRole("button", { name: "Undo" }));
  expect(await screen.findByText("A second user")).toBeTruthy();
  expect(localStorage.getItem("firstSteps")).toBe("77");
});

it("is not shown to viewers, who see that nothing is monitored", async () => {
  serve({ isEmpty: true });
  await renderScreen("/dashboard", { as: viewer });
  expect(await screen.findByText("Nothing is monitored yet.")).toBeTruthy();
  expect(screen.queryByRole("link", { name: "Add a monitor" })).toBeNull();
});

it("still offers a monitor and an agent after it was hidden in an empty installation", async () => {
  serve({ isEmpty: true });
  localStorage.setItem("firstSteps", String(admin.id));
  await renderScreen("/dashboard", { as: admin });
  const link = await screen.findByRole("link", { name: "Add a monitor" });
  expect(link.getAttribute("href")).toBe("/monitors/create");
  expect(screen.getByRole("link", { name: "Add an agent" })).toBeTruthy();
});

it.each([
  ["there is no channel", { channels: 0 }, "Add a channel", "/notifications/channels/create"],
  ["the settings use none", { channels: 1, tested: 1 }, "Notification settings", "/notifications/settings"],
])("says that nobody is notified if %s", async (_what, reach, label, to) => {
  serve({ reach });
  localStorage.setItem("firstSteps", String(admin.id));
  await renderScreen("/dashboard", { as: admin });
  const alert = within((await screen.findByText("Nobody is notified")).closest("[role=alert]")!);
  expect(alert.getByRole("link", { name: label }).getAttribute("href")).toBe(to);
});
