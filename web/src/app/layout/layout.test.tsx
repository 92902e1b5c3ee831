import { screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { admin, config, dashboard } from "../../testing/fixtures.ts";
import { renderApp } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";
import { setPageTitle } from "../../ui/page-header.tsx";

const content = () => document.getElementById("content");
const announced = () => document.querySelector("[aria-live=polite]")?.textContent;

beforeEach(() => {
  on("get", "/dashboard", () => ok({ ...dashboard }));
  on("get", "/monitors", () => ok({ monitors: [], total: 0 }));
  // Like in a browser, the previous page stays hidden in the document while the next one loads.
  Element.prototype.checkVisibility = function () {
    return this.closest("[style*='display: none']") === null;
  };
});
afterEach(() => {
  delete (Element.prototype as Partial<Element>).checkVisibility;
});

it("shows the version in the tooltip of the footer", async () => {
  await renderApp("/dashboard", { as: admin });
  const footer = await screen.findByText(/^© \d{4} Sonde$/);
  await waitFor(() => expect(footer.title).toBe(`Version ${config.version}`));
});

describe("navigation", () => {
  it("moves the focus to the new page, also for back and forward, and announces its title", async () => {
    // An earlier test may have left another title.
    setPageTitle("Dashboard");
    const { user, path } = await renderApp("/dashboard", { as: admin });
    const [link] = await screen.findAllByRole("link", { name: "All monitors" });
    expect(announced()).toBe("");
    await user.click(link as Element);
    expect(path()).toBe("/monitors");
    await waitFor(() => expect(document.activeElement).toBe(content()));
    await screen.findByRole("heading", { name: "API Monitors" });
    await waitFor(() => expect(document.activeElement).toBe(content()));
    await waitFor(() => expect(announced()).toBe("API Monitors"));

    (await screen.findByRole("searchbox")).focus();
    history.back();
    await screen.findByRole("heading", { name: "Dashboard" });
    expect(path()).toBe("/dashboard");
    await waitFor(() => expect(document.activeElement).toBe(content()));
    await waitFor(() => expect(announced()).toBe("Dashboard"));
  });

  it("keeps the focus in a field that takes it", async () => {
    const { user } = await renderApp("/dashboard", { as: admin });
    await screen.findByRole("heading", { name: "Dashboard" });
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByRole("combobox"), "add monitor{Enter}");
    const field = await screen.findByLabelText(/^URL/);
    await waitFor(() => expect(document.activeElement).toBe(field));
  });
});
