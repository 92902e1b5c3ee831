import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { admin, bucket, historyPeriod, incident, monitor } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

it("the form sends when a monitor is slow, and after how many good checks it is up; slow checks only with a limit", async () => {
  let sent: unknown;
  on("post", "/monitors", async ({ request }) => {
    sent = await request.json();
    return ok({ monitor }, "Monitor created");
  });
  const { user } = await renderScreen("/monitors/create", { as: admin });
  await screen.findByRole("heading", { name: "Add monitor" });
  const type = async (label: RegExp, text: string) => {
    const field = await screen.findByLabelText(label);
    await user.clear(field);
    await user.type(field, text);
  };
  const save = async () => user.click(await screen.findByRole("button", { name: "Create monitor" }));
  await type(/^Name/, "Shop API");
  await type(/^URL/, "https://shop.example/");
  await user.click(screen.getByText("Advanced"));
  expect(screen.queryByLabelText(/^Slow checks/)).toBeNull();
  await type(/^Slow after/, "800");
  await type(/^Slow checks/, "6");
  await save();
  const note = await screen.findByText("This cannot exceed the number of checks");
  expect(screen.getByLabelText(/^Slow checks/).getAttribute("aria-describedby")).toBe(note.id);
  await type(/^Slow checks/, "2");
  await type(/^Of the last/, "4");
  await type(/^Good checks before up/, "3");
  await save();
  await waitFor(() => expect(sent).toMatchObject({ slowAfter: 800, slowChecks: { of: 2, in: 4 }, recoverAfter: 3 }));
});

it("the history shows the time in which a monitor was slow as amber bars, and failures as such", async () => {
  const slow = { ...incident, kind: "slow", openedAt: "2026-01-02T09:46:00Z", closedAt: "2026-01-02T09:57:00Z" };
  on("get", "/monitors/7", () => ok({ monitor }));
  on("get", "/monitors/7/checks", () => ok({ checks: [] }));
  on("get", "/monitors/7/incidents", () => ok({ incidents: [slow as never], total: 1 }));
  const buckets = [
    bucket("2026-01-02T09:40:00Z", 5),
    bucket("2026-01-02T09:45:00Z", 5),
    bucket("2026-01-02T09:50:00Z", 5, 4),
  ];
  on("get", "/monitors/7/history", () => ok({ range: "24h", step: 300, ...historyPeriod, buckets }));
  await renderScreen("/monitors/7", { as: admin });
  const bars = await screen.findByRole("slider", { name: "State over the last 24 hours" });
  const cells = () => [...bars.querySelectorAll("[data-cell]")];
  await waitFor(() => expect(cells().map((cell) => cell.getAttribute("data-cell"))).toEqual(["up", "slow", "partial"]));
  expect(cells()[1]?.querySelector(".bg-warn")).toBeTruthy();
});
