import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { admin, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

const sections = () =>
  within(screen.getByRole("navigation", { name: "Settings" }))
    .getAllByRole("link")
    .map((link) => [link.textContent, link.getAttribute("href")]);

describe("the settings", () => {
  it("open with the general section and list every section for administrators", async () => {
    on("get", "/ping-key", () => ok({ pingKey: null, creates: false }));
    const { path } = await renderScreen("/settings", { as: admin });
    expect(await screen.findByRole("heading", { name: "General" })).toBeTruthy();
    expect(path()).toBe("/settings/general");
    expect(sections()).toEqual([
      ["General", "/settings/general"],
      ["User Management", "/users"],
      ["Sign-in", "/settings/sign-in"],
      ["Audit log", "/audit"],
      ["Configuration sources", "/settings/sources"],
      ["Locations", "/settings/locations"],
    ]);
  });

  it("show viewers only the sections they can use", async () => {
    await renderScreen("/settings/general", { as: viewer });
    await screen.findByRole("heading", { name: "General" });
    expect(sections().map(([name]) => name)).toEqual(["General", "Locations"]);
    expect(screen.queryByRole("heading", { name: "Ping key" })).toBeNull();
  });

  it("change theme and language at once, and store them", async () => {
    const { user } = await renderScreen("/settings/general", { as: viewer });
    await user.click(await screen.findByRole("radio", { name: "Dark" }));
    expect(document.documentElement.dataset["theme"]).toBe("dark");
    expect(localStorage.getItem("theme")).toBe("dark");
    await user.click(screen.getByRole("radio", { name: "中文" }));
    expect(await screen.findByRole("heading", { name: "常规" })).toBeTruthy();
    expect(localStorage.getItem("language")).toBe("zh-CN");
  });

  it("find a time zone by typing, and return to the browser's", async () => {
    const first = await renderScreen("/settings/general", { as: viewer });
    const field = await screen.findByRole("combobox", { name: "Time zone" });
    await first.user.type(field, "europe/berlin");
    expect(localStorage.getItem("timeZone")).toBe("Europe/Berlin");
    first.unmount();
    const { user } = await renderScreen("/settings/general", { as: viewer });
    await user.click(await screen.findByRole("button", { name: /^Browser time zone/ }));
    expect(localStorage.getItem("timeZone")).toBeNull();
  });

  it("list the locations with their probe runners, and warn about one without", async () => {
    on("get", "/locations", () =>
      ok({
        locations: [
          { name: "eu1", runners: 2, monitors: 40 },
          { name: "us1", runners: 0, monitors: 3 },
        ],
      }),
    );
    await renderScreen("/settings/locations", { as: viewer });
    await waitFor(() => expect(screen.getByRole("row", { name: "eu1 2 40" })).toBeTruthy());
    expect(await screen.findByText(/^No probe runner at us1/)).toBeTruthy();
  });
});
