import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { admin, incident, monitor } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

it("shows the path at the failure next to that at the recovery", async () => {
  const path = (recovered: boolean, hops: { ttl: number; address?: string; roundTrip?: number }[]) => ({
    at: recovered ? "2026-01-02T09:20:00Z" : "2026-01-02T09:00:05Z",
    location: "eu1",
    address: "192.0.2.1",
    recovered,
    hops,
  });
  const near = { ttl: 1, address: "10.0.0.1" };
  const target = { ttl: 3, address: "192.0.2.1", roundTrip: 12.5 };
  const paths = [path(false, [near]), path(true, [near, { ttl: 2 }, target])];
  on("get", "/incidents/m3", () => ok({ incident, timeline: [], channels: [], paths } as never));
  on("get", "/monitors/7/checks", () => ok({ checks: [] }));
  on("get", "/monitors/7", () => ok({ monitor }));
  await renderScreen("/incidents/m3", { as: admin });

  const sectionOf = async (name: RegExp) => (await screen.findByRole("heading", { name })).closest("section")!;
  const hopsOf = (section: HTMLElement) =>
    within(section)
      .getAllByRole("listitem")
      .map(({ textContent }) => textContent);
  const failed = await sectionOf(/^eu1, at failure/);
  expect(hopsOf(failed)).toEqual(["110.0.0.1"]);
  expect(failed.textContent).toContain("did not reply");
  const recovered = await sectionOf(/^eu1, at recovery/);
  expect(hopsOf(recovered)).toEqual(["110.0.0.1", "2no reply", expect.stringMatching(/^3192\.0\.2\.11[23]/)]);
  expect(recovered.textContent).not.toContain("did not reply");
});
