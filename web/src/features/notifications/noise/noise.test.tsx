import type { NoisyMonitor } from "@sonde/proto/http/notifications/noise";
import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { admin, monitor, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const from = "2026-09-01T12:00:00.000Z";
const noisy: NoisyMonitor = {
  id: 7,
  name: "Shop API",
  from,
  incidents: 20,
  alerts: 41,
  secondOpinions: [],
  alternatives: [
    {
      change: {
        field: "retries",
        value: 5,
      },
      alerts: 3,
      laterMs: 38e3,
      unreported: 0,
    },
    {
      change: {
        field: "dependsOn",
        target: {
          type: "agent",
          id: 3,
          name: "web-1",
        },
      },
      alerts: 9,
      laterMs: 0,
      unreported: 2,
    },
  ],
};
const nights = [
  { userId: 1, name: "ada", nights: 4, notifications: 9 },
  { userId: 9, nights: 1, notifications: 1 },
];

const serve = (monitors: NoisyMonitor[], more: object = { nights }) =>
  on("get", "/notifications/noise", () => ok({ from, to: from, monitors, nights: [], ...more } as never));
const open = (as = admin) => renderScreen("/notifications/noise", { as });
const make = () => screen.findAllByRole("button", { name: "Make this change" });

/** The requests that change the monitor. */
function serveMonitor() {
  const changes: unknown[] = [];
  on("get", "/monitors/7", () => ok({ monitor: { ...monitor, retries: 1, dependsOn: [] } } as never));
  on("put", "/monitors/7", async ({ request }) => {
    changes.push(await request.json());
    return ok({ monitor } as never);
  });
  return changes;
}

describe("the bill of noise", () => {
  it("says what the best changes would have done, and what each alternative would", async () => {
    const { alternatives: _none, ...notComputed } = { ...noisy, id: 8, name: "Other", alerts: 10, alertsToday: 4 };
    serve([noisy, { ...notComputed, from: "2026-09-20T12:00:00.000Z", secondOpinions: ["east"] }], {
      nights,
      unavailable: ["monitors"],
    });
    await open();
    const sum = await screen.findByRole("region", { name: "Noise" });
    expect(sum.textContent).toContain("45 alerts → 7, detection up to 38 sec later, no outage missed");
    const first = screen.getByRole("link", { name: "Shop API" }).closest("section") as HTMLElement;
    expect(first.textContent).toContain("Incidents: 20, alerts: 41");
    expect(first.textContent).toContain("Retries before down: 5");
    expect(first.textContent).toContain(
      "41 alerts → 9, detection just as fast, 2 outages under 5 minutes not reported",
    );
    const second = screen.getByRole("link", { name: "Other" }).closest("section") as HTMLElement;
    expect(second.textContent).toMatch(/4 with today's settings, since .*, when stored results begin/);
    expect(second.textContent).toContain("Not computed.");
    expect(second.textContent).toContain("A second opinion from east may help.");
    expect(screen.getByText("The effects for some monitors could not be computed. Try again later.")).toBeTruthy();
  });

  it("changes one field with one click, and undoes it", async () => {
    const changes = serveMonitor();
    serve([noisy]);
    const { user } = await open();
    await user.click((await make())[0]!);
    await waitFor(() => expect(changes).toEqual([{ retries: 5 }]));
    expect(await screen.findByText("Shop API changed")).toBeTruthy();
    expect(screen.getByText("Changed")).toBeTruthy();
    expect(screen.queryByText("Depends on: web-1")).toBeNull();
    expect(screen.queryByRole("button", { name: "Make this change" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(changes).toEqual([{ retries: 5 }, { retries: 1 }]));
    expect(await make()).toHaveLength(2);
  });

  it("adds a dependency to those that the monitor has, and shows why that failed", async () => {
    serveMonitor();
    on("get", "/monitors/7", () => ok({ monitor: { ...monitor, dependsOn: [{ type: "agent", id: 4 }] } } as never));
    const refused: unknown[] = [];
    on("put", "/monitors/7", async ({ request }) => {
      refused.push(await request.json());
      return fail(422, "impossible", "No", [{ path: "dependsOn.1", message: "This would be a cycle" }]);
    });
    serve([noisy]);
    const { user } = await open();
    await user.click((await make())[1]!);
    expect(await screen.findByText("This would be a cycle")).toBeTruthy();
    const dependsOn = [
      { type: "agent", id: 4 },
      { type: "agent", id: 3 },
    ];
    expect(refused).toEqual([{ dependsOn }]);
    expect(screen.queryByText("Changed")).toBeNull();
  });

  it("says why a change is not possible: for viewers, and for fields of a configuration document", async () => {
    serve([noisy]);
    await open(viewer);
    for (const button of await make()) expect(button).toHaveProperty("disabled", true);
    expect(screen.getAllByText("Viewers can't make changes")).toHaveLength(2);
  });

  it("locks only the fields that a configuration document sets", async () => {
    serve([{ ...noisy, managed: { source: "prod-git", key: "shop", fields: ["retries"] } }]);
    await open();
    expect((await make()).map((button) => (button as HTMLButtonElement).disabled)).toEqual([true, false]);
    expect(screen.getByText("Managed by prod-git")).toBeTruthy();
  });

  it("lists the nights of people, and says if there is nothing", async () => {
    serve([], { nights });
    const { unmount } = await open();
    expect(await screen.findByText("No alerts about outages")).toBeTruthy();
    expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
      "ada4 nights (9 notifications)",
      "Deleted user1 night (1 notification)",
    ]);
    unmount();
    serve([{ ...noisy, alternatives: [] }], {});
    await open();
    expect(
      await screen.findByText("No single change would have avoided alerts without missing an outage."),
    ).toBeTruthy();
    expect(screen.getByText("Changing one setting would not have helped.")).toBeTruthy();
    expect(screen.getByText("No notifications at night.")).toBeTruthy();
  });

  it("can be retried if it fails", async () => {
    on("get", "/notifications/noise", () =>
      fail(503, "unavailable", "The notifications service is currently unavailable"),
    );
    const { user } = await open();
    const again = await screen.findByRole("button", { name: "Try again" });
    serve([noisy]);
    await user.click(again);
    expect(await screen.findAllByText(/^41 alerts → 3/)).toHaveLength(2);
  });
});
