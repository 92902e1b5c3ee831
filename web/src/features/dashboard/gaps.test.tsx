import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { admin, dashboard } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

describe("the dashboard", () => {
  it("warns of times without anyone on call in the next seven days", async () => {
    const gap = { scheduleId: 7, name: "Primary", start: "2099-03-02T09:00:00Z", end: "2099-03-03T09:00:00Z" };
    on("get", "/on-call/gaps", () => ok({ gaps: [gap, { ...gap, name: "Second" }, { ...gap, name: "Third" }] }));
    on("get", "/dashboard", () => ok({ ...dashboard }));
    await renderScreen("/dashboard", { as: admin });
    const link = await screen.findByRole("link", { name: "Nobody is on call" });
    expect(link.getAttribute("href")).toBe("/on-call?schedule=7");
    expect(link.closest("[role=alert]")!.textContent).toMatch(
      /Primary: from .* to .* \(and 2 more times within seven days\)/,
    );
  });

  it("is shown if it is unknown whether somebody is on call", async () => {
    on("get", "/on-call/gaps", () => fail(503, "unavailable"));
    on("get", "/dashboard", () => ok({ ...dashboard }));
    await renderScreen("/dashboard", { as: admin });
    expect((await screen.findAllByText("Shop API"))[0]).toBeTruthy();
    expect(screen.queryByText("Nobody is on call")).toBeNull();
  });
});
