import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { serveStatusConfig } from "../../testing/status-page.ts";

const tab = (name: string) => screen.findByRole("tab", { name });

describe("the status page screen", () => {
  beforeEach(() => void serveStatusConfig({}, "/status"));
  it("has a tab with a URL for each part, and links to the public page", async () => {
    const { user, path } = await renderScreen("/status/config", { as: admin });
    expect((await tab("Page")).getAttribute("aria-selected")).toBe("true");
    expect(screen.getAllByRole("tab").map(({ textContent }) => textContent)).toEqual([
      "Page",
      "Incidents",
      "Access",
      "Subscribers",
      "Changes",
    ]);
    expect(screen.getByRole("link", { name: "Open the public page" }).getAttribute("href")).toBe("/status");
    await user.click(await tab("Access"));
    await waitFor(() => expect(location.search).toBe("?tab=access"));
    expect((await tab("Access")).getAttribute("aria-selected")).toBe("true");
    await user.click(await tab("Page"));
    await waitFor(() => expect(location.search).toBe(""));
    expect(path()).toBe("/status/config");
  });

  it.each([
    ["?tab=incidents", "Incidents"],
    ["?tab=subscribers", "Subscribers"],
    ["?tab=nonsense", "Page"],
  ])("opens at %s with the tab %s", async (search, name) => {
    await renderScreen(`/status/config${search}`, { as: admin });
    expect((await tab(name)).getAttribute("aria-selected")).toBe("true");
  });
});
