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

  it("add a location with a token that is shown once, and see its runner connect", async () => {
    const runner = { id: 3, name: "attic", version: "1.0.0", lastSeenAt: "2026-03-02T10:00:00.000Z", connected: true };
    const figures = { checksPerSecond: 1.5, lagMs: 4, clockOffsetMs: -20 };
    let runners: object[] = [];
    on("get", "/locations", () =>
      ok({ locations: [{ name: "office", runners: 0, monitors: 0, remote: { runners, openTokens: 1 } }] }),
    );
    const sent: unknown[] = [];
    on("post", "/locations", async ({ request }) => {
      sent.push(await request.json());
      const commands = { docker: "docker run one", script: "curl two" };
      return ok({ token: "one-time", expiresAt: "2026-03-03T10:00:00.000Z", commands });
    });
    const { user } = await renderScreen("/settings/locations", { as: admin });
    await user.click(await screen.findByRole("button", { name: "Add location" }));
    await user.type(screen.getByRole("textbox", { name: /^Location/ }), "my office");
    await user.click(screen.getByRole("button", { name: "Create token" }));
    expect(await screen.findByText("Use 1 to 63 letters, digits, - and _")).toBeTruthy();
    await user.clear(screen.getByRole("textbox", { name: /^Location/ }));
    await user.type(screen.getByRole("textbox", { name: /^Location/ }), "office");
    await user.click(screen.getByRole("button", { name: "Create token" }));
    const dialog = await screen.findByRole("dialog", { name: "Start a probe runner at office" });
    expect(sent).toEqual([{ name: "office" }]);
    for (const text of ["docker run one", "curl two", "one-time"]) expect(within(dialog).getByText(text)).toBeTruthy();
    expect(await within(dialog).findByText("Waiting for the probe runner…")).toBeTruthy();
    runners = [{ ...runner, ...figures }];
    expect(await within(dialog).findByText("attic is connected", undefined, { timeout: 10_000 })).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "Done" }));
    expect(screen.queryByText("one-time")).toBeNull();
    const list = await screen.findByRole("list", { name: "Probe runners at office" });
    expect(list.textContent).toContain("1.5 checks per second · checks start up to 4 ms late · clock -20 ms off");
  });

  it("revoke unused tokens, only as administrators", async () => {
    let openTokens = 2;
    on("get", "/locations", () =>
      ok({ locations: [{ name: "office", runners: 0, monitors: 0, remote: { runners: [], openTokens } }] }),
    );
    on("delete", "/locations/office/tokens", () => {
      openTokens = 0;
      return ok({}, "The tokens are revoked");
    });
    const first = await renderScreen("/settings/locations", { as: viewer });
    expect(await screen.findByText("2 tokens are not used yet")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Revoke/ })).toBeNull();
    first.unmount();
    const { user } = await renderScreen("/settings/locations", { as: admin });
    await user.click(await screen.findByRole("button", { name: "Revoke: 2 tokens are not used yet" }));
    expect(await screen.findByText("The tokens are revoked")).toBeTruthy();
    await waitFor(() => expect(screen.queryByText(/not used yet/)).toBeNull());
  });

  it("revoke a probe runner only after a confirmation, and only as administrators", async () => {
    const runner = { id: 3, name: "attic", version: "1.0.0", lastSeenAt: "2026-03-02T10:00:00.000Z", connected: false };
    let runners = [runner];
    on("get", "/locations", () =>
      ok({ locations: [{ name: "office", runners: 0, monitors: 0, remote: { runners, openTokens: 0 } }] }),
    );
    on("delete", "/locations/office/runners/3", () => {
      runners = [];
      return ok({}, "Revoked");
    });
    const first = await renderScreen("/settings/locations", { as: viewer });
    expect(await screen.findByText("attic")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Revoke/ })).toBeNull();
    first.unmount();
    const { user } = await renderScreen("/settings/locations", { as: admin });
    await user.click(await screen.findByRole("button", { name: "Revoke: attic" }));
    const dialog = await screen.findByRole("dialog", { name: "Revoke attic?" });
    expect(screen.getByText("attic")).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "Revoke" }));
    await waitFor(() => expect(screen.queryByText("attic")).toBeNull());
  });
});
